# Tests of the properties' side. Only included under BYTEGATE_TESTS.

add_executable(properties_test
  case_lists_test.cc
  check_relations_test.cc
  check_test.cc
  class_axis_test.cc
  dsa_canaries_test.cc
  dsa_candidates_test.cc
  dsa_refresh_canaries_test.cc
  dsa_relations_test.cc
  dummy_op_test.cc
  minimize_test.cc
  paged_mqa_metadata_candidates_test.cc
  paged_mqa_metadata_property_test.cc
  pictures_test.cc
  relations_canaries_test.cc
  relations_test.cc
  simplify_test.cc
  spoil_test.cc
  survival_test.cc
  worlds_test.cc
  testing/ledger_op.cc
)
add_dependencies(properties_test schedule_right schedule_wrong)
target_compile_definitions(properties_test PRIVATE
  BYTEGATE_SCHEDULE_RIGHT="$<TARGET_FILE:schedule_right>"
  BYTEGATE_SCHEDULE_WRONG="$<TARGET_FILE:schedule_wrong>")
target_link_libraries(properties_test PRIVATE
  bytegate_properties bytegate_kernels_testing rapidcheck bytegate_gtest_precompiled)
gtest_discover_tests(properties_test)
