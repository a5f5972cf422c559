// The descriptions of the DSA metadata operations: one builder, since they share nearly everything.
#include <algorithm>
#include <cstdlib>

#include "oracles/dsa_eager.h"
#include "oracles/dsa_metadata.h"
#include "oracles/dsa_validity.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

constexpr DsaScalars kCommonScalars = {.max_len = 0, .topk = 1, .page_size = 2, .tail = 3};
constexpr DsaDims kCommonDims = {.num_requests = 0, .num_pool_rows = 1, .num_columns = 2};

int64_t scalar(const Case& c, int idx) {
  return c.scalars[static_cast<size_t>(idx)];
}

// ---- extents: any scalars, so nothing may overflow

int64_t one_more(int64_t count) {
  return count < INT64_MAX ? count + 1 : count;
}
int64_t num_requests_and_one(const Case& c) {
  return one_more(c.dims[static_cast<size_t>(kCommonDims.num_requests)]);
}
int64_t num_rows(const Case& c) {
  return dsa_num_rows(describe_dsa(*c.op), c);
}
int64_t num_rows_and_one(const Case& c) {
  return num_rows(c) + 1;
}
int64_t max_len(const Case& c) {
  return std::max<int64_t>(scalar(c, kCommonScalars.max_len), 0);
}
int64_t num_pages(const Case& c) {
  return dsa_num_pages(max_len(c), scalar(c, kCommonScalars.page_size));
}
int64_t next_n(const Case& c) {
  // 0 where the product with B is no number of rows that a call may have.
  const int64_t n = scalar(c, describe_dsa(*c.op).scalars.next_n);
  const int64_t num_requests = c.dims[static_cast<size_t>(kCommonDims.num_requests)];
  return n > kDsaMaxRows || num_rows(c) != num_requests * n ? 0 : n;
}
int64_t num_schedule_rows(const Case& c) {
  return one_more(scalar(c, describe_dsa(*c.op).scalars.num_sm));
}
int64_t num_schedule_columns(const Case&) {
  return 2;
}

// ---- presence

Presence page_table_presence(const Case& c) {
  return scalar(c, kCommonScalars.page_size) == 1 ? Presence::kRequired : Presence::kOptional;
}
Presence real_page_table_presence(const Case& c) {
  return scalar(c, kCommonScalars.page_size) > 1 ? Presence::kRequired : Presence::kAbsent;
}
Presence extend_seq_lens_presence(const Case& c) {
  const int64_t form = scalar(c, describe_dsa(*c.op).scalars.form);
  return form == static_cast<int64_t>(DsaExtendForm::kStatic) ? Presence::kAbsent
                                                              : Presence::kRequired;
}
Presence ctx_lens_presence(const Case&) {
  return Presence::kOptional;
}

// ---- the builder

struct Built {
  Op op;
  DsaDescription description;
};

class Builder {
 public:
  Builder(std::string_view name, std::string_view summary, DsaMode mode, DsaEntry entry) {
    built_.op.name = name;
    built_.op.summary = summary;
    built_.description.mode = mode;
    built_.description.entry = entry;
  }

  Built build() {
    add_scalars();
    add_dims();
    add_inputs();
    add_outputs();
    built_.op.paths = {"fused", "eager"};
    built_.op.validate = dsa_call_reason;
    built_.op.validate_data = dsa_data_reason;
    built_.op.settle = settle_dsa;
    built_.op.oracle = dsa_eager_oracle;
    return std::move(built_);
  }

 private:
  bool is(DsaMode mode) const { return built_.description.mode == mode; }
  bool is(DsaEntry entry) const { return built_.description.entry == entry; }

  int add_scalar(ScalarSpec spec) {
    built_.op.scalars.push_back(std::move(spec));
    return static_cast<int>(built_.op.scalars.size()) - 1;
  }
  int add_dim(DimSpec spec) {
    built_.op.dims.push_back(spec);
    return static_cast<int>(built_.op.dims.size()) - 1;
  }
  int add_tensor(TensorSpec spec) {
    built_.op.tensors.push_back(std::move(spec));
    return static_cast<int>(built_.op.tensors.size()) - 1;
  }

