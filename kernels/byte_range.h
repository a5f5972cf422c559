// The bytes that a tensor or workspace takes, for front doors that refuse overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bytegate {

struct ByteRange {
  std::string_view name;
  const void* begin = nullptr;
  size_t bytes = 0;  // 0: overlaps nothing
};

bool overlap(const ByteRange& a, const ByteRange& b);

// "page_table overlaps req_to_token", for the first output (the workspace is one) that overlaps
// another output or an input.
std::optional<std::string> overlap_error(std::span<const ByteRange> outputs,
                                         std::span<const ByteRange> inputs);

}  // namespace bytegate
