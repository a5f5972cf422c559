// What a hostile candidate does to its process, or with the SIMT executor.
#pragma once

#include <string>

#include "kernels/candidate.h"
#include "kernels/testing/hostile_candidate.h"

namespace bytegate {

// What the call is to be answered with; mostly there is no return.
int32_t act_on_process(Hostility hostility, bytegate_call* call);
int32_t act_on_executor(Hostility hostility, bytegate_call* call);

// "abort", for code in a file abort.so.
std::string own_library_name();

}  // namespace bytegate