  void add_scalars() {
    DsaScalars& scalars = built_.description.scalars;
    scalars.max_len = add_scalar({.name = "max_len", .min = 0, .max = INT32_MAX, .simplest = 0});
    scalars.topk = add_scalar({.name = "topk", .min = 1, .max = INT32_MAX, .simplest = 1});
    scalars.page_size =
        add_scalar({.name = "page_size", .min = 1, .max = INT32_MAX, .simplest = 1});
    scalars.tail = add_scalar(
        {.name = "tail", .min = 0, .max = 1, .simplest = 0, .symbols = {"full", "live"}});
    if (is(DsaMode::kTargetVerify)) {
      scalars.next_n = add_scalar({.name = "next_n", .min = 1, .max = INT32_MAX, .simplest = 1});
    }
    if (is(DsaMode::kDraftExtend)) {
      scalars.form = add_scalar(
          {.name = "form", .min = 0, .max = 1, .simplest = 0, .symbols = {"ragged", "static"}});
      scalars.total_len =
          add_scalar({.name = "total_len", .min = 0, .max = INT32_MAX, .simplest = 0});
      scalars.extend_len =
          add_scalar({.name = "extend_len", .min = 0, .max = INT32_MAX, .simplest = 0});
    }
    if (!is(DsaMode::kDecode)) {
      scalars.expanded_min = add_scalar({.name = "expanded_min",
                                         .min = 0,
                                         .max = 2,
                                         .simplest = 0,
                                         .symbols = {"none", "0", "1"}});
    }
    if (is(DsaEntry::kRefresh)) {
      scalars.num_sm = add_scalar({.name = "num_sm", .min = 1, .max = kMaxNumSm, .simplest = 1});
      scalars.remainder = add_scalar(
          {.name = "remainder", .min = 0, .max = 1, .simplest = 0, .symbols = {"last", "first"}});
    }
  }

  void add_dims() {
    DsaDims& dims = built_.description.dims;
    dims.num_requests = add_dim({.name = "B", .max = kDsaMaxRows});
    dims.num_pool_rows = add_dim({.name = "R"});
    dims.num_columns = add_dim({.name = "C"});
    if (is(DsaEntry::kPrecompute)) return;
    dims.page_table_width = add_dim({.name = "page_table_width"});
    dims.real_page_table_width = add_dim({.name = "real_page_table_width"});
  }

  void add_inputs() {
    DsaTensors& tensors = built_.description.tensors;
    const DsaDims& dims = built_.description.dims;
    const std::vector<DType> both = {DType::kInt32, DType::kInt64};
    tensors.seq_lens = add_tensor({.name = "seq_lens",
                                   .dtypes = both,
                                   .shape = {{.dim = dims.num_requests}},
                                   .strided = {true}});
    tensors.req_pool_indices = add_tensor({.name = "req_pool_indices",
                                           .dtypes = both,
                                           .shape = {{.dim = dims.num_requests}},
                                           .strided = {true},
                                           .min_value = 0,
                                           .max_value = INT32_MAX});
    tensors.req_to_token =
        add_tensor({.name = "req_to_token",
                    .shape = {{.dim = dims.num_pool_rows}, {.dim = dims.num_columns}},
                    .strided = {true, true}});
    if (!is(DsaMode::kDraftExtend)) return;
    tensors.extend_seq_lens = add_tensor({.name = "extend_seq_lens",
                                          .shape = {{.dim = dims.num_requests}},
                                          .strided = {true},
                                          .min_value = 0,
                                          .max_value = INT32_MAX,
                                          .presence = extend_seq_lens_presence});
  }

  int add_output(std::string_view name, std::vector<Extent> shape) {
    return add_tensor({.name = name, .role = Role::kOutput, .shape = std::move(shape)});
  }

  int add_table(std::string_view name, int width_dim, int64_t (*columns)(const Case&),
                void (*mask)(const Case&, std::span<uint8_t>)) {
    TensorSpec spec = {.name = name, .role = Role::kOutput, .shape = {}, .mask = mask};
    spec.shape.push_back({.compute = num_rows});
    if (width_dim < 0) {
      spec.shape.push_back({.compute = columns});
    } else {
      spec.shape.push_back({.dim = width_dim});
      spec.strided = {true, false};
      spec.columns_written = columns;
    }
    return add_tensor(std::move(spec));
  }

