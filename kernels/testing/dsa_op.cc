#include "kernels/testing/dsa_op.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/testing/candidates.h"

namespace bytegate {
namespace {

constexpr DLDevice kHost = {kDLCPU, 0};
constexpr int64_t kOld = 0x5a5a5a5a5a5a5a5a;
constexpr size_t kArenaBytes = size_t{1} << 18;
constexpr size_t kRoomBytes = 4096;

class Builder {
 public:
  Op build(std::string_view name, DsaMode mode, DsaEntry entry) {
    op_.name = name;
    add_scalars(mode, entry);
    for (const char* input : {"seq_lens", "req_pool_indices"}) add(input, Role::kInput, {"B"});
    add("req_to_token", Role::kInput, {"R", "C"});
    if (mode == DsaMode::kDraftExtend) add("extend_seq_lens", Role::kInput, {"B"});
    add("cache_seqlens", Role::kOutput, {"B"});
    add("cu_seqlens_k", Role::kOutput, {"B + 1"});
    add("page_table", Role::kOutput, {"rows", "width"});
    if (mode != DsaMode::kDecode) add("seqlens_expanded", Role::kOutput, {"rows"});
    add("dsa_cache_seqlens", Role::kOutput, {"rows"});
    add("dsa_cu_seqlens_k", Role::kOutput, {"rows + 1"});
    add("real_page_table", Role::kOutput, {"rows", "real width"});
    if (mode == DsaMode::kTargetVerify && entry != DsaEntry::kPrecompute) {
      add("paged_mqa_ctx_lens", Role::kOutput, {"B", "next_n"});
    }
    if (entry == DsaEntry::kRefresh) {
      add("schedule_metadata", Role::kOutput, {"num_sm + 1", "two"});
    }
    return std::move(op_);
  }

 private:
  void add_scalars(DsaMode mode, DsaEntry entry) {
    std::vector<std::string_view> names = {"max_len", "topk", "page_size", "tail"};
    if (mode == DsaMode::kTargetVerify) names.push_back("next_n");
    if (mode == DsaMode::kDraftExtend) {
      names.insert(names.end(), {"form", "total_len", "extend_len"});
    }
    if (mode != DsaMode::kDecode) names.push_back("expanded_min");
    if (entry == DsaEntry::kRefresh) names.insert(names.end(), {"num_sm", "remainder"});
    for (const std::string_view name : names) op_.scalars.push_back({.name = name});
  }

  void add(std::string_view name, Role role, const std::vector<std::string_view>& shape) {
    TensorSpec spec = {.name = name, .role = role, .shape = {}};
    for (const std::string_view dim : shape) {
      if (op_.dim_index(dim) < 0) op_.dims.push_back({.name = dim});
      spec.shape.push_back({.dim = op_.dim_index(dim)});
    }
    op_.tensors.push_back(std::move(spec));
  }

  Op op_;
};

const Op& dsa_op(DsaMode mode, DsaEntry entry) {
  using enum DsaMode;
  using enum DsaEntry;
  struct Named {
    DsaMode mode;
    DsaEntry entry;
    Op op;
  };
  const auto make = [](const char* name, DsaMode op_mode, DsaEntry op_entry) {
    return Named{op_mode, op_entry, Builder().build(name, op_mode, op_entry)};
  };
  static const std::array<Named, 8> all = {
      make("dsa_decode_metadata", kDecode, kMetadata),
      make("dsa_target_verify_metadata", kTargetVerify, kMetadata),
      make("dsa_draft_extend_metadata", kDraftExtend, kMetadata),
      make("dsa_decode_precompute", kDecode, kPrecompute),
      make("dsa_target_verify_precompute", kTargetVerify, kPrecompute),
      make("dsa_decode_refresh", kDecode, kRefresh),
      make("dsa_target_verify_refresh", kTargetVerify, kRefresh),
      make("dsa_draft_extend_refresh", kDraftExtend, kRefresh)};
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& named) {
    return named.mode == mode && named.entry == entry;
  });
  return found == all.end() ? all.front().op : found->op;
}

int64_t num_rows(const DsaTestCall& call) {
  if (call.mode == DsaMode::kDecode) return call.num_requests;
  const bool extends = call.mode == DsaMode::kDraftExtend;
  return call.num_requests * (extends ? call.extend_len : call.next_n);
}

void set_scalars(Case& c, const DsaTestCall& call) {
  const auto set = [&](std::string_view name, int64_t value) {
    if (c.op->scalar_index(name) >= 0) scalar_of(c, name) = value;
  };
  set("max_len", call.max_len);
  set("topk", 4);
  set("page_size", call.page_size);
  set("next_n", call.next_n);
  set("form", static_cast<int64_t>(call.form));
  set("total_len", num_rows(call));
  set("extend_len", call.form == DsaExtendForm::kStatic ? call.extend_len : 0);
  set("num_sm", call.num_sm);
}

void set_dims(Case& c, const DsaTestCall& call) {
  const auto set = [&](std::string_view name, int64_t value) {
    if (c.op->dim_index(name) >= 0) dim_of(c, name) = value;
  };
  set("B", call.num_requests);
  set("R", call.num_pool_rows);
  set("C", call.num_columns);
  set("B + 1", call.num_requests + 1);
  set("rows", num_rows(call));
  set("rows + 1", num_rows(call) + 1);
  set("width", call.max_len);
  set("real width", (call.max_len + call.page_size - 1) / call.page_size);
  set("next_n", call.next_n);
  set("num_sm + 1", call.num_sm + 1);
  set("two", 2);
}

