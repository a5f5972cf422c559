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
inline constexpr std::size_t kKibibyte = 1024;
inline constexpr std::size_t kDefaultSharedBytes = 48 * kKibibyte;

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
  // 0: lanes and blocks in natural order. Else both permuted by the seed, and atomics and barriers
  // become places where other lanes may go first.
  std::uint64_t seed = 0;
  // 80, 86, 89, 90, 100 or 120.
  int arch = 90;
  // Static plus dynamic, for launches that do not say; see LaunchConfig.
  std::size_t shared_limit_bytes = kDefaultSharedBytes;
  // Every byte of shared memory before a block, and of results that CUDA leaves undefined.
  std::uint8_t shared_poison = 0xA5;
  // Lane switches of one launch before it counts as a hang; some 10 ns each.
  std::uint64_t max_switches = std::uint64_t{1} << 32;
  // Switches between spinning lanes, with nothing changing, before that counts as a deadlock.
  std::uint64_t max_idle_switches = std::uint64_t{1} << 24;
  // Per lane, rounded up to pages; four times this under AddressSanitizer.
  std::size_t stack_bytes = 64 * kKibibyte;
  // A further block starts only below this many.
  std::size_t max_resident_lanes = std::size_t{1} << 16;
  // Blocks kept running together; more start when these only spin.
  unsigned concurrent_blocks = 1;
};

// The most shared memory one block may opt into, or 0 for an architecture outside the list above.
constexpr std::size_t shared_optin_bytes(int arch) {
  switch (arch) {
    case 80:
      return 163 * kKibibyte;
    case 86:
    case 89:
    case 120:
      return 99 * kKibibyte;
    case 90:
    case 100:
      return 227 * kKibibyte;
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
