#include "properties/dsa_generate.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracles/dsa_walker.h"
#include "oracles/paged_mqa_metadata_contract.h"
#include "properties/dsa_layouts.h"
#include "properties/dsa_values.h"

namespace bytegate {
namespace {

// Sizes and choices of a case, before it has values.
struct Plan {
  int64_t num_requests = 0;
  int64_t rows_per_request = 1;  // not ragged
  bool single_row = false;
  bool aligned_rows = false;  // of 16 bytes, in the input and in the tables
  bool ragged = false;
  std::vector<int64_t> extend_lens;  // ragged
  bool one_extend_len = false;       // for all of them
  int64_t num_rows = 0;
  int64_t page_size = 1;
  int64_t max_len = 0;
  int64_t num_columns = 0;
  int64_t num_pool_rows = 0;
  int64_t expanded_min = 0;
};

constexpr int64_t kMaxRows = 6000;
constexpr int64_t kManyReplays = 1000;

int64_t draw_num_requests(Draw& draw) {
  constexpr std::array<int64_t, 22> kEdges = {0,  1,  2,  3,  7,  8,   9,   15,  16,  17,  31,
                                              32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
  // A tile of the sums, a window of requests, and a block of 1024.
  constexpr std::array<int64_t, 9> kTiles = {1023, 1024, 1025, 1025, 1026, 2047, 2048, 2049, 4097};
  const int64_t kind = draw.between(0, 99);
  if (kind < 6) return 0;
  if (kind < 54) return draw.between(1, 16);
  if (kind < 80) return draw.among(std::span<const int64_t>(kEdges));
  if (kind < 91) return draw.between(17, 300);
  if (kind < 98) return draw.among(std::span<const int64_t>(kTiles));
  return draw.between(300, 5000);
}

int64_t draw_rows_per_request(Draw& draw) {
  if (draw.one_in(16)) return draw.between(1, 40);
  if (draw.one_in(4)) return draw.between(1, 2);
  return draw.between(1, 8);
}

int64_t draw_page_size(Draw& draw) {
  constexpr std::array<int64_t, 7> kPowers = {2, 4, 16, 32, 128, 256, 1 << 20};
  constexpr std::array<int64_t, 6> kOdd = {3, 7, 63, 65, 100, INT32_MAX};
  const int64_t kind = draw.between(0, 9);
  if (kind < 4) return 64;
  if (kind < 6) return 1;
  return draw.among(kind < 8 ? std::span<const int64_t>(kPowers) : std::span<const int64_t>(kOdd));
}

int64_t draw_max_len(int64_t limit, int64_t page_size, Draw& draw) {
  const int64_t page = std::min(page_size, limit + 1);
  switch (draw.between(0, 15)) {
    case 0:
      return 0;
    case 1:
      return std::min<int64_t>(limit, draw.between(1, 2));
    case 2:
    case 3:
      return std::min<int64_t>(limit, draw.between(1, page));
    case 4:
    case 5:
    case 6:
    case 7:
    case 8: {  // on, before or behind the page grid
      const int64_t beside = draw.between(-1, 1);
      const int64_t last = std::max<int64_t>(1, (limit - beside) / page);
      return std::clamp<int64_t>(draw.between(1, last) * page + beside, 0, limit);
    }
    default:
      return draw.between(0, limit);
  }
}

void plan_rows(DsaMode mode, Plan& plan, Draw& draw) {
  if (mode == DsaMode::kTargetVerify) {
    plan.rows_per_request = draw_rows_per_request(draw);
  } else if (mode == DsaMode::kDraftExtend) {
    plan.ragged = !draw.one_in(3);
    plan.rows_per_request = draw.one_in(6) ? 0 : draw_rows_per_request(draw);
  }
  if (plan.single_row) {
    plan.num_requests = 1;
    plan.rows_per_request = 1;
  }
  if (plan.ragged) {
    plan.extend_lens = draw_extend_lens(plan.num_requests, kMaxRows, draw);
    plan.one_extend_len = plan.single_row || (draw.one_in(6) && plan.num_requests > 0);
    if (plan.one_extend_len) {
      const int64_t most = std::min<int64_t>(kMaxRows / plan.num_requests, 5);
      const int64_t all = plan.single_row ? 1 : draw.between(0, most);
      std::fill(plan.extend_lens.begin(), plan.extend_lens.end(), all);
    }
    for (const int64_t len : plan.extend_lens) plan.num_rows += len;
    return;
  }
  const int64_t per_request = std::max<int64_t>(plan.rows_per_request, 1);
  plan.num_requests = std::min(plan.num_requests, kMaxRows / per_request);
  plan.num_rows = plan.num_requests * plan.rows_per_request;
}

Plan draw_plan(DsaMode mode, Draw& draw) {
  Plan plan;
  // Seldom so wide that each thread copies as much at once as it ever does.
  bool wide = draw.one_in(96);
  plan.num_requests = wide ? draw.between(4, 24) : draw_num_requests(draw);
  plan.single_row = !wide && draw.one_in(14);
  plan_rows(mode, plan, draw);
  wide = wide && plan.num_rows > 0;
  plan.page_size = draw_page_size(draw);
  // Elements of the tables; now and then enough for several blocks in a row.
  int64_t budget = draw.one_in(64) ? int64_t{1} << 17 : int64_t{1} << draw.between(8, 13);
  if (wide) budget = int64_t{1} << 19;
  const int64_t limit = std::max<int64_t>(2, budget / std::max<int64_t>(plan.num_rows, 1));
  plan.max_len =
      wide ? limit / 4 * 4 : draw_max_len(std::min<int64_t>(limit, 1 << 16), plan.page_size, draw);
  plan.aligned_rows = wide && !draw.one_in(4);
  const bool no_wider = plan.aligned_rows || draw.one_in(2);
  plan.num_columns = plan.max_len + (no_wider ? 0 : draw.between(1, 9));
  const int64_t most = std::max<int64_t>(1, budget / std::max<int64_t>(plan.num_columns, 1));
  plan.num_pool_rows = draw.between(1, std::min(most, plan.num_requests + 3));
  if (plan.num_requests == 0 && draw.one_in(4)) plan.num_pool_rows = 0;
  if (mode != DsaMode::kDecode) plan.expanded_min = draw.between(0, 2);
  return plan;
}

// ---- the case

class Maker {
 public:
  Maker(const Op& op, Draw& draw)
      : description_(describe_dsa(op)), plan_(draw_plan(description_.mode, draw)), draw_(draw) {
    case_ = make_case(op);
  }

  Case make() {
    set_scalars();
    set_dims();
    choose_tensors();
    fit_tensors(case_);
    set_inputs();
    choose_topk();
    set_output_layouts();
    if (draw_.one_in(4)) case_.forced_path = "eager";
    if (!draw_.one_in(4)) case_.seed = draw_.bits() | 1;
    // Rare: on a GPU a graph costs as much as a hundred plain launches. Refresh is made for it.
    if (draw_.one_in(description_.entry == DsaEntry::kRefresh ? 16 : 64)) add_replays();
    return std::move(case_);
  }

 private:
  int64_t& scalar(int idx) { return case_.scalars[static_cast<size_t>(idx)]; }
  Tensor& tensor(int idx) { return case_.tensors[static_cast<size_t>(idx)]; }
  bool has(int idx) const { return idx >= 0 && case_.tensors[static_cast<size_t>(idx)].present; }

  void set_scalars() {
    const DsaScalars& scalars = description_.scalars;
    scalar(scalars.max_len) = plan_.max_len;
    scalar(scalars.page_size) = plan_.page_size;
    scalar(scalars.tail) = draw_.one_in(4) ? 1 : 0;
    if (scalars.next_n >= 0) scalar(scalars.next_n) = plan_.rows_per_request;
    if (scalars.expanded_min >= 0) scalar(scalars.expanded_min) = plan_.expanded_min;
    if (scalars.form >= 0) {
      scalar(scalars.form) =
          static_cast<int64_t>(plan_.ragged ? DsaExtendForm::kRagged : DsaExtendForm::kStatic);
      scalar(scalars.extend_len) = plan_.ragged ? 0 : plan_.rows_per_request;
      scalar(scalars.total_len) = plan_.num_rows;
    }
    if (scalars.num_sm >= 0) {
      scalar(scalars.num_sm) = draw_.one_in(2) ? 132 : draw_.between(1, kMaxNumSm);
      scalar(scalars.remainder) = draw_.one_in(8) ? 1 : 0;
    }
  }

  void set_dims() {
    const DsaDims& dims = description_.dims;
    const auto dim = [&](int idx) -> int64_t& { return case_.dims[static_cast<size_t>(idx)]; };
    dim(dims.num_requests) = plan_.num_requests;
    dim(dims.num_pool_rows) = plan_.num_pool_rows;
    dim(dims.num_columns) = plan_.num_columns;
    if (dims.page_table_width < 0) return;
    const auto wider = [&] {
      return plan_.aligned_rows || draw_.one_in(2) ? 0 : draw_.between(1, 9);
    };
    dim(dims.page_table_width) = plan_.max_len + wider();
    dim(dims.real_page_table_width) = dsa_num_pages(plan_.max_len, plan_.page_size) + wider();
  }

  void choose_tensors() {
    const DsaTensors& tensors = description_.tensors;
    for (const int idx : {tensors.seq_lens, tensors.req_pool_indices}) {
      tensor(idx).dtype = draw_.one_in(2) ? DType::kInt64 : DType::kInt32;
      tensor(idx).elements = Elements(tensor(idx).dtype, 0);
    }
    const auto maybe_leave_out = [&](int idx, int64_t one_in) {
      if (idx < 0) return;
      const TensorSpec& spec = case_.op->tensors[static_cast<size_t>(idx)];
      if (presence_of(spec, case_) != Presence::kOptional) return;
      tensor(idx).present = !draw_.one_in(one_in);
    };
    maybe_leave_out(tensors.page_table, 3);
    maybe_leave_out(tensors.paged_mqa_ctx_lens, 2);
  }

  void put(int idx, const std::vector<int64_t>& values) {
    Elements& elements = tensor(idx).elements;
    for (size_t i = 0; i < values.size(); ++i) elements.set(static_cast<int64_t>(i), values[i]);
  }

  // The longest that a request may be made longer by before it leaves int32, and the shortest that
  // a row may be made; binding in a refresh alone.
  DsaLengthLimits length_limits() {
    DsaLengthLimits limits;
    limits.wide = tensor(description_.tensors.seq_lens).dtype == DType::kInt64;
    limits.typical = plan_.max_len;
    if (description_.entry != DsaEntry::kRefresh || plan_.expanded_min > 0) return limits;
    limits.low = 0;
    if (description_.mode == DsaMode::kTargetVerify) {
      limits.low = -1;
      limits.high = INT32_MAX - plan_.rows_per_request;
    }
    if (description_.mode == DsaMode::kDraftExtend) {
      int64_t longest = plan_.ragged ? 0 : plan_.rows_per_request;
      for (const int64_t len : plan_.extend_lens) longest = std::max(longest, len);
      limits.low = std::max<int64_t>(longest - 1, 0);
    }
    return limits;
  }

  // The last requests of a captured bucket are padding: pool row 0, and a length of 0 or 1 where
  // the contract lets it.
  void pad_bucket(const DsaLengthLimits& limits, std::vector<int64_t>& lens,
                  std::vector<int64_t>& pool_rows) {
    const int64_t num_live = draw_.between(0, plan_.num_requests);
    for (int64_t b = num_live; b < plan_.num_requests; ++b) {
      lens[static_cast<size_t>(b)] = std::max<int64_t>(draw_.between(0, 1), limits.low);
      pool_rows[static_cast<size_t>(b)] = 0;
    }
  }

  void set_inputs() {
    const DsaTensors& tensors = description_.tensors;
    if (has(tensors.extend_seq_lens)) put(tensors.extend_seq_lens, plan_.extend_lens);
    const DsaLengthLimits limits = length_limits();
    std::vector<int64_t> lens = draw_seq_lens(plan_.num_requests, limits, draw_);
    std::vector<int64_t> pool_rows = draw_pool_rows(plan_.num_requests, plan_.num_pool_rows, draw_);
    if (draw_.one_in(4)) pad_bucket(limits, lens, pool_rows);
    put(tensors.seq_lens, lens);
    put(tensors.req_pool_indices, pool_rows);
    tensor(tensors.req_to_token).elements =
        Elements(draw_slots(plan_.num_pool_rows, plan_.num_columns, plan_.page_size, draw_));
    for (const int idx : {tensors.seq_lens, tensors.req_pool_indices, tensors.extend_seq_lens}) {
      const bool may_repeat = idx != tensors.extend_seq_lens || plan_.one_extend_len;
      if (has(idx)) draw_vector_layout(tensor(idx), may_repeat, draw_);
    }
    if (!plan_.aligned_rows) draw_slots_layout(tensor(tensors.req_to_token), draw_);
  }

  // Beside the lengths that it may cut.
  void choose_topk() {
    const DsaCase view = view_dsa(case_);
    DsaRowLens lens;
    const int64_t chosen = draw_.between(0, std::max<int64_t>(view.num_requests - 1, 0));
    for (int64_t b = 0; b < view.num_requests; ++b) {
      const int64_t last = dsa_rows_of_request(view, b) - 1;
      for (int64_t j = 0; j <= last; j += std::max<int64_t>(last, 1)) {
        const int32_t len = dsa_row_len(view, b, j);
        lens.shortest = std::min(lens.shortest, len);
        lens.longest = std::max(lens.longest, len);
        if (b == chosen) lens.any = len;
      }
    }
    scalar(description_.scalars.topk) = draw_topk(lens, plan_.max_len, draw_);
  }

  void set_output_layouts() {
    const DsaTensors& tensors = description_.tensors;
    if (description_.entry == DsaEntry::kPrecompute) return;
    for (const int idx : {tensors.page_table, tensors.real_page_table}) {
      if (!has(idx) || plan_.aligned_rows) continue;
      draw_table_layout(tensor(idx), written_shape(case_, idx)[1], draw_);
    }
    if (has(tensors.paged_mqa_ctx_lens)) {
      draw_ctx_lens_layout(tensor(tensors.paged_mqa_ctx_lens), draw_);
    }
  }

  Step::Change change_of(int idx, const std::vector<int64_t>& values) {
    Elements elements(tensor(idx).dtype, tensor(idx).elements.size());
    for (size_t i = 0; i < values.size(); ++i) elements.set(static_cast<int64_t>(i), values[i]);
    return {.tensor = idx, .elements = std::move(elements)};
  }

  // A captured launch that is replayed: lengths up and down, requests that leave their bucket and
  // others that take their places, rows of a request that move to another.
  void add_replays() {
    case_.mode = Mode::kGraph;
    const int64_t slots = plan_.num_rows * plan_.max_len;
    const bool small = plan_.num_requests <= 64 && slots <= 4096;
    const bool drawn = description_.entry == DsaEntry::kRefresh && small && draw_.one_in(48);
    const bool many = drawn && slots <= 1024;  // all answers are held at once
    const int64_t num_replays = many ? kManyReplays : draw_.between(1, 3);
    for (int64_t i = 0; i < num_replays; ++i) case_.later_steps.push_back(draw_replay());
  }

  Step draw_replay() {
    const DsaTensors& tensors = description_.tensors;
    const auto may_change = [&](int idx) { return has(idx) && !repeats(tensor(idx)); };
    Step step;
    // Lengths that stay may be too short for other rows.
    const bool new_lens = may_change(tensors.seq_lens);
    if (new_lens && may_change(tensors.extend_seq_lens)) {
      plan_.extend_lens = shuffle_extend_lens(plan_.extend_lens, draw_);
      step.changes.push_back(change_of(tensors.extend_seq_lens, plan_.extend_lens));
    }
    const DsaLengthLimits limits = length_limits();
    std::vector<int64_t> lens = draw_seq_lens(plan_.num_requests, limits, draw_);
    std::vector<int64_t> pool_rows = draw_pool_rows(plan_.num_requests, plan_.num_pool_rows, draw_);
    if (draw_.one_in(2)) pad_bucket(limits, lens, pool_rows);
    if (new_lens) step.changes.push_back(change_of(tensors.seq_lens, lens));
    if (may_change(tensors.req_pool_indices)) {
      step.changes.push_back(change_of(tensors.req_pool_indices, pool_rows));
    }
    return step;
  }

  const DsaDescription& description_;
  Plan plan_;
  Draw& draw_;
  Case case_;
};

}  // namespace

Case generate_dsa_case(const Op& op, Draw& draw) {
  return Maker(op, draw).make();
}

}  // namespace bytegate
