// Names the buffer that a case went beyond, when all that a device says is that it did: runs the
// case again with one buffer at a time at unmapped pages.
#pragma once

#include <functional>

#include "kernels/backend.h"
#include "kernels/guard_focus.h"

namespace bytegate {

// A backend that outlives faults, as those of kernels/process_backend.h do.
using FocusedFactory = std::function<MadeBackend(const GuardFocus&)>;

// `focused({})`, whose results have RunResult::trespass where a case that stands at unmapped pages
// faulted, and faults again at one of its buffers alone. A read is told from a write by whether
// anything has changed once there is memory where the guard was.
MadeBackend make_naming_backend(FocusedFactory focused);

}  // namespace bytegate
