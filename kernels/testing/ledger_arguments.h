// The arguments of a call of the operation `ledger` (properties/testing/ledger_op.h states it),
// read and checked as a candidate would.
#pragma once

#include <optional>
#include <string>

#include "kernels/call_reader.h"

namespace bytegate {

struct LedgerArguments {
  int64_t scale = 1;
  int64_t sign = 0;
  int64_t shown = 0;
  int64_t num_rows = 0;
  int64_t num_cols = 0;
  int64_t width = 0;
  const DLTensor* keys = nullptr;
  const DLTensor* table = nullptr;
  const DLTensor* bias = nullptr;  // may be left out
  const DLTensor* sums = nullptr;
  const DLTensor* scaled = nullptr;
  const DLTensor* parts = nullptr;  // of 32 or 64 bits
  const DLTensor* spread = nullptr;

  [[nodiscard]] int64_t& key(int64_t row) const;
  [[nodiscard]] int32_t table_at(int64_t row, int64_t col) const;
  [[nodiscard]] int64_t bias_at(int64_t col) const;
  [[nodiscard]] int64_t* sums_data() const { return static_cast<int64_t*>(sums->data); }
  [[nodiscard]] int32_t& scaled_at(int64_t row, int64_t col) const;
  [[nodiscard]] int64_t part(int64_t row) const;
  [[nodiscard]] int32_t& spread_at(int64_t row, int64_t col) const;
  // Whether a tensor that has elements has no data.
  [[nodiscard]] bool any_null() const;
};

// A running sum of each row; 0 without rows.
uint64_t ledger_workspace_bytes(int64_t num_rows);

// Errors stay in `call`.
LedgerArguments read_ledger(CallReader& call);

// Each says what is wrong, or nothing.
std::optional<std::string> ledger_shown_error(const LedgerArguments& args);
std::optional<std::string> ledger_scale_error(const LedgerArguments& args);
std::optional<std::string> ledger_null_error(const LedgerArguments& args);
std::optional<std::string> ledger_overlap_error(const LedgerArguments& args);
std::optional<std::string> ledger_workspace_error(const LedgerArguments& args,
                                                  const bytegate_call& call);

}  // namespace bytegate
