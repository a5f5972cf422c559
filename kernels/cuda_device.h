// Device 0 as one cuda backend uses it: a context, one stream, a pool of slots, waiting with a time
// limit, and the way back after a fault.
//
// A fault (an illegal address, a trap, a failed assertion) poisons the context: every call after it
// fails. recover() makes another context and starts a new epoch: what was launched, allocated or
// created in an earlier one is gone. Kernels load again by themselves; a candidate that keeps
// streams or device memory of its own between calls does not survive it.
//
// A kernel that does not end cannot be stopped from inside the process. wait() gives up on it after
// the time limit; from then on the device is unusable, and nothing on it is ever freed.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/cuda_context.h"
#include "kernels/cuda_memory.h"

namespace bytegate {

constexpr std::chrono::milliseconds kLaunchTimeLimit = std::chrono::seconds(20);
constexpr size_t kRoundBytes = size_t{64} << 20;
constexpr size_t kMaxSlotBytes = size_t{16} << 30;

struct CudaLimits {
  // How long waiting for launched work may last.
  std::chrono::milliseconds launch_time = kLaunchTimeLimit;
  // Cases that together need more than this are run in several rounds.
  size_t round_bytes = kRoundBytes;
  // More than this is not tried: as much is pinned on the host, twice.
  size_t max_slot_bytes = kMaxSlotBytes;
};

class CudaDevice;

// A slot of the pool until destruction. Nothing may use the slot's memory by then.
class CudaSlotLease {
 public:
  CudaSlotLease() = default;
  CudaSlotLease(CudaDevice& device, CudaSlot& slot);
  CudaSlotLease(CudaSlotLease&& other) noexcept;
  CudaSlotLease& operator=(CudaSlotLease&& other) noexcept;
  ~CudaSlotLease() { give_back(); }

  [[nodiscard]] CudaSlot* get() const { return slot_; }
  CudaSlot* operator->() const { return slot_; }
  void give_back();

 private:
  CudaDevice* device_ = nullptr;
  CudaSlot* slot_ = nullptr;
  uint64_t epoch_ = 0;
};

class CudaDevice {
 public:
  struct Result {
    std::unique_ptr<CudaDevice> device;  // null: absent
    std::string absent_reason;
  };
  static Result open(const CudaLimits& limits);
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  ~CudaDevice();

  // "NVIDIA H200, 132 SMs, CUDA runtime 13.0, driver 13.0"
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const CudaLimits& limits() const { return limits_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] uint64_t epoch() const { return epoch_; }
  // Why nothing can run any more; empty: it can.
  [[nodiscard]] const std::string& unusable() const { return unusable_; }

  // Makes the device's context current on this thread. First of all on every entry from outside.
  void enter();

  // A slot of at least `bytes`. On an error the lease is empty.
  CudaOutcome acquire(size_t bytes, CudaSlotLease& lease);
  // What `status` means for the device.
  CudaOutcome judge(const CudaStatus& status);
  // Whether the context is lost.
  CudaOutcome check_context();

  CudaOutcome wait(cudaEvent_t event);
  // Waits for everything launched so far.
  CudaOutcome quiesce();
  // To be called before every call of a candidate's run(): keeps the host from running so far ahead
  // that a launch itself would wait for the device, for ever if a kernel hangs.
  CudaOutcome before_run();

  // After kFaulted. False: the device is unusable.
  bool recover();

 private:
  friend class CudaSlotLease;
  static constexpr size_t kNumFences = 2;

  explicit CudaDevice(const CudaLimits& limits) : limits_(limits) {}
  CudaStatus make_resources();
  CudaStatus make_stream_and_events();
  CudaStatus probe();
  void abandon();

  CudaLimits limits_;
  std::string description_;
  std::string unusable_;
  uint64_t epoch_ = 1;
  uint64_t num_runs_ = 0;
  CudaContext context_;  // before all that lives in it
  CudaStream stream_;
  CudaEvent idle_;
  CudaEvent fences_[kNumFences];
  std::vector<std::unique_ptr<CudaSlot>> slots_;
  std::vector<CudaSlot*> free_slots_;
};

}  // namespace bytegate
