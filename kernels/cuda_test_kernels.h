// A candidate for the tests of the cuda backend: right, or wrong in one way at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/candidate.h"

namespace bytegate {

// Value of the scalar `behaviour`.
enum class TestBehaviour : int64_t {
  kRight = 0,
  kPastEnd,         // writes one element past the last of `table`
  kInputChanged,    // flips a bit of values[0]
  kLastMissing,     // leaves the last element of `table` alone
  kIllegalAddress,  // writes to an address of nobody
  kTrap,            // the kernel traps
  kBadLaunch,       // launches with too many threads and claims success
  kCheckedLaunch,   // the same, but reports it
  kSpin,            // the kernel runs for kTestSpinSeconds
  kStray,           // writes table[stray_idx] as well
  kRefuse,          // returns BYTEGATE_INVALID_ARGUMENT
  kUnsupported,     // `supports` says no
  kSynchronise,     // waits for the stream after the launch
  kDefaultStream,   // launches on the legacy default stream
  kHog,             // takes all device memory but kTestSpareBytes, while its process lives
};
// Larger ones are other candidates' (kernels/testing/hostile_cuda.h).
constexpr int64_t kMaxTestBehaviour = 199;
constexpr size_t kTestSpareBytes = size_t{512} << 20;
constexpr int kTestSpinSeconds = 5;
constexpr int64_t kTestColumns = 4;
constexpr const char* kTestPath = "two_kernels";

// table[i][k] = values[i] + offsets[i] + k, modulo 2^32, by way of the workspace if it has room
// for an int32 per row. Scalars behaviour, stray_idx, workspace_bytes; tensors values int32 [N],
// offsets int64 [N], table int32 [N][kTestColumns].
const bytegate_candidate& cuda_test_candidate();

}  // namespace bytegate
