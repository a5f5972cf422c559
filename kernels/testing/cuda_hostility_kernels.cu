#include <cstdio>

#include "kernels/testing/cuda_hostility_kernels.h"

namespace bytegate {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kNumSaved = 64;         // runs that may be on their way at once
constexpr unsigned kNumCounted = 1 << 16;  // runs of a process
constexpr uint64_t kShareNs = 300'000;
constexpr int kFlip = 0x55;

__device__ unsigned char saved_bytes[kNumSaved][kMaxSavedBytes];
__device__ int num_replays[kNumCounted];
__device__ int shared_bytes[kMaxSavedBytes];
__device__ volatile int hostile_sink;

__device__ uint64_t now_ns() {
  uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ void wait_ns(uint64_t duration_ns) {
  const uint64_t end_ns = now_ns() + duration_ns;
  while (now_ns() < end_ns) __nanosleep(1000);
}

__device__ bool is_now(RunSlot slot, Replays when) {
  if (when == Replays::kAll) return true;
  const bool first = num_replays[slot.run % kNumCounted] <= 1;
  return first == (when == Replays::kFirst);
}

__global__ void hostile_read_kernel(const volatile unsigned char* bytes, size_t count) {
  int sum = 0;
  for (size_t i = 0; i < count; ++i) sum += bytes[i];
  hostile_sink = sum;
}

__global__ void hostile_flip_kernel(volatile unsigned char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(bytes[i] ^ kFlip);
}

__global__ void hostile_load_wide_kernel(const unsigned char* address) {
  int wide[4] = {};
  asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
               : "=r"(wide[0]), "=r"(wide[1]), "=r"(wide[2]), "=r"(wide[3])
               : "l"(address));
  // All of them: a load of four whose rest nobody needs is made a load of one.
  hostile_sink = wide[0] ^ wide[1] ^ wide[2] ^ wide[3];
}

__global__ void hostile_count_kernel(RunSlot slot) {
  ++num_replays[slot.run % kNumCounted];
}

__global__ void hostile_save_kernel(RunSlot slot, const unsigned char* from, size_t count,
                                    Replays when) {
  if (!is_now(slot, when)) return;
  unsigned char* saved = saved_bytes[slot.run % kNumSaved];
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) saved[i] = from[i];
}

__global__ void hostile_restore_kernel(RunSlot slot, unsigned char* to, size_t count,
                                       Replays when) {
  if (!is_now(slot, when)) return;
  const unsigned char* saved = saved_bytes[slot.run % kNumSaved];
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = saved[i];
}

__global__ void hostile_add_saved_kernel(RunSlot slot, size_t num_saved, unsigned char* last) {
  const unsigned char* saved = saved_bytes[slot.run % kNumSaved];
  int any = 0;
  for (size_t i = 0; i < num_saved; ++i) any |= saved[i];
  *last = static_cast<unsigned char>(*last ^ any);
}

__global__ void hostile_clear_shared_kernel() {
  for (size_t i = threadIdx.x; i < kMaxSavedBytes; i += blockDim.x) shared_bytes[i] = 0;
}

__global__ void hostile_add_shared_kernel(const unsigned char* bytes, size_t count) {
  wait_ns(kShareNs);
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) {
    atomicAdd(&shared_bytes[i], static_cast<int>(bytes[i]));
  }
}

__global__ void hostile_take_shared_kernel(unsigned char* bytes, size_t count) {
  wait_ns(kShareNs);
  for (size_t i = threadIdx.x; i < count; i += blockDim.x) {
    bytes[i] = static_cast<unsigned char>(shared_bytes[i]);
  }
}

__global__ void hostile_wait_kernel(uint64_t duration_ns) {
  wait_ns(duration_ns);
}

__global__ void hostile_end_kernel(DeviceEnd end, uintptr_t address) {
  switch (end) {
    case DeviceEnd::kLoop:
      while (now_ns() != 0) __nanosleep(1000);
      return;
    case DeviceEnd::kTrap:
      asm volatile("trap;");
      return;
    case DeviceEnd::kLoadMisaligned: {
      // In assembly, since the compiler may take it for two loads of four bytes.
      int64_t held = 0;
      asm volatile("ld.global.s64 %0, [%1];" : "=l"(held) : "l"(address / 8 * 8 + 4));
      hostile_sink = static_cast<int>(held ^ held >> 32);
      return;
    }
    case DeviceEnd::kGoAstray:
      *reinterpret_cast<volatile int*>(uintptr_t{64}) = 7;
      return;
    case DeviceEnd::kPrint:
      printf("hello from a kernel\n");
      return;
  }
}

const unsigned char* raw(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}
unsigned char* raw(std::byte* bytes) {
  return reinterpret_cast<unsigned char*>(bytes);
}
size_t cut(size_t count) {
  return count < kMaxSavedBytes ? count : kMaxSavedBytes;
}

}  // namespace

void launch_read(const DeviceBytes& bytes, cudaStream_t stream) {
  hostile_read_kernel<<<1, 1, 0, stream>>>(raw(bytes.first), bytes.count);
}

void launch_flip(const DeviceBytes& bytes, cudaStream_t stream) {
  hostile_flip_kernel<<<1, 1, 0, stream>>>(raw(bytes.first), bytes.count);
}

void launch_load_wide(const std::byte* address, cudaStream_t stream) {
  hostile_load_wide_kernel<<<1, 1, 0, stream>>>(raw(address));
}

void launch_count(RunSlot slot, cudaStream_t stream) {
  hostile_count_kernel<<<1, 1, 0, stream>>>(slot);
}

void launch_save(RunSlot slot, const DeviceBytes& from, Replays when, cudaStream_t stream) {
  hostile_save_kernel<<<1, kThreads, 0, stream>>>(slot, raw(from.first), cut(from.count), when);
}

void launch_restore(RunSlot slot, const DeviceBytes& to, Replays when, cudaStream_t stream) {
  hostile_restore_kernel<<<1, kThreads, 0, stream>>>(slot, raw(to.first), cut(to.count), when);
}

void launch_add_saved(RunSlot slot, size_t num_saved, const DeviceBytes& to, cudaStream_t stream) {
  hostile_add_saved_kernel<<<1, 1, 0, stream>>>(slot, cut(num_saved), raw(to.first) + to.count - 1);
}

void launch_share(const DeviceBytes& bytes, cudaStream_t stream) {
  const size_t count = cut(bytes.count);
  hostile_clear_shared_kernel<<<1, kThreads, 0, stream>>>();
  hostile_add_shared_kernel<<<1, kThreads, 0, stream>>>(raw(bytes.first), count);
  hostile_take_shared_kernel<<<1, kThreads, 0, stream>>>(raw(bytes.first), count);
}

void launch_wait(uint64_t duration_ns, cudaStream_t stream) {
  hostile_wait_kernel<<<1, 1, 0, stream>>>(duration_ns);
}

void launch_end(DeviceEnd end, const std::byte* address, cudaStream_t stream) {
  hostile_end_kernel<<<1, 1, 0, stream>>>(end, reinterpret_cast<uintptr_t>(address));
}

}  // namespace bytegate
