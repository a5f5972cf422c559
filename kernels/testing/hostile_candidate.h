// A candidate that computes what production computes, and does one thing beside it that no byte of
// an output shows. Works on any operation, from the call alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/candidate_handle.h"

namespace bytegate {

enum class Hostility : uint8_t {
  kNone,
  // On a tensor.
  kReadAfter,
  kReadBefore,
  kWriteAfter,
  kWriteBefore,
  kWriteFarAfter,
  kWriteGap,
  kWriteInput,
  kLeaveLast,       // the last element keeps what it held
  kLeaveLastAgain,  // the same from the second run on
  kAddOldOutput,
  kAddOldWorkspace,
  kWrongWhenUnaligned,
  kWrongSecondTime,
  // On the workspace.
  kReadAfterWorkspace,
  kWriteAfterWorkspace,
  kWriteBeforeWorkspace,
  kTakeShortWorkspace,
  // On the answer.
  kRefuse,
  kFail,
  kAnswerNonsense,
  kNameWildPath,
  // On the process.
  kAbort,
  kThrow,
  kExitZero,
  kCrash,
  kWildWrite,
  kOverflowStack,
  kTrap,
  kKillItself,
  kFreeTwice,
  kLoop,
  kSleep,
  kPrint,
  kComplain,  // on stderr
  kTakeAllMemory,
  // On the SIMT executor.
  kDivergeAtBarrier,
  kWaitForNobody,
  kOverrunSharedMemory,
  kLoadMisaligned,
  kNumHostilities,
};

// "read_after"; nothing for another name.
std::string_view hostility_name(Hostility hostility);
std::optional<Hostility> hostility_of_name(std::string_view name);

// `tensor` is an index into Op::tensors, and has elements, and a gap where that is what counts.
std::unique_ptr<Candidate> open_hostile(Hostility hostility, int tensor = -1);
// The table of one whose hostility is the name of the library it is in: on the first tensor where
// that is about inputs, else on the last.
const bytegate_candidate& hostile_library_candidate();

}  // namespace bytegate
