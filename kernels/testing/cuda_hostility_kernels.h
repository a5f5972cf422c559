// What hostile candidates launch beside production's kernels. Nothing here waits, and a launch that
// fails is the caller's to ask about.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace bytegate {

// Device memory.
struct DeviceBytes {
  std::byte* first = nullptr;
  size_t count = 0;
};

// Memory of the device's own for what one run keeps.
struct RunSlot {
  uint64_t run = 0;
};
constexpr size_t kMaxSavedBytes = 16384;  // what is longer is cut off

// Which launch of a captured run does something, counted from 1.
enum class Replays : uint8_t { kAll, kFirst, kLater };

enum class DeviceEnd : uint8_t { kLoop, kTrap, kLoadMisaligned, kGoAstray, kPrint };

void launch_read(const DeviceBytes& bytes, cudaStream_t stream);
void launch_flip(const DeviceBytes& bytes, cudaStream_t stream);
// One load of 16 bytes.
void launch_load_wide(const std::byte* address, cudaStream_t stream);

// Counts a replay of the run; the others ask for its number.
void launch_count(RunSlot slot, cudaStream_t stream);
void launch_save(RunSlot slot, const DeviceBytes& from, Replays when, cudaStream_t stream);
void launch_restore(RunSlot slot, const DeviceBytes& to, Replays when, cudaStream_t stream);
// Into the last byte, any bit of the first `num_saved` saved ones.
void launch_add_saved(RunSlot slot, size_t num_saved, const DeviceBytes& to, cudaStream_t stream);

// Through memory that all runs share: right only while no other run does the same.
void launch_share(const DeviceBytes& bytes, cudaStream_t stream);
void launch_wait(uint64_t duration_ns, cudaStream_t stream);
// `address` is anywhere in a buffer.
void launch_end(DeviceEnd end, const std::byte* address, cudaStream_t stream);

}  // namespace bytegate
