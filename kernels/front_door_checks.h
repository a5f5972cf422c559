// What front doors check alike. Each answers with what is wrong, naming it; nothing when it is
// right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bytegate {

// "topk is 0, must be 1 .. 2147483647"
std::optional<std::string> range_error(std::string_view name, int64_t value, int64_t min,
                                       int64_t max);

// The caller's workspace: large enough, 16-byte aligned, and null if and only if it has no bytes.
std::optional<std::string> workspace_error(const void* workspace, size_t bytes, size_t needed);

// The bytes that a tensor or workspace takes.
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
