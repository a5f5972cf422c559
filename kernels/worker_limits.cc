#include "kernels/worker_limits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>

#include "kernels/host_memory.h"

namespace bytegate {
namespace {

constexpr uint64_t kMostByDefault = uint64_t{16} << 30;

// Buffers are filled, copied and compared a few times over, on any machine faster than this.
constexpr int64_t kBytesPerMs = 100000;
// A device shared by many contexts lets each run now and then, and a step waits for its turn.
constexpr int64_t kMsPerStep = 50;

// Buffers, their images, what was read back, and the same as messages, on both sides.
constexpr uint64_t kHeldPerByte = 16;

// What cases come to, all their steps together.
struct CaseSizes {
  int64_t bytes = 0;
  int64_t later_steps = 0;
};

CaseSizes sizes_of(std::span<const Case> cases) {
  CaseSizes sizes;
  for (const Case& c : cases) {
    sizes.later_steps += static_cast<int64_t>(c.later_steps.size());
    for (const Tensor& tensor : c.tensors) {
      const int64_t elements = tensor.present ? num_elements(tensor.shape).value_or(0) : 0;
      sizes.bytes += elements * static_cast<int64_t>(dtype_bytes(tensor.dtype)) *
                     static_cast<int64_t>(c.later_steps.size() + 1);
    }
  }
  return sizes;
}

// The limit of the control group that this process sees itself in.
uint64_t container_bytes() {
  uint64_t least = UINT64_MAX;
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    uint64_t bytes = 0;
    // "max" is no number.
    if (std::ifstream(file) >> bytes) least = std::min(least, bytes);
  }
  return least;
}

}  // namespace

uint64_t resident_bytes(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/statm";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  const char* end = text.data() + std::max<ssize_t>(size, 0);
  // The second number, in pages.
  const char* place = std::find(static_cast<const char*>(text.data()), end, ' ');
  if (place == end) return 0;
  uint64_t num_pages = 0;
  std::from_chars(place + 1, end, num_pages);
  return num_pages * host_page_bytes();
}

uint64_t default_worker_memory_bytes() {
  const uint64_t there_is = std::min<uint64_t>(host_memory_bytes(), container_bytes());
  return std::min(there_is / 2, kMostByDefault);
}

WorkerLimits limits_for(std::span<const Case> cases, const WorkerLimits& least) {
  const CaseSizes sizes = sizes_of(cases);
  return {.time = least.time + std::chrono::milliseconds(sizes.bytes / kBytesPerMs +
                                                         sizes.later_steps * kMsPerStep),
          .memory_bytes = least.memory_bytes + static_cast<uint64_t>(sizes.bytes) * kHeldPerByte};
}

}  // namespace bytegate
