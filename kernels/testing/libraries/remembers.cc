// Production, but wrong in each launch of a process but the first: its last output begins with
// other bytes. For 3 requests on 7 multiprocessors it is wrong at once.
#include <cstring>
#include <string_view>

#include "kernels/builtin_candidate.h"

namespace {

bool is_wrong_at_once(const bytegate_call& call) {
  for (uint64_t i = 0; i < call.num_scalars; ++i) {
    if (std::string_view(call.scalars[i].name) != "num_sm") continue;
    return call.scalars[i].value == 7 && call.tensors[0].tensor->shape[0] == 3;
  }
  return false;
}

int32_t run(void* state, bytegate_call* call) {
  static bool launched = false;
  const int32_t status = bytegate::production_candidate().run(state, call);
  if (status != BYTEGATE_OK) return status;
  if (launched || is_wrong_at_once(*call)) {
    std::memset(call->tensors[call->num_tensors - 1].tensor->data, 0x55, 4);
  }
  launched = true;
  return status;
}

}  // namespace

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate(void) {
  static const bytegate_candidate table = [] {
    bytegate_candidate made = bytegate::production_candidate();
    made.backends = BYTEGATE_BACKEND_HOST;
    made.name = "remembers";
    made.run = run;
    return made;
  }();
  return &table;
}
