# cmake -DBUILD_DIR= -DSOURCE_DIR= -DWORK_DIR= -DGENERATOR= -DMAKE_PROGRAM= -DCOMPILER=
#       -P examples_test.cmake
# Installs the candidate package and builds every example outside the tree from it alone.
function(run_or_fail)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nexited with ${result}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(configure -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE_PROGRAM} -DCMAKE_CXX_COMPILER=${COMPILER}
              -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run_or_fail(${CMAKE_COMMAND} --install ${BUILD_DIR} --component candidate
            --prefix ${WORK_DIR}/prefix)
foreach(example schedule_right schedule_wrong)
  file(COPY ${SOURCE_DIR}/kernels/examples/${example} DESTINATION ${WORK_DIR})
  run_or_fail(${CMAKE_COMMAND} -S ${WORK_DIR}/${example} -B ${WORK_DIR}/${example}-build
              ${configure} "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror")
  run_or_fail(${CMAKE_COMMAND} --build ${WORK_DIR}/${example}-build)
  if(NOT EXISTS ${WORK_DIR}/${example}-build/lib${example}.so)
    message(FATAL_ERROR "${example}: no lib${example}.so was built")
  endif()
endforeach()

# Without DLPack's header the package says what to install.
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${WORK_DIR}/schedule_right -B ${WORK_DIR}/no_dlpack
          ${configure} -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
          -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
  ERROR_VARIABLE errors OUTPUT_QUIET RESULT_VARIABLE result)
if(result EQUAL 0 OR NOT errors MATCHES "libdlpack-dev")
  message(FATAL_ERROR "a missing dlpack/dlpack.h must name libdlpack-dev, not:\n${errors}")
endif()
