#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace bytegate::simt {

// For the length of a launch: the default floating-point environment with every sticky exception
// flag raised. A switch between fibers reloads the control register, which costs some 50 ns when
// the value differs; with all flags raised already, no arithmetic of a lane can make it differ.
// The caller's environment is put back afterwards.
class LaunchFloatState {
 public:
#if defined(__SSE__)
  LaunchFloatState() : caller_(_mm_getcsr()) {
    _mm_setcsr(kDefault | kAllFlags);
  }
  ~LaunchFloatState() {
    _mm_setcsr(caller_);
  }
#else
  LaunchFloatState() = default;
  ~LaunchFloatState() = default;
#endif
  LaunchFloatState(const LaunchFloatState&) = delete;
  LaunchFloatState& operator=(const LaunchFloatState&) = delete;

#if defined(__SSE__)
 private:
  static constexpr unsigned kDefault = 0x1F80;  // all exceptions masked, round to nearest
  static constexpr unsigned kAllFlags = 0x3F;

  unsigned caller_;
#endif
};

}  // namespace bytegate::simt
