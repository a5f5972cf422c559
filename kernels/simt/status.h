#pragma once

#include <cstdint>
#include <string>

namespace bytegate::simt {

// Why a launch failed. A closed set: everything the executor can notice has its own name.
enum class Error : std::uint8_t {
  kNone,
  kBadLaunch,             // dimensions, architecture, alignment or thread that CUDA would refuse
  kSharedMemoryLimit,     // static plus dynamic shared memory over the launch's limit
  kOutOfMemory,           // the host cannot provide the lanes' stacks
  kBarrierDivergence,     // lanes of a block at different barriers, or at a barrier and elsewhere
  kDeadlock,              // nothing but spinning lanes, and nothing they could be waiting for moves
  kCollectiveLeft,        // a lane that a collective names has exited
  kBadMask,               // own bit missing, lanes that do not exist, or masks that do not agree
  kMismatchedCollective,  // lanes of one mask at different operations
  kMisalignedAccess,      // a vector or atomic access off its natural alignment
  kSharedOverrun,         // a guard around the block's shared memory was written
  kReuseHazard,           // a collective's storage used again without __syncthreads between
  kHang,                  // ExecutorOptions::max_switches exceeded
  kStackOverflow,         // a lane ran over the low end of its stack
  kException,             // a C++ exception left the kernel body
};

// "barrier divergence" and so on; "ok" for kNone. Never null.
const char* error_name(Error error);

// The outcome of a launch. `message` is empty when ok; otherwise it begins with error_name and
// names the kernel, the block, the lanes and what they were waiting at.
struct [[nodiscard]] Status {
  Error error = Error::kNone;
  std::string message;

  bool ok() const { return error == Error::kNone; }
};

}  // namespace bytegate::simt
