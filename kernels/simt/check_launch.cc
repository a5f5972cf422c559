#include <string>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

constexpr unsigned kMaxGridX = 0x7FFFFFFF;
constexpr unsigned kMaxGridYZ = 65535;
constexpr unsigned kMaxBlockXY = 1024;
constexpr unsigned kMaxBlockZ = 64;

std::string text(const Dim3& extent) {
  return std::string("(") + std::to_string(extent.x) + "," + std::to_string(extent.y) + "," +
         std::to_string(extent.z) + ")";
}

Status refuse(Error error, const LaunchConfig& config, const std::string& detail) {
  return Status{.error = error,
                .message = std::string(error_name(error)) + " in kernel " +
                           std::string(config.name) + ": " + detail};
}

}  // namespace

Status Scheduler::check(const LaunchConfig& config, const KernelBody& kernel) const {
  if (running_) {
    return refuse(Error::kBadLaunch, config, "this executor is in the middle of a launch");
  }
  if (thread_ != std::this_thread::get_id()) {
    return refuse(Error::kBadLaunch, config, "this executor belongs to another thread");
  }
  const Dim3& grid = config.grid;
  const Dim3& block = config.block;
  if (grid.volume() == 0 || grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
    return refuse(Error::kBadLaunch, config, "grid " + text(grid) + " is empty or too large");
  }
  if (block.volume() == 0 || block.x > kMaxBlockXY || block.y > kMaxBlockXY ||
      block.z > kMaxBlockZ || block.volume() > kMaxBlockLanes) {
    return refuse(Error::kBadLaunch, config, "block " + text(block) + " is empty or too large");
  }
  const std::size_t optin = shared_optin_bytes(options.arch);
  if (optin == 0) {
    return refuse(Error::kBadLaunch, config,
                  "unknown architecture " + std::to_string(options.arch));
  }
  const std::size_t limit =
      config.shared_limit_bytes != 0 ? config.shared_limit_bytes : options.shared_limit_bytes;
  if (limit > optin) {
    return refuse(Error::kSharedMemoryLimit, config,
                  "limit of " + std::to_string(limit) + " bytes; architecture " +
                      std::to_string(options.arch) + " has " + std::to_string(optin));
  }
  if (kernel.shared_bytes > kDefaultSharedBytes || config.dynamic_shared_bytes > limit ||
      kernel.shared_bytes + config.dynamic_shared_bytes > limit) {
    return refuse(Error::kSharedMemoryLimit, config,
                  std::to_string(kernel.shared_bytes) + " static and " +
                      std::to_string(config.dynamic_shared_bytes) +
                      " dynamic bytes; the limit is " + std::to_string(limit));
  }
  return Status{};
}

}  // namespace bytegate::simt
