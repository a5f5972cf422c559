// What clang calls before each comparison with a constant. The engine has these functions, too: the
// linker's --wrap puts ours before its own, of which there may be none.
#include <cstdint>

#include "fuzz/guided/compared_numbers.h"

#define BYTEGATE_WRAP_COMPARISON(name, type, signed_type)                         \
  extern "C" __attribute__((weak)) void __real_##name(type constant, type value); \
  extern "C" void __wrap_##name(type constant, type value);                       \
  void __wrap_##name(type constant, type value) {                                 \
    bytegate::compared_numbers().note(static_cast<signed_type>(constant));        \
    if (__real_##name != nullptr) __real_##name(constant, value);                 \
  }

BYTEGATE_WRAP_COMPARISON(__sanitizer_cov_trace_const_cmp2, uint16_t, int16_t)
BYTEGATE_WRAP_COMPARISON(__sanitizer_cov_trace_const_cmp4, uint32_t, int32_t)
BYTEGATE_WRAP_COMPARISON(__sanitizer_cov_trace_const_cmp8, uint64_t, int64_t)

#undef BYTEGATE_WRAP_COMPARISON
