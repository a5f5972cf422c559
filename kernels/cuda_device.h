// Device 0 as one in-process cuda backend uses it: one stream, and a pool of slots.
//
// After a fault (an illegal address, a trap, a failed assertion) every call fails, in this context
// and in any other of the process. The device is lost then, and says so; only another process gets
// it back. A kernel that does not end keeps whoever waits for it, for ever: that, too, is for
// another process to see.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda_check.h"
#include "kernels/cuda_guarded_memory.h"
#include "kernels/cuda_memory.h"
#include "kernels/guard_focus.h"

namespace bytegate {

constexpr size_t kRoundBytes = size_t{64} << 20;
constexpr size_t kMaxSlotBytes = size_t{16} << 30;

struct CudaLimits {
  // Cases that together need more than this are run in several rounds.
  size_t round_bytes = kRoundBytes;
  // More than this is not tried: as much is pinned on the host, twice.
  size_t max_slot_bytes = kMaxSlotBytes;
  // In modes that have buffers stand at unmapped pages: which ones.
  GuardFocus guard_focus = {};
  // Every case by itself, each buffer an allocation of exactly its bytes; and whether outputs and
  // workspace are left unwritten in it.
  bool separate_buffers = false;
  bool leave_unwritten = false;
};

// A slot of the pool until destruction. Nothing may use the slot's memory by then.
class CudaSlotLease {
 public:
  CudaSlotLease() = default;
  // The slot goes back to `home`.
  CudaSlotLease(std::vector<CudaSlot*>& home, CudaSlot& slot) : home_(&home), slot_(&slot) {}
  CudaSlotLease(CudaSlotLease&& other) noexcept;
  CudaSlotLease& operator=(CudaSlotLease&& other) noexcept;
  ~CudaSlotLease();

  [[nodiscard]] CudaSlot* get() const { return slot_; }
  CudaSlot* operator->() const { return slot_; }

 private:
  std::vector<CudaSlot*>* home_ = nullptr;
  CudaSlot* slot_ = nullptr;
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

  // "NVIDIA H200, 132 SMs, CUDA runtime 13.0, driver 13.0"
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const CudaLimits& limits() const { return limits_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }
  [[nodiscard]] CudaGuardPool& guards() { return guards_; }
  // The error that the device was lost with; empty: it is not.
  [[nodiscard]] const std::string& lost() const { return lost_; }

  // A slot of at least `bytes`. On an error the lease is empty. Those for decoys are nowhere else
  // in use, so that an address that was seen in one is never right later.
  enum class SlotUse : uint8_t { kCase, kDecoy };
  CudaOutcome acquire(size_t bytes, CudaSlotLease& lease, SlotUse use = SlotUse::kCase);
  // What `status` means for the device.
  CudaOutcome judge(const CudaStatus& status);
  // Whether the device is lost, by whomever.
  CudaOutcome check();

  // Memory of the device, whoever uses it, and what this backend holds of it for use again.
  struct Memory {
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    size_t held_bytes = 0;
  };
  CudaStatus ask_memory(Memory& memory) const;
  // Whether so little is left that nothing more can be had. All that costs anything is done when
  // little is left.
  [[nodiscard]] bool memory_is_full(const Memory& memory) const;

  CudaOutcome wait(cudaEvent_t event);
  // Waits for everything that anybody launched in this process.
  CudaOutcome quiesce();

 private:
  explicit CudaDevice(const CudaLimits& limits) : limits_(limits) {}
  CudaStatus make_resources();
  CudaOutcome lose(const CudaStatus& status);

  CudaLimits limits_;
  std::string description_;
  std::string lost_;
  CudaStream stream_;
  CudaGuardPool guards_;
  std::vector<std::unique_ptr<CudaSlot>> slots_;
  std::vector<CudaSlot*> free_slots_;
  std::vector<CudaSlot*> free_decoys_;
};

}  // namespace bytegate
