# Tests of the kernels' side. Only included under BYTEGATE_TESTS.

# Libraries that cannot be candidates, each for its own reason, and the examples, which find the
# package in this build in the place of an installed one.
set(bad_libraries aborts_in_constructor crashes crashes_in_open exits_in_entry_point
  hangs_in_constructor no_run_function no_symbol null_table other_version writes_in_constructor)
foreach(library ${bad_libraries})
  add_library(bytegate_${library} MODULE testing/libraries/${library}.cc)
  set_target_properties(bytegate_${library} PROPERTIES PREFIX "" OUTPUT_NAME ${library}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
  target_include_directories(bytegate_${library} SYSTEM PRIVATE ${BYTEGATE_DLPACK_INCLUDE})
  target_link_libraries(bytegate_${library} PRIVATE bytegate_options)
endforeach()

file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/bytegate-config.cmake
     "# bytegate::candidate is a target of this build.\n")
foreach(example schedule_right schedule_wrong)
  add_subdirectory(examples/${example})
  target_link_libraries(${example} PRIVATE bytegate_options)
endforeach()

# What the tests of kernels/ and of properties/ share: small candidates, right and wrong.
add_library(bytegate_kernels_testing STATIC
  testing/candidates.cc
  testing/dsa_candidates.cc
  testing/dsa_refresh_candidates.cc
  testing/faulty_kernels.cc
  testing/hostile_acts.cc
  testing/hostile_candidate.cc
  testing/ledger_arguments.cc
  testing/ledger_candidates.cc
  testing/num_repeats.cc
  testing/planted_candidate.cc
  testing/schedule_candidates.cc
  testing/survival_candidates.cc
)
target_link_libraries(bytegate_kernels_testing PUBLIC bytegate_kernels)

# Hostile in the way that the name of a link to it says.
add_library(bytegate_hostile MODULE testing/libraries/hostile.cc)
set_target_properties(bytegate_hostile PROPERTIES PREFIX "" OUTPUT_NAME hostile
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
target_link_libraries(bytegate_hostile PRIVATE bytegate_kernels_testing)

# With faults that a long run is to find, each of them once.
add_library(bytegate_planted MODULE testing/libraries/planted.cc)
set_target_properties(bytegate_planted PROPERTIES PREFIX "" OUTPUT_NAME planted
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
target_link_libraries(bytegate_planted PRIVATE bytegate_kernels_testing)

# Wrong where it was launched before.
add_library(bytegate_remembers MODULE testing/libraries/remembers.cc)
set_target_properties(bytegate_remembers PROPERTIES PREFIX "" OUTPUT_NAME remembers
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
target_link_libraries(bytegate_remembers PRIVATE bytegate_kernels)

add_executable(kernels_test
  arena_test.cc
  candidate_test.cc
  dsa_front_door_buffers_test.cc
  dsa_front_door_edges_test.cc
  dsa_grid_test.cc
  dsa_front_door_test.cc
  dsa_precompute_test.cc
  element_set_test.cc
  fault_map_test.cc
  guard_inquest_test.cc
  host_backend_test.cc
  host_sparse_test.cc
  library_probe_test.cc
  output_trap_test.cc
  paged_mqa_metadata_front_door_test.cc
  paged_mqa_metadata_test.cc
  process_backend_test.cc
  process_life_test.cc
  process_link_test.cc
  process_fault_test.cc
  process_kill_test.cc
  process_loss_test.cc
  process_memory_test.cc
  process_noise_test.cc
  process_test_fixture.cc
  wire_test.cc
  workspace_sections_test.cc
  testing/dsa_op.cc
  testing/layout_op.cc
  testing/schedule_op.cc
)
list(TRANSFORM bad_libraries PREPEND bytegate_)
add_dependencies(kernels_test ${bad_libraries} schedule_right)
target_compile_definitions(kernels_test PRIVATE
  BYTEGATE_TEST_LIBRARIES="${CMAKE_CURRENT_BINARY_DIR}/testing/libraries"
  BYTEGATE_SCHEDULE_RIGHT="$<TARGET_FILE:schedule_right>")
target_link_libraries(kernels_test PRIVATE bytegate_kernels_testing bytegate_gtest_precompiled)
gtest_discover_tests(kernels_test)

add_test(NAME Examples.BuildOutsideTheTreeFromAnInstall
  COMMAND ${CMAKE_COMMAND} -DBUILD_DIR=${PROJECT_BINARY_DIR} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
          -DWORK_DIR=${PROJECT_BINARY_DIR}/examples_test -DGENERATOR=${CMAKE_GENERATOR}
          -DMAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} -DCOMPILER=${CMAKE_CXX_COMPILER}
          -P ${PROJECT_SOURCE_DIR}/ci/cmake/examples_test.cmake)

if(BYTEGATE_WITH_CUDA)
  # The hostile candidates on the GPU, for tests and as a library like the one above.
  add_library(bytegate_cuda_hostility STATIC
    testing/cuda_hostility.cc
    testing/cuda_hostility_acts.cc
    testing/cuda_hostility_kernels.cu
  )
  target_compile_options(bytegate_cuda_hostility PRIVATE ${BYTEGATE_CUDA_OPTIONS})
  target_link_libraries(bytegate_cuda_hostility PUBLIC bytegate_kernels_testing)
  add_library(bytegate_hostile_cuda MODULE testing/libraries/hostile_cuda.cc)
  set_target_properties(bytegate_hostile_cuda PROPERTIES PREFIX "" OUTPUT_NAME hostile_cuda
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
  target_link_libraries(bytegate_hostile_cuda PRIVATE bytegate_cuda_hostility)

  add_library(bytegate_planted_cuda MODULE testing/libraries/planted_cuda.cc)
  set_target_properties(bytegate_planted_cuda PROPERTIES PREFIX "" OUTPUT_NAME planted_cuda
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/testing/libraries)
  target_link_libraries(bytegate_planted_cuda PRIVATE bytegate_kernels_testing)

  # Skipped where there is no GPU, red there with BYTEGATE_REQUIRE_GPU=1.
  add_executable(cuda_backend_test
    cuda_backend_test.cc
    cuda_fault_test.cc
    cuda_guard_test.cc
    cuda_hostile_test.cc
    cuda_mode_test.cc
    cuda_separate_test.cc
    cuda_test_kernels.cu
    cuda_test_op.cc
    testing/hostile_cuda.cu
    testing/hostile_cuda_case.cc
  )
  target_compile_options(cuda_backend_test PRIVATE ${BYTEGATE_CUDA_OPTIONS})
  target_link_libraries(cuda_backend_test PRIVATE bytegate_kernels_testing bytegate_gtest)
  gtest_discover_tests(cuda_backend_test PROPERTIES LABELS gpu)

  list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
  set(objects $<TARGET_OBJECTS:bytegate_kernels>)
  add_executable(device_code_test device_code_test.cc)
  target_compile_definitions(device_code_test PRIVATE
    BYTEGATE_CUDA_ARCHITECTURES="${architectures}"
    BYTEGATE_CUDA_OBJECTS="$<JOIN:$<FILTER:${objects},INCLUDE,[.]cu[.]o$>,|>"
    BYTEGATE_HOST_OBJECT="$<FILTER:${objects},INCLUDE,paged_mqa_metadata_host[.]cc[.]o$>")
  add_dependencies(device_code_test bytegate_kernels)
  target_link_libraries(device_code_test PRIVATE bytegate_options bytegate_gtest)
  gtest_discover_tests(device_code_test)
endif()
