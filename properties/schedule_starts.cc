#include "properties/schedule_starts.h"

#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

std::string row_text(std::span<const int32_t> table, size_t row) {
  return "(" + std::to_string(table[2 * row]) + ", " + std::to_string(table[2 * row + 1]) + ")";
}

}  // namespace

int64_t num_splits(int32_t len_tokens) {
  return (int64_t{len_tokens} + kSplitKv - 1) / kSplitKv;
}

int64_t num_splits(std::span<const int32_t> lens_tokens) {
  int64_t total = 0;
  for (const int32_t len : lens_tokens) total += num_splits(len);
  return total;
}

std::optional<std::vector<int64_t>> schedule_starts(std::span<const int32_t> lens_tokens,
                                                    std::span<const int32_t> table) {
  std::vector<int64_t> before(lens_tokens.size() + 1);
  for (size_t i = 0; i < lens_tokens.size(); ++i) {
    if (lens_tokens[i] < 0) return std::nullopt;
    before[i + 1] = before[i] + num_splits(lens_tokens[i]);
  }
  std::vector<int64_t> starts;
  starts.reserve(table.size() / 2);
  for (size_t row = 0; 2 * row < table.size(); ++row) {
    const int64_t request = table[2 * row];
    if (request < 0 || request >= static_cast<int64_t>(before.size())) return std::nullopt;
    starts.push_back(before[static_cast<size_t>(request)] + table[2 * row + 1]);
  }
  return starts;
}

std::optional<std::string> different_row(std::span<const int32_t> expect,
                                         std::span<const int32_t> table) {
  if (expect.size() != table.size()) return "the table has another number of rows";
  for (size_t row = 0; 2 * row < expect.size(); ++row) {
    const bool same =
        expect[2 * row] == table[2 * row] && expect[2 * row + 1] == table[2 * row + 1];
    if (same) continue;
    return "row " + std::to_string(row) + " becomes " + row_text(table, row) + ", must become " +
           row_text(expect, row);
  }
  return std::nullopt;
}

std::optional<std::string> different_start(std::span<const int64_t> expect,
                                           std::span<const int64_t> starts) {
  if (expect.size() != starts.size()) return "there are other multiprocessors";
  for (size_t sm = 0; sm < expect.size(); ++sm) {
    if (expect[sm] == starts[sm]) continue;
    return "SM " + std::to_string(sm) + " starts behind " + std::to_string(starts[sm]) +
           " splits, must start behind " + std::to_string(expect[sm]);
  }
  return std::nullopt;
}

}  // namespace bytegate
