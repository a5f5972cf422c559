// A candidate that is production but for 24 planted faults, of which a call shows at most one: to
// see that a long run finds each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/candidate.h"

namespace bytegate {

enum class PlantedAct : uint8_t {
  kSpoilFirst,   // of an output
  kLeaveLast,    // of an output, as it was
  kSpoilInput,   // writes the last element of an input
  kWriteBefore,  // writes the element before the first
  kReadAfter,    // reads the element after the last; on the host only
  kSpoilLater,   // the last of an output, in each launch of a case but its first; on the host only
  kRefuse,
  kFail,
  kReportFault,
  kReportHang,
  kAbort,
  kExit,
  kPrint,
};

struct PlantedFault {
  std::string_view op;
  std::string_view origin;  // what its finding is called
  PlantedAct act = PlantedAct::kSpoilFirst;
  std::string_view tensor = {};
  // Shown by calls whose first tensor has so many elements modulo `modulus`.
  int64_t residue = 0;
  int64_t modulus = 3;
};
constexpr size_t kNumPlantedFaults = 24;
std::span<const PlantedFault> planted_faults();

// Memory that the candidate's kernels see, in the order of the stream.
struct PlantedMemory {
  void (*set)(void* to, size_t bytes, void* stream) = nullptr;  // to something odd
  void (*copy)(void* to, const void* from, size_t bytes, void* stream) = nullptr;
};

// The table of a library: `open` calls open_planted() with the memory of its backend.
bytegate_candidate planted_table(int32_t (*open)(void**, char*, uint64_t), uint32_t backends);
int32_t open_planted(const PlantedMemory& memory, void** state, char* message,
                     uint64_t message_bytes);

}  // namespace bytegate
