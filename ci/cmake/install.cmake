# What `cmake --install` puts down: the command line, and the package that a candidate is built
# with. The target `bytegate::candidate` is the same in this build and in an install.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(BYTEGATE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/bytegate)
configure_file(kernels/candidate.h ${PROJECT_BINARY_DIR}/include/bytegate/candidate.h COPYONLY)
add_library(bytegate_candidate INTERFACE)
add_library(bytegate::candidate ALIAS bytegate_candidate)
set_target_properties(bytegate_candidate PROPERTIES EXPORT_NAME candidate)
target_include_directories(bytegate_candidate INTERFACE
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<BUILD_INTERFACE:${BYTEGATE_DLPACK_INCLUDE}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

if(TARGET bytegate)
  install(TARGETS bytegate RUNTIME COMPONENT command)
  install(DIRECTORY corpus DESTINATION ${CMAKE_INSTALL_DATADIR}/bytegate COMPONENT command)
endif()
install(FILES kernels/candidate.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bytegate
        COMPONENT candidate)
install(TARGETS bytegate_candidate EXPORT bytegate_targets COMPONENT candidate)
install(EXPORT bytegate_targets NAMESPACE bytegate:: FILE bytegateTargets.cmake
        DESTINATION ${BYTEGATE_PACKAGE_DIR} COMPONENT candidate)
configure_package_config_file(ci/cmake/bytegateConfig.cmake.in
  ${PROJECT_BINARY_DIR}/bytegateConfig.cmake INSTALL_DESTINATION ${BYTEGATE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bytegateConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/bytegateConfig.cmake
              ${PROJECT_BINARY_DIR}/bytegateConfigVersion.cmake
        DESTINATION ${BYTEGATE_PACKAGE_DIR} COMPONENT candidate)
