#include "kernels/cuda_device.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

// A device queue holds about a thousand launches. At most kFenceInterval times two candidates' runs
// are in it, so each may launch four kernels.
constexpr uint64_t kFenceInterval = 128;
// An event is polled without pause for so long, and then at this interval.
constexpr std::chrono::microseconds kSpin{200};
constexpr std::chrono::microseconds kPause{20};

// 13000 is version 13.0.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

struct Versions {
  int runtime = 0;
  int driver = 0;
};

// Why there is no device to use; empty: there is one.
std::string absent_reason(Versions& versions) {
  const CudaStatus runtime =
      cuda_call("cudaRuntimeGetVersion", cudaRuntimeGetVersion(&versions.runtime));
  if (!runtime.ok()) return runtime.text();
  const CudaStatus driver =
      cuda_call("cudaDriverGetVersion", cudaDriverGetVersion(&versions.driver));
  if (!driver.ok()) return driver.text();
  if (versions.driver == 0) return "no CUDA driver is installed";
  int num_devices = 0;
  const CudaStatus count = cuda_call("cudaGetDeviceCount", cudaGetDeviceCount(&num_devices));
  if (count.error == cudaErrorInsufficientDriver) {
    return "the CUDA driver (" + version_text(versions.driver) +
           ") is too old for the CUDA runtime (" + version_text(versions.runtime) + ")";
  }
  if (count.error == cudaErrorNoDevice || (count.ok() && num_devices == 0)) {
    return "the CUDA driver finds no device";
  }
  return count.ok() ? "" : count.text();
}

}  // namespace

CudaSlotLease::CudaSlotLease(CudaDevice& device, CudaSlot& slot)
    : device_(&device), slot_(&slot), epoch_(device.epoch()) {}

CudaSlotLease::CudaSlotLease(CudaSlotLease&& other) noexcept
    : device_(other.device_), slot_(std::exchange(other.slot_, nullptr)), epoch_(other.epoch_) {}

CudaSlotLease& CudaSlotLease::operator=(CudaSlotLease&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  device_ = other.device_;
  slot_ = std::exchange(other.slot_, nullptr);
  epoch_ = other.epoch_;
  return *this;
}

void CudaSlotLease::give_back() {
  CudaSlot* slot = std::exchange(slot_, nullptr);
  // The slots of an earlier epoch are gone.
  if (slot == nullptr || epoch_ != device_->epoch()) return;
  device_->free_slots_.push_back(slot);
}

