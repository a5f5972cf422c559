#include "properties/dsa_lists.h"

#include <algorithm>
#include <cstdint>

#include "oracles/dsa_metadata.h"
#include "properties/draw.h"

namespace bytegate {
namespace {

constexpr uint64_t kSeed = 42;
constexpr int64_t kPageSize = 64;
constexpr int64_t kTopk = 2048;
constexpr int64_t kNextN = 4;
constexpr int64_t kNumPages = 4096;  // that slots are drawn from

// One launch: compact tensors, lengths of 1 and more, slots that are in use.
struct Launch {
  int64_t num_requests = 1;
  int64_t max_len = 1;
  bool with_ctx_lens = false;  // target_verify
  bool is_static = false;      // draft_extend
};

class Maker {
 public:
  Maker(const Op& op, const Launch& launch, Draw& draw)
      : about_(describe_dsa(op)), launch_(launch), draw_(draw), case_(make_case(op)) {}

  Case make() {
    set(case_.scalars, about_.scalars.max_len, launch_.max_len);
    set(case_.scalars, about_.scalars.topk, kTopk);
    set(case_.scalars, about_.scalars.page_size, kPageSize);
    set(case_.scalars, about_.scalars.next_n, kNextN);
    set(case_.scalars, about_.scalars.form,
        static_cast<int64_t>(launch_.is_static ? DsaExtendForm::kStatic : DsaExtendForm::kRagged));
    set(case_.scalars, about_.scalars.extend_len, launch_.is_static ? kNextN : 0);
    set(case_.dims, about_.dims.num_requests, launch_.num_requests);
    set(case_.dims, about_.dims.num_pool_rows, launch_.num_requests);
    set(case_.dims, about_.dims.num_columns, launch_.max_len);
    set(case_.dims, about_.dims.page_table_width, launch_.max_len);
    set(case_.dims, about_.dims.real_page_table_width, dsa_num_pages(launch_.max_len, kPageSize));
    if (about_.tensors.paged_mqa_ctx_lens >= 0) {
      tensor(about_.tensors.paged_mqa_ctx_lens).present = launch_.with_ctx_lens;
    }
    set_lens();
    fit_tensors(case_);
    set_slots();
    case_.op->settle(case_);
    return std::move(case_);
  }

 private:
  // Of what the operation has.
  template <typename Values>
  static void set(Values& values, int idx, int64_t value) {
    if (idx >= 0) values[static_cast<size_t>(idx)] = value;
  }
  Tensor& tensor(int idx) { return case_.tensors[static_cast<size_t>(idx)]; }

  void set_lens() {
    Elements lens(DType::kInt32, launch_.num_requests);
    Elements pool_rows(DType::kInt32, launch_.num_requests);
    Elements extends(DType::kInt32, launch_.num_requests);
    int64_t total = 0;
    const int64_t shortest = std::min(kNextN, launch_.max_len);
    for (int64_t b = 0; b < launch_.num_requests; ++b) {
      lens.set(b, draw_.between(shortest, launch_.max_len));
      pool_rows.set(b, launch_.num_requests - 1 - b);
      extends.set(b, draw_.between(1, shortest));
      total += launch_.is_static ? kNextN : extends.at(b);
    }
    tensor(about_.tensors.seq_lens).elements = std::move(lens);
    tensor(about_.tensors.req_pool_indices).elements = std::move(pool_rows);
    set(case_.scalars, about_.scalars.total_len, total);
    if (about_.tensors.extend_seq_lens < 0) return;
    tensor(about_.tensors.extend_seq_lens).present = !launch_.is_static;
    if (!launch_.is_static) tensor(about_.tensors.extend_seq_lens).elements = std::move(extends);
  }

  // Whole pages of consecutive slots, in any order.
  void set_slots() {
    Elements& slots = tensor(about_.tensors.req_to_token).elements;
    for (int64_t b = 0; b < launch_.num_requests; ++b) {
      int64_t page = 0;
      for (int64_t c = 0; c < launch_.max_len; ++c) {
        if (c % kPageSize == 0) page = draw_.between(0, kNumPages - 1);
        slots.set(b * launch_.max_len + c, page * kPageSize + c % kPageSize);
      }
    }
  }

  const DsaDescription& about_;
  const Launch& launch_;
  Draw& draw_;
  Case case_;
};

std::vector<Case> cases_of(const Op& op, const std::vector<Launch>& launches) {
  Draw draw(kSeed);
  std::vector<Case> cases;
  for (const Launch& launch : launches) cases.push_back(Maker(op, launch, draw).make());
  return cases;
}

std::vector<Case> decode_cases() {
  return cases_of(dsa_decode_metadata_op(), {{.num_requests = 1, .max_len = 128},
                                             {.num_requests = 3, .max_len = 1000},
                                             {.num_requests = 16, .max_len = 2048},
                                             {.num_requests = 64, .max_len = 4096}});
}

std::vector<Case> target_verify_cases() {
  return cases_of(dsa_target_verify_metadata_op(),
                  {{.num_requests = 1, .max_len = 128},
                   {.num_requests = 3, .max_len = 1000},
                   {.num_requests = 16, .max_len = 2048},
                   {.num_requests = 1, .max_len = 128, .with_ctx_lens = true},
                   {.num_requests = 3, .max_len = 1000, .with_ctx_lens = true},
                   {.num_requests = 16, .max_len = 2048, .with_ctx_lens = true}});
}

std::vector<Case> draft_extend_cases() {
  return cases_of(dsa_draft_extend_metadata_op(),
                  {{.num_requests = 1, .max_len = 128},
                   {.num_requests = 3, .max_len = 1000},
                   {.num_requests = 16, .max_len = 2048},
                   {.num_requests = 1, .max_len = 128, .is_static = true},
                   {.num_requests = 3, .max_len = 1000, .is_static = true},
                   {.num_requests = 16, .max_len = 2048, .is_static = true}});
}

}  // namespace

std::vector<CaseList> dsa_lists(const Op& op) {
  CaseList list = {.name = "sglang-fused",
                   .source =
                       "sglang's test of its fused kernels: 16 launches over the three "
                       "modes; values ours"};
  if (&op == &dsa_decode_metadata_op()) list.cases = decode_cases;
  if (&op == &dsa_target_verify_metadata_op()) list.cases = target_verify_cases;
  if (&op == &dsa_draft_extend_metadata_op()) list.cases = draft_extend_cases;
  return list.cases == nullptr ? std::vector<CaseList>{} : std::vector<CaseList>{list};
}

}  // namespace bytegate
