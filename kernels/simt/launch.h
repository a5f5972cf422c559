#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bytegate::simt {

// Extents or an index, as CUDA's dim3. A zero extent is refused at launch.
struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;

  constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

inline constexpr unsigned kWarpLanes = 32;
inline constexpr unsigned kMaxBlockLanes = 1024;
inline constexpr std::size_t kDefaultSharedBytes = 48 * 1024;

// One launch. `name` appears in messages and must outlive the launch.
struct LaunchConfig {
  std::string_view name = "kernel";
  Dim3 grid{};                           // x <= 2^31-1, y and z <= 65535
  Dim3 block{};                          // x and y <= 1024, z <= 64, at most 1024 lanes in all
  std::size_t dynamic_shared_bytes = 0;  // what dynamic_shared<T>() points at
  std::size_t shared_limit_bytes = 0;    // static + dynamic; 0 takes the executor's option; above
                                         // 48 KiB is the opt-in, up to shared_optin_bytes(arch)
};

struct ExecutorOptions {
  std::uint64_t seed = 0;  // 0: lanes and blocks in natural order; else both permuted by the seed,
                           // and atomics and barriers become places where other lanes may go first
  int arch = 90;           // 80, 86, 89, 90, 100 or 120
  std::size_t shared_limit_bytes = kDefaultSharedBytes;
  std::uint8_t shared_poison = 0xA5;  // every byte of shared memory before a block
  std::uint64_t max_switches = std::uint64_t{1} << 32;       // lane switches of one launch
  std::uint64_t max_idle_switches = std::uint64_t{1} << 24;  // of spinning lanes, nothing changing
  std::size_t stack_bytes = 64 * 1024;  // per lane, rounded up to pages; four times this under ASan
  std::size_t max_resident_lanes = 64 * 1024;  // a further block starts only below this many
  unsigned concurrent_blocks = 1;  // blocks kept running together; more start when these only spin
};

// The most shared memory one block may opt into, or 0 for an architecture outside the list above.
constexpr std::size_t shared_optin_bytes(int arch) {
  switch (arch) {
    case 80:
      return 163 * 1024;
    case 86:
    case 89:
    case 120:
      return 99 * 1024;
    case 90:
    case 100:
      return 227 * 1024;
    default:
      return 0;
  }
}

// What the last launch cost. Deterministic for a given kernel, launch and seed.
struct LaunchStats {
  std::uint64_t num_switches = 0;
  std::uint64_t num_blocks = 0;           // that finished
  std::uint64_t max_resident_blocks = 0;  // at one time
};

}  // namespace bytegate::simt