CudaDevice::Result CudaDevice::open(const CudaLimits& limits) {
  Versions versions;
  if (std::string reason = absent_reason(versions); !reason.empty()) return {nullptr, reason};
  std::unique_ptr<CudaDevice> device(new CudaDevice(limits));
  const CudaStatus made = device->make_resources();
  if (!made.ok()) return {nullptr, "device 0 cannot be used: " + made.text()};
  cudaDeviceProp properties{};
  const CudaStatus asked =
      cuda_call("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, 0));
  if (!asked.ok()) return {nullptr, asked.text()};
  device->description_ = std::string(properties.name) + ", " +
                         std::to_string(properties.multiProcessorCount) + " SMs, CUDA runtime " +
                         version_text(versions.runtime) + ", driver " +
                         version_text(versions.driver);
  return {std::move(device), ""};
}

CudaDevice::~CudaDevice() {
  if (unusable_.empty()) {
    enter();
  } else {
    abandon();
    context_.abandon();
  }
}

void CudaDevice::enter() {
  // An error would come back from the next call.
  static_cast<void>(context_.enter());
}

CudaStatus CudaDevice::make_resources() {
  CudaStatus status = context_.create();
  if (status.ok()) status = make_stream_and_events();
  return status.ok() ? probe() : status;
}

CudaStatus CudaDevice::make_stream_and_events() {
  // Non-blocking, as an engine's streams are: a launch on the default stream by mistake is not put
  // in order behind the upload.
  CudaStatus status = cuda_call("cudaStreamCreateWithFlags",
                                cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
  const auto make_event = [](CudaEvent& event) {
    return cuda_call("cudaEventCreateWithFlags",
                     cudaEventCreateWithFlags(event.out(), cudaEventDisableTiming));
  };
  if (status.ok()) status = make_event(idle_);
  for (CudaEvent& fence : fences_) {
    if (status.ok()) status = make_event(fence);
  }
  return status;
}

// A context may be made and still not work, so that work has to be done on it.
CudaStatus CudaDevice::probe() {
  constexpr size_t kBytes = 4096;
  CudaDeviceBuffer scratch;
  CudaStatus status = scratch.ensure(kBytes);
  if (!status.ok()) return status;
  status = cuda_call("cudaMemsetAsync", cudaMemsetAsync(scratch.data(), 0, kBytes, stream()));
  if (!status.ok()) return status;
  return cuda_call("cudaStreamSynchronize", cudaStreamSynchronize(stream()));
}

void CudaDevice::abandon() {
  stream_.abandon();
  idle_.abandon();
  for (CudaEvent& fence : fences_) fence.abandon();
  for (const auto& slot : slots_) slot->abandon();
  slots_.clear();
  free_slots_.clear();
}

CudaOutcome CudaDevice::acquire(size_t bytes, CudaSlotLease& lease) {
  if (bytes > limits_.max_slot_bytes) {
    return {CudaOutcome::Kind::kExhausted, std::to_string(bytes) + " bytes are more than the " +
                                               std::to_string(limits_.max_slot_bytes) +
                                               " that the cuda backend takes"};
  }
  // The largest, so that few grow.
  auto best = std::max_element(
      free_slots_.begin(), free_slots_.end(),
      [](const CudaSlot* a, const CudaSlot* b) { return a->capacity() < b->capacity(); });
  if (best == free_slots_.end()) {
    slots_.push_back(std::make_unique<CudaSlot>());
    free_slots_.push_back(slots_.back().get());
    best = free_slots_.end() - 1;
  }
  if ((*best)->capacity() < bytes) {
    // Allocating and freeing may wait for the device, and would do so for ever.
    if (CudaOutcome idle = quiesce(); !idle.ok()) return idle;
    if (CudaOutcome grown = judge((*best)->ensure(bytes)); !grown.ok()) return grown;
  }
  CudaSlot& slot = **best;
  free_slots_.erase(best);
  lease = CudaSlotLease(*this, slot);
  return {};
}

CudaOutcome CudaDevice::judge(const CudaStatus& status) {
  if (status.ok()) return {};
  if (CudaOutcome context = check_context(); !context.ok()) {
    return {CudaOutcome::Kind::kFaulted, status.text()};
  }
  const bool memory = status.error == cudaErrorMemoryAllocation;
  return {memory ? CudaOutcome::Kind::kExhausted : CudaOutcome::Kind::kCallFailed, status.text()};
}

CudaOutcome CudaDevice::check_context() {
  const CudaStatus status = cuda_call("cudaStreamQuery", cudaStreamQuery(stream()));
  if (status.ok() || status.error == cudaErrorNotReady) return {};
  return {CudaOutcome::Kind::kFaulted, status.text()};
}

CudaOutcome CudaDevice::wait(cudaEvent_t event) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const CudaStatus status = cuda_call("cudaEventQuery", cudaEventQuery(event));
    if (status.error != cudaErrorNotReady) return judge(status);
    if (!unusable_.empty()) return {CudaOutcome::Kind::kHung, unusable_};
    const Clock::duration waited = Clock::now() - start;
    if (waited > limits_.launch_time) break;
    if (waited > kSpin) std::this_thread::sleep_for(kPause);
  }
  const std::string text =
      "launched work did not end within " + std::to_string(limits_.launch_time.count()) + " ms";
  unusable_ = "the device is unusable in this process: " + text;
  return {CudaOutcome::Kind::kHung, text};
}

CudaOutcome CudaDevice::quiesce() {
  if (!unusable_.empty()) return {CudaOutcome::Kind::kHung, unusable_};
  const CudaStatus status = cuda_call("cudaEventRecord", cudaEventRecord(idle_.get(), stream()));
  return status.ok() ? wait(idle_.get()) : judge(status);
}

CudaOutcome CudaDevice::before_run() {
  if (++num_runs_ % kFenceInterval != 0) return {};
  const cudaEvent_t fence = fences_[num_runs_ / kFenceInterval % kNumFences].get();
  if (CudaOutcome reached = wait(fence); !reached.ok()) return reached;
  return judge(cuda_call("cudaEventRecord", cudaEventRecord(fence, stream())));
}

bool CudaDevice::recover() {
  if (!unusable_.empty()) return false;
  abandon();
  ++epoch_;
  num_runs_ = 0;
  const CudaStatus made = make_resources();
  if (!made.ok()) {
    unusable_ = "the device is unusable in this process: it does not come back after a fault: " +
                made.text();
  }
  return made.ok();
}

}  // namespace bytegate
