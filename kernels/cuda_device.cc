#include "kernels/cuda_device.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

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

CudaSlotLease::CudaSlotLease(CudaSlotLease&& other) noexcept
    : home_(other.home_), slot_(std::exchange(other.slot_, nullptr)) {}

CudaSlotLease& CudaSlotLease::operator=(CudaSlotLease&& other) noexcept {
  std::swap(home_, other.home_);
  std::swap(slot_, other.slot_);
  return *this;
}

CudaSlotLease::~CudaSlotLease() {
  if (slot_ != nullptr) home_->push_back(slot_);
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

CudaStatus CudaDevice::make_resources() {
  CudaStatus status = cuda_call("cudaSetDevice", cudaSetDevice(0));
  if (!status.ok()) return status;
  // Non-blocking, as an engine's streams are: a launch on the default stream by mistake is not put
  // in order behind the upload.
  status = cuda_call("cudaStreamCreateWithFlags",
                     cudaStreamCreateWithFlags(stream_.out(), cudaStreamNonBlocking));
  if (!status.ok()) return status;
  // A device may be there and still not work, so that work has to be done on it.
  constexpr size_t kBytes = 4096;
  CudaDeviceBuffer scratch;
  status = scratch.ensure(kBytes);
  if (!status.ok()) return status;
  status = cuda_call("cudaMemsetAsync", cudaMemsetAsync(scratch.data(), 0, kBytes, stream()));
  if (!status.ok()) return status;
  return cuda_call("cudaStreamSynchronize", cudaStreamSynchronize(stream()));
}

CudaOutcome CudaDevice::acquire(size_t bytes, CudaSlotLease& lease, SlotUse use) {
  if (bytes > limits_.max_slot_bytes) {
    return {CudaOutcome::Kind::kExhausted, std::to_string(bytes) + " bytes are more than the " +
                                               std::to_string(limits_.max_slot_bytes) +
                                               " that the cuda backend takes"};
  }
  std::vector<CudaSlot*>& free = use == SlotUse::kDecoy ? free_decoys_ : free_slots_;
  // The largest, so that few grow.
  auto best = std::max_element(free.begin(), free.end(), [](const CudaSlot* a, const CudaSlot* b) {
    return a->capacity() < b->capacity();
  });
  if (best == free.end()) {
    slots_.push_back(std::make_unique<CudaSlot>());
    free.push_back(slots_.back().get());
    best = free.end() - 1;
  }
  if (CudaOutcome grown = judge((*best)->ensure(bytes)); !grown.ok()) return grown;
  CudaSlot& slot = **best;
  free.erase(best);
  lease = CudaSlotLease(free, slot);
  return {};
}

CudaOutcome CudaDevice::lose(const CudaStatus& status) {
  if (lost_.empty()) lost_ = status.text();
  return {CudaOutcome::Kind::kLost, lost_};
}

CudaOutcome CudaDevice::judge(const CudaStatus& status) {
  if (status.ok()) return {};
  if (!check().ok()) return lose(status);
  const bool memory = status.error == cudaErrorMemoryAllocation;
  return {memory ? CudaOutcome::Kind::kExhausted : CudaOutcome::Kind::kCallFailed, status.text()};
}

CudaOutcome CudaDevice::check() {
  if (!lost_.empty()) return {CudaOutcome::Kind::kLost, lost_};
  const CudaStatus status = cuda_call("cudaStreamQuery", cudaStreamQuery(stream()));
  if (status.ok() || status.error == cudaErrorNotReady) return {};
  return lose(status);
}

CudaStatus CudaDevice::ask_memory(Memory& memory) const {
  memory.held_bytes = guards_.held_bytes();
  for (const auto& slot : slots_) memory.held_bytes += slot->capacity();
  return cuda_call("cudaMemGetInfo", cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes));
}

bool CudaDevice::memory_is_full(const Memory& memory) const {
  constexpr size_t kPlentyBytes = size_t{256} << 20;
  constexpr size_t kAskedBytes = size_t{64} << 20;
  if (memory.free_bytes >= kPlentyBytes) return false;
  CudaDeviceBuffer asked;
  return asked.ensure(kAskedBytes).error == cudaErrorMemoryAllocation;
}

CudaOutcome CudaDevice::wait(cudaEvent_t event) {
  return judge(cuda_call("cudaEventSynchronize", cudaEventSynchronize(event)));
}

CudaOutcome CudaDevice::quiesce() {
  return judge(cuda_call("cudaDeviceSynchronize", cudaDeviceSynchronize()));
}

}  // namespace bytegate
