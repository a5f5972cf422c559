// Where candidates run. A backend takes a span of cases at once, because one upload, launch,
// download and wait per case costs far more than the launch: all of them share one arena.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/element_set.h"
#include "oracles/case.h"

namespace bytegate {

class Candidate;  // kernels/candidate_handle.h

enum class RunStatus : uint8_t {
  kDone,         // every step ran
  kRefused,      // answered by BYTEGATE_INVALID_ARGUMENT
  kFailed,       // answered by another error status
  kUnsupported,  // the candidate declared beforehand that it does not take the case
  kFault,        // something that no GPU allows, a device fault, or death by a signal
  kExited,       // the candidate ended the process
  kHung,         // the kernel cannot end, or the case did not within its time
  kExhausted,    // no memory for the buffers, or the candidate took more than it may
  kVacuous,      // the call fault cannot be expressed (no workspace to shorten)
  kTookShort,    // mode short_workspace: the workspace that is too short was not refused
  kNoisy,        // ran, and wrote to stdout or stderr
  kLost,         // the device or worker was lost before this case had a result
};
constexpr RunStatus kLastRunStatus = RunStatus::kLost;

// Bytes that changed although no candidate may change them, or that lie beside a buffer, where an
// access was stopped.
struct Damage {
  enum class Kind : uint8_t {
    kGuard,  // changed beside a buffer
    kGap,    // changed between the elements of a tensor
    kInput,  // changed in an input
    kRead,   // stopped: a read beside a buffer, or one that may be a read
    kWrite,  // stopped: a write beside a buffer, or into an input
  } kind = Kind::kGuard;
  int tensor = -1;          // index into Op::tensors; -1: the workspace
  int64_t byte_offset = 0;  // from the first byte of the tensor; negative: before it
};

struct StepResult {
  Outputs outputs;
  std::vector<ElementSet> untouched;  // per tensor: output elements that still hold their poison
  std::optional<Damage> damage;
};

struct RunResult {
  RunStatus status = RunStatus::kRefused;
  std::string message = {};
  std::string path = {};  // the dispatch path taken; empty: the candidate does not say
  // When done, one per launch (see launched_steps). When refused: one with damage if bytes changed
  // all the same, else none.
  std::vector<StepResult> steps = {};
  // Of a fault: the access that was stopped at an unmapped page, when it could be named.
  std::optional<Damage> trespass = std::nullopt;
};

// Launched work. Collecting waits for it; it must happen before the backend or the cases go.
class Submission {
 public:
  Submission() = default;
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;
  virtual ~Submission() = default;
  // One result per case, in order. Called once.
  virtual std::vector<RunResult> collect() = 0;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual BackendKind kind() const = 0;
  // What runs the kernels, for reports: "NVIDIA H200, CUDA 13.0" or "SIMT executor".
  [[nodiscard]] virtual std::string description() const = 0;
  // `cases` are well formed and outlive the submission; so does the candidate.
  virtual std::unique_ptr<Submission> submit(Candidate& candidate, std::span<const Case> cases) = 0;
};

struct BackendOptions {
  int arch = 90;                              // host: whose limits the executor applies
  uint64_t max_switches = uint64_t{1} << 30;  // host: lane switches until a launch counts as hung
  // Backends in a process of their own: how long a submission may take, and, once it took longer,
  // each of its cases by itself; more for large tensors, which are moved at 100 MB/s or faster, and
  // 50 ms more for each later step.
  std::chrono::milliseconds case_limit = std::chrono::seconds(20);
  // What such a process may come to hold beyond what the cases themselves need; 0: half of the
  // memory that there is, and at most 16 GiB.
  uint64_t worker_memory_bytes = 0;
  // Asked now and then while such a process is waited for, by any thread. Once it is true, cases
  // that have no result are kLost, and none is run again.
  std::function<bool()> give_up = nullptr;
};

// A backend, or why there is none.
struct MadeBackend {
  std::unique_ptr<Backend> backend;
  std::string absent_reason;
};
using CudaBackendResult = MadeBackend;

// Never null. The host backend is always there. What a candidate does to this process, it does.
std::unique_ptr<Backend> make_host_backend(const BackendOptions& options);
// The same in a process of its own: a candidate that crashes, exits or never returns is a result.
MadeBackend make_isolated_host_backend(const BackendOptions& options);

// The cuda backend on device 0, or why there is none (not built in, no driver, no device). It is in
// a process of its own, because a device fault ends all CUDA in the process that it happens in;
// kernels/process_backend.h says what that asks of the caller.
CudaBackendResult make_cuda_backend(const BackendOptions& options);
// The same in this very process, where a checker of memory sees it: each case by itself, each of
// its buffers an allocation of exactly its bytes; on `leave_unwritten`, outputs and workspace are
// not filled before the launch, and only elements that the contract states are looked at.
MadeBackend make_bare_cuda_backend(bool leave_unwritten);

}  // namespace bytegate