  void add_outputs() {
    DsaTensors& tensors = built_.description.tensors;
    const DsaDims& dims = built_.description.dims;
    tensors.cache_seqlens = add_output("cache_seqlens", {{.dim = dims.num_requests}});
    tensors.cu_seqlens_k = add_output("cu_seqlens_k", {{.compute = num_requests_and_one}});
    tensors.page_table =
        add_table("page_table", dims.page_table_width, max_len, mask_dsa_page_table);
    if (!is(DsaEntry::kPrecompute)) {
      built_.op.tensors.back().presence = page_table_presence;
    }
    if (!is(DsaMode::kDecode)) {
      tensors.seqlens_expanded = add_output("seqlens_expanded", {{.compute = num_rows}});
    }
    tensors.dsa_cache_seqlens = add_output("dsa_cache_seqlens", {{.compute = num_rows}});
    tensors.dsa_cu_seqlens_k = add_output("dsa_cu_seqlens_k", {{.compute = num_rows_and_one}});
    tensors.real_page_table = add_table("real_page_table", dims.real_page_table_width, num_pages,
                                        mask_dsa_real_page_table);
    built_.op.tensors.back().presence = real_page_table_presence;
    if (is(DsaMode::kTargetVerify) && !is(DsaEntry::kPrecompute)) {
      tensors.paged_mqa_ctx_lens =
          add_tensor({.name = "paged_mqa_ctx_lens",
                      .role = Role::kOutput,
                      .shape = {{.dim = dims.num_requests}, {.compute = next_n}},
                      .strided = {true, true},
                      .presence = ctx_lens_presence});
    }
    if (is(DsaEntry::kRefresh)) {
      tensors.schedule_metadata = add_output(
          "schedule_metadata", {{.compute = num_schedule_rows}, {.compute = num_schedule_columns}});
    }
  }

  Built built_;
};

const std::array<Built, 8>& all_built() {
  static const std::array<Built, 8> all = {
      Builder("dsa_decode_metadata", "lengths, sums and page tables of a decode step",
              DsaMode::kDecode, DsaEntry::kMetadata)
          .build(),
      Builder("dsa_target_verify_metadata", "the same where a target model verifies next_n drafts",
              DsaMode::kTargetVerify, DsaEntry::kMetadata)
          .build(),
      Builder("dsa_draft_extend_metadata", "the same where a draft model extends each request",
              DsaMode::kDraftExtend, DsaEntry::kMetadata)
          .build(),
      Builder("dsa_decode_precompute", "decode metadata into compact, freshly allocated outputs",
              DsaMode::kDecode, DsaEntry::kPrecompute)
          .build(),
      Builder("dsa_target_verify_precompute",
              "target-verify metadata into compact, freshly allocated outputs",
              DsaMode::kTargetVerify, DsaEntry::kPrecompute)
          .build(),
      Builder("dsa_decode_refresh", "decode metadata, then the schedule of its lengths",
              DsaMode::kDecode, DsaEntry::kRefresh)
          .build(),
      Builder("dsa_target_verify_refresh", "target-verify metadata, then a schedule row per token",
              DsaMode::kTargetVerify, DsaEntry::kRefresh)
          .build(),
      Builder("dsa_draft_extend_refresh", "draft-extend metadata, then a schedule row per token",
              DsaMode::kDraftExtend, DsaEntry::kRefresh)
          .build(),
  };
  return all;
}

}  // namespace

const Op& dsa_decode_metadata_op() {
  return all_built()[0].op;
}
const Op& dsa_target_verify_metadata_op() {
  return all_built()[1].op;
}
const Op& dsa_draft_extend_metadata_op() {
  return all_built()[2].op;
}
const Op& dsa_decode_precompute_op() {
  return all_built()[3].op;
}
const Op& dsa_target_verify_precompute_op() {
  return all_built()[4].op;
}
const Op& dsa_decode_refresh_op() {
  return all_built()[5].op;
}
const Op& dsa_target_verify_refresh_op() {
  return all_built()[6].op;
}
const Op& dsa_draft_extend_refresh_op() {
  return all_built()[7].op;
}

std::array<const Op*, 8> dsa_ops() {
  std::array<const Op*, 8> ops{};
  for (size_t i = 0; i < ops.size(); ++i) ops[i] = &all_built()[i].op;
  return ops;
}

const DsaDescription& describe_dsa(const Op& op) {
  const auto found = std::find_if(all_built().begin(), all_built().end(),
                                  [&](const Built& built) { return &built.op == &op; });
  if (found == all_built().end()) std::abort();
  return found->description;
}

}  // namespace bytegate
