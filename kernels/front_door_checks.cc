#include "kernels/front_door_checks.h"

namespace bytegate {

std::optional<std::string> range_error(std::string_view name, int64_t value, int64_t min,
                                       int64_t max) {
  if (value >= min && value <= max) return std::nullopt;
  return std::string(name) + " is " + std::to_string(value) + ", must be " + std::to_string(min) +
         " .. " + std::to_string(max);
}

std::optional<std::string> workspace_error(const void* workspace, size_t bytes, size_t needed) {
  constexpr uintptr_t kAlignment = 16;
  if (bytes < needed) {
    return "workspace has " + std::to_string(bytes) + " bytes, must have " + std::to_string(needed);
  }
  if (workspace == nullptr && bytes > 0) return "workspace is null";
  if (workspace != nullptr && bytes == 0) return "workspace must be null: its size is 0";
  if (reinterpret_cast<uintptr_t>(workspace) % kAlignment != 0) {
    return "workspace is not aligned to 16 bytes";
  }
  return std::nullopt;
}

bool overlap(const ByteRange& a, const ByteRange& b) {
  const uintptr_t a_begin = reinterpret_cast<uintptr_t>(a.begin);
  const uintptr_t b_begin = reinterpret_cast<uintptr_t>(b.begin);
  return a.bytes > 0 && b.bytes > 0 && a_begin < b_begin + b.bytes && b_begin < a_begin + a.bytes;
}

std::optional<std::string> overlap_error(std::span<const ByteRange> outputs,
                                         std::span<const ByteRange> inputs) {
  const auto text = [](const ByteRange& a, const ByteRange& b) {
    return std::string(a.name) + " overlaps " + std::string(b.name);
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t k = i + 1; k < outputs.size(); ++k) {
      if (overlap(outputs[i], outputs[k])) return text(outputs[i], outputs[k]);
    }
    for (const ByteRange& input : inputs) {
      if (overlap(outputs[i], input)) return text(outputs[i], input);
    }
  }
  return std::nullopt;
}

}  // namespace bytegate
