# `bytegate_options` carries what every target of ours is compiled with: warnings as errors, the
# repository root as the only include root, and the sanitizers when they are asked for.
add_library(bytegate_options INTERFACE)
target_include_directories(bytegate_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(bytegate_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>)
if(BYTEGATE_WARNINGS_ARE_ERRORS)
  target_compile_options(bytegate_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overlaps in string concatenations that are not there (GCC bug 105651).
  target_compile_options(bytegate_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(BYTEGATE_SANITIZE)
  target_compile_options(bytegate_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(bytegate_options INTERFACE -fsanitize=address,undefined)
endif()
if(BYTEGATE_FUZZ_ENGINE STREQUAL libfuzzer)
  # Only the targets link the fuzzer's driver.
  target_compile_options(bytegate_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(bytegate_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Also where other engines bring the flags in the environment. How deep the stack is tells nothing where
# each lane has a stack of its own.
if(BYTEGATE_FUZZ_ENGINE STREQUAL libfuzzer OR
   (BYTEGATE_FUZZ_ENGINE AND CMAKE_CXX_FLAGS MATCHES "fuzzer-no-link|-fsanitize-coverage"))
  set(guided ${PROJECT_SOURCE_DIR}/fuzz/guided)
  target_compile_options(bytegate_options INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize-coverage=stack-depth;\
-fsanitize-coverage-allowlist=${guided}/instrumented.txt;\
-fsanitize-coverage-ignorelist=${guided}/not_instrumented.txt>")
endif()
