#include "kernels/testing/ledger_arguments.h"

#include <array>

namespace bytegate {
namespace {

int64_t num_elements_of(const DLTensor& tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) count *= tensor.shape[axis];
  return count;
}

bool lacks_data(const DLTensor* tensor) {
  return tensor != nullptr && tensor->data == nullptr && num_elements_of(*tensor) > 0;
}

// Bytes from the first to the last element.
struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

Range range_of(const DLTensor* tensor) {
  if (tensor == nullptr || num_elements_of(*tensor) == 0) return {};
  int64_t extent = 1;
  for (int axis = 0; axis < tensor->ndim; ++axis) {
    extent += (tensor->shape[axis] - 1) * tensor->strides[axis];
  }
  const uintptr_t begin = reinterpret_cast<uintptr_t>(tensor->data);
  return {begin, begin + static_cast<uintptr_t>(extent) * tensor->dtype.bits / 8};
}

bool overlap(const DLTensor* a, const DLTensor* b) {
  const Range first = range_of(a);
  const Range second = range_of(b);
  return first.begin < second.end && second.begin < first.end;
}

int bits_of(const CallReader& call, std::string_view name) {
  for (uint64_t i = 0; i < call.call().num_tensors; ++i) {
    const bytegate_tensor& named = call.call().tensors[i];
    if (name == named.name && named.tensor != nullptr) return named.tensor->dtype.bits;
  }
  return 32;
}

}  // namespace

int64_t& LedgerArguments::key(int64_t row) const {
  return static_cast<int64_t*>(keys->data)[row * keys->strides[0]];
}

int32_t LedgerArguments::table_at(int64_t row, int64_t col) const {
  return static_cast<const int32_t*>(
      table->data)[row * table->strides[0] + col * table->strides[1]];
}

int64_t LedgerArguments::bias_at(int64_t col) const {
  return bias == nullptr ? 0 : static_cast<const int32_t*>(bias->data)[col];
}

int32_t& LedgerArguments::scaled_at(int64_t row, int64_t col) const {
  return static_cast<int32_t*>(scaled->data)[row * scaled->strides[0] + col];
}

int64_t LedgerArguments::part(int64_t row) const {
  return parts->dtype.bits == 64 ? static_cast<const int64_t*>(parts->data)[row]
                                 : static_cast<const int32_t*>(parts->data)[row];
}

int32_t& LedgerArguments::spread_at(int64_t row, int64_t col) const {
  return static_cast<int32_t*>(spread->data)[row * spread->strides[0] + col];
}

bool LedgerArguments::any_null() const {
  return lacks_data(keys) || lacks_data(table) || lacks_data(bias) || lacks_data(sums) ||
         lacks_data(scaled) || lacks_data(parts) || lacks_data(spread);
}

uint64_t ledger_workspace_bytes(int64_t num_rows) {
  return static_cast<uint64_t>(num_rows) * sizeof(int64_t);
}

LedgerArguments read_ledger(CallReader& call) {
  LedgerArguments args;
  args.scale = call.scalar("scale");
  args.sign = call.scalar("sign");
  args.shown = call.scalar("shown");
  args.keys = call.tensor("keys", 1, 64);
  args.table = call.tensor("table", 2, 32);
  args.bias = call.optional_tensor("bias", 1, 32);
  args.sums = call.tensor("sums", 1, 64);
  args.scaled = call.tensor("scaled", 2, 32);
  args.parts = call.tensor("parts", 1, bits_of(call, "parts") == 64 ? 64 : 32);
  args.spread = call.tensor("spread", 2, 32);
  if (call.failed()) return args;
  args.num_rows = args.table->shape[0];
  args.num_cols = args.table->shape[1];
  args.width = args.spread->shape[1];
  if (args.sums->shape[0] != args.num_rows + 1) call.fail("sums must be [rows + 1]");
  return args;
}

std::optional<std::string> ledger_shown_error(const LedgerArguments& args) {
  if (args.shown >= 0 && args.shown <= args.width) return std::nullopt;
  return "shown is " + std::to_string(args.shown) + ", must be 0 .. " + std::to_string(args.width);
}

std::optional<std::string> ledger_scale_error(const LedgerArguments& args) {
  if (args.scale >= 1 && args.scale <= 100) return std::nullopt;
  return "scale is " + std::to_string(args.scale) + ", must be 1 .. 100";
}

std::optional<std::string> ledger_null_error(const LedgerArguments& args) {
  if (!args.any_null()) return std::nullopt;
  return "a tensor with elements is null";
}

std::optional<std::string> ledger_overlap_error(const LedgerArguments& args) {
  const std::array<const DLTensor*, 4> inputs = {args.keys, args.table, args.bias, args.parts};
  for (const DLTensor* input : inputs) {
    if (overlap(args.sums, input)) return "sums overlaps an input";
    if (overlap(args.scaled, input)) return "scaled overlaps an input";
    if (overlap(args.spread, input)) return "spread overlaps an input";
  }
  if (overlap(args.spread, args.sums) || overlap(args.spread, args.scaled)) {
    return "spread overlaps another output";
  }
  if (overlap(args.sums, args.scaled)) return "sums overlaps scaled";
  return std::nullopt;
}

std::optional<std::string> ledger_workspace_error(const LedgerArguments& args,
                                                  const bytegate_call& call) {
  if (call.workspace_bytes >= ledger_workspace_bytes(args.num_rows)) return std::nullopt;
  return "the workspace is too small";
}

}  // namespace bytegate
