#include "kernels/simt/status.h"

namespace bytegate::simt {

const char* error_name(Error error) {
  switch (error) {
    case Error::kNone:
      return "ok";
    case Error::kBadLaunch:
      return "bad launch";
    case Error::kSharedMemoryLimit:
      return "shared memory limit";
    case Error::kOutOfMemory:
      return "out of memory";
    case Error::kBarrierDivergence:
      return "barrier divergence";
    case Error::kDeadlock:
      return "deadlock";
    case Error::kCollectiveLeft:
      return "collective left";
    case Error::kBadMask:
      return "bad mask";
    case Error::kMismatchedCollective:
      return "mismatched collective";
    case Error::kMisalignedAccess:
      return "misaligned access";
    case Error::kSharedOverrun:
      return "shared overrun";
    case Error::kReuseHazard:
      return "reuse hazard";
    case Error::kHang:
      return "hang";
    case Error::kStackOverflow:
      return "stack overflow";
    case Error::kException:
      return "exception";
  }
  return "?";
}

}  // namespace bytegate::simt