// Bytes from the first element to the last; of one element where they do not fit the arena, for
// such a call is refused before anything is read.
size_t extent_bytes(const Tensor& tensor) {
  const int64_t extent = extent_elements(tensor.shape, tensor.strides).value_or(1);
  const bool fits = extent >= 0 && extent < static_cast<int64_t>(kArenaBytes / 32);
  return static_cast<size_t>(fits ? extent : 1) * dtype_bytes(tensor.dtype);
}

}  // namespace

int64_t& scalar_of(Case& c, std::string_view scalar) {
  return c.scalars.at(static_cast<size_t>(c.op->scalar_index(scalar)));
}
int64_t& dim_of(Case& c, std::string_view dim) {
  return c.dims.at(static_cast<size_t>(c.op->dim_index(dim)));
}
Tensor& tensor_of(Case& c, std::string_view tensor) {
  return c.tensors.at(static_cast<size_t>(c.op->tensor_index(tensor)));
}

Case make_dsa_call(const DsaTestCall& call) {
  Case c = make_case(dsa_op(call.mode, call.entry));
  set_scalars(c, call);
  set_dims(c, call);
  fit_tensors(c);
  c.forced_path = call.forced_path;
  tensor_of(c, "real_page_table").present = call.page_size > 1;
  Elements& slots = tensor_of(c, "req_to_token").elements;
  for (int64_t i = 0; i < slots.size(); ++i) slots.set(i, i);
  for (int64_t b = 0; b < call.num_requests; ++b) tensor_of(c, "seq_lens").elements.set(b, 5);
  if (call.mode != DsaMode::kDraftExtend) return c;
  Tensor& extend = tensor_of(c, "extend_seq_lens");
  extend.present = call.form == DsaExtendForm::kRagged;
  for (int64_t b = 0; b < call.num_requests; ++b) extend.elements.set(b, call.extend_len);
  return c;
}

DsaFrontDoor::DsaFrontDoor(Case c)
    : candidate_(open_builtin("production")),
      case_(std::move(c)),
      frame_(case_, kHost, nullptr),
      arena_(kArenaBytes / sizeof(int64_t), kOld),
      places_(case_.tensors.size()) {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (!case_.tensors[i].present) continue;
    places_[i] = place(extent_bytes(case_.tensors[i]));
    if (places_[i].bytes == 0) continue;
    frame_.set_data(static_cast<int>(i),
                    reinterpret_cast<std::byte*>(arena_.data()) + places_[i].begin);
    if (case_.op->tensors[i].role == Role::kInput) write_input(i);
  }
  workspace_bytes_ = query_call(*candidate_, case_, kHost).workspace_bytes;
  auto* const begin = reinterpret_cast<std::byte*>(arena_.data());
  workspace_ = begin + place(workspace_bytes_).begin;
  room_ = begin + place(kRoomBytes).begin;
  frame_.set_workspace(workspace_, workspace_bytes_);
}

// Aligned to 16 bytes whatever the arena is, and no two places touch.
DsaFrontDoor::Place DsaFrontDoor::place(size_t bytes) {
  const size_t askew = reinterpret_cast<uintptr_t>(arena_.data()) % 16;
  const Place made = {.begin = next_ + (16 - askew) % 16, .bytes = bytes};
  next_ += (bytes + 15) / 16 * 16 + 64;
  return made;
}

void DsaFrontDoor::write_input(size_t tensor) {
  const Tensor& input = case_.tensors[tensor];
  const size_t element_bytes = dtype_bytes(input.dtype);
  for (int64_t i = 0; i < input.elements.size(); ++i) {
    const auto offset = static_cast<size_t>(element_offset(input.shape, input.strides, i));
    if (offset >= places_[tensor].bytes / element_bytes) return;
    const int64_t value = input.elements.at(i);
    std::memcpy(reinterpret_cast<std::byte*>(arena_.data()) + places_[tensor].begin +
                    offset * element_bytes,
                &value, element_bytes);  // the low bytes come first
  }
}

std::byte* DsaFrontDoor::data(std::string_view tensor) {
  const auto idx = static_cast<size_t>(case_.op->tensor_index(tensor));
  return reinterpret_cast<std::byte*>(arena_.data()) + places_.at(idx).begin;
}

size_t DsaFrontDoor::bytes(std::string_view tensor) {
  return places_.at(static_cast<size_t>(case_.op->tensor_index(tensor))).bytes;
}

void DsaFrontDoor::move(std::string_view tensor, void* data) {
  frame_.set_data(case_.op->tensor_index(tensor), data);
}

std::string DsaFrontDoor::refusal() {
  const std::vector<int64_t> before = arena_;
  const int32_t status = frame_.run(*candidate_);
  if (arena_ != before) return "WROTE: " + frame_.message();
  if (status == BYTEGATE_OK) return "ACCEPTED";
  if (status != BYTEGATE_INVALID_ARGUMENT) {
    return "STATUS " + std::to_string(status) + ": " + frame_.message();
  }
  if (!frame_.path().empty()) return "CHOSE " + frame_.path() + ": " + frame_.message();
  return frame_.message();
}

std::string DsaFrontDoor::path_taken() {
  const int32_t status = frame_.run(*candidate_);
  if (status == BYTEGATE_OK) return frame_.path();
  return "STATUS " + std::to_string(status) + ": " + frame_.message();
}

std::vector<int32_t> DsaFrontDoor::values(std::string_view tensor) {
  const Tensor& output = tensor_of(case_, tensor);
  std::vector<int32_t> values(static_cast<size_t>(num_elements(output.shape).value_or(0)));
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t offset =
        element_offset(output.shape, output.strides, static_cast<int64_t>(i)) * 4;
    std::memcpy(&values[i], data(tensor) + offset, sizeof(int32_t));
  }
  return values;
}

}  // namespace bytegate
