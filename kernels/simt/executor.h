#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/simt/launch.h"
#include "kernels/simt/status.h"

namespace bytegate::simt {

class Scheduler;

// Type-erased kernel body; Executor::launch fills it.
struct KernelBody {
  void* callable = nullptr;
  void (*invoke)(void* callable, void* shared) = nullptr;
  std::size_t shared_bytes = 0;
  std::size_t shared_alignment = 1;
};

// Shared memory of a kernel that has none.
struct NoShared {};

// Runs CUDA kernel source on the calling thread, one fiber per CUDA thread ("lane").
//
// A lane runs until it must wait (barrier, collective) or yields (fence, nanosleep, some atomics).
// A block starts when the blocks before it have finished or do nothing but spin, so that a grid of
// any size runs in the memory of its resident blocks. Stacks, fibers and blocks are kept for the
// next launch, which in the steady state allocates nothing.
//
// One executor belongs to one OS thread, the one that made it; several threads take one each.
// Lanes run in the default floating-point environment, the caller's is restored. A lane that loops
// without ever waiting or yielding cannot be stopped; whoever runs such kernels needs a process.
// The kernel body must not swallow exceptions (catch (...)) nor call the executor's names from a
// noexcept function: lanes of a failed launch are unwound by one, so their destructors run. After
// a stack overflow nothing is unwound; stacks are dropped and the executor stays usable.
class Executor {
 public:
  explicit Executor(const ExecutorOptions& options = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Runs body(Shared&) once per lane and returns when every block has finished or one has failed.
  // `Shared` is what the CUDA wrapper declares __shared__: trivial, aligned to at most 128 bytes;
  // each block finds its own, every byte poisoned. Throws nothing; refused inside a launch of the
  // same executor.
  template <typename Shared, typename Body>
  Status launch(const LaunchConfig& config, Body&& body) {
    static_assert(std::is_trivially_default_constructible_v<Shared> &&
                      std::is_trivially_destructible_v<Shared>,
                  "CUDA runs no constructors in shared memory");
    static_assert(alignof(Shared) <= 128);
    using Callable = std::remove_reference_t<Body>;
    const KernelBody kernel{
        .callable = const_cast<void*>(static_cast<const void*>(std::addressof(body))),
        .invoke =
            [](void* callable, void* shared) {
              (*static_cast<Callable*>(callable))(*static_cast<Shared*>(shared));
            },
        .shared_bytes = std::is_empty_v<Shared> ? 0 : sizeof(Shared),
        .shared_alignment = alignof(Shared)};
    return run(config, kernel);
  }

  // The same for a kernel without static shared memory: body().
  template <typename Body>
  Status launch(const LaunchConfig& config, Body&& body) {
    return launch<NoShared>(config, [&body](NoShared&) { body(); });
  }

  // Takes effect with the next launch; pooled stacks stay.
  void set_seed(std::uint64_t seed);

  const ExecutorOptions& options() const;

  // Of the last launch, also of a failed one.
  const LaunchStats& stats() const;

 private:
  Status run(const LaunchConfig& config, const KernelBody& kernel);

  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace bytegate::simt
