#include "kernels/byte_range.h"

namespace bytegate {

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
