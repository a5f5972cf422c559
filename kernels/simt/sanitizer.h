#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define BYTEGATE_SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BYTEGATE_SIMT_ASAN 1
#endif
#endif

#ifdef BYTEGATE_SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// What AddressSanitizer must be told about fibers and guards; nothing in other builds.
namespace bytegate::simt::sanitizer {

#ifdef BYTEGATE_SIMT_ASAN
inline constexpr bool kActive = true;
inline void start_switch(void** fake_stack, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
inline void finish_switch(void* fake_stack, const void** old_bottom, std::size_t* old_bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, old_bottom, old_bytes);
}
inline void poison(const void* begin, std::size_t bytes) {
  __asan_poison_memory_region(begin, bytes);
}
inline void unpoison(const void* begin, std::size_t bytes) {
  __asan_unpoison_memory_region(begin, bytes);
}
#else
inline constexpr bool kActive = false;
inline void start_switch(void**, const void*, std::size_t) {}
inline void finish_switch(void*, const void**, std::size_t*) {}
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

}  // namespace bytegate::simt::sanitizer
