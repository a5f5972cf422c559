#include "properties/dsa_worlds.h"

#include <algorithm>
#include <array>
#include <span>

#include "properties/dsa_world_case.h"
#include "properties/world_digits.h"

namespace bytegate {
namespace {

constexpr std::array<std::string_view, 2> kPaths = {"", "eager"};
constexpr std::array<DsaExpandedMin, 3> kExpandedMins = {
    DsaExpandedMin::kNone, DsaExpandedMin::kZero, DsaExpandedMin::kOne};
constexpr std::array<DType, 2> kDTypes = {DType::kInt32, DType::kInt64};

// How a world gives rows to requests.
enum class Rows : uint8_t { kOfMode, kStatic };

const DsaDescription& of(const Op& op) {
  return describe_dsa(op);
}
bool is(const Op& op, DsaMode mode) {
  return of(op).mode == mode;
}
bool is(const Op& op, DsaEntry entry) {
  return of(op).entry == entry;
}

// Lengths at every edge that the operation has. A length that reaches the schedule must be neither
// negative nor wrap, so that a refresh has its own.
std::span<const int64_t> edge_lens(const Op& op) {
  static constexpr std::array<int64_t, 9> kAny = {0,         1,  2,  3,        INT32_MAX - 2,
                                                  INT32_MAX, -1, -2, INT32_MIN};
  static constexpr std::array<int64_t, 9> kOfRefresh = {
      0, 1, 2, 3, 255, 256, 257, 512, INT32_MAX - 8};
  return is(op, DsaEntry::kRefresh) ? std::span<const int64_t>(kOfRefresh)
                                    : std::span<const int64_t>(kAny);
}

// Draft-extend rows count back from the length, and a refresh may not take them below zero.
int64_t shift_of(const Op& op, int64_t extend_len) {
  const bool counts_back = is(op, DsaMode::kDraftExtend) && is(op, DsaEntry::kRefresh);
  return counts_back ? extend_len : 0;
}

// Requests of every length, in ragged form also of 0..3 rows each; as many rows for all otherwise.
void choose_requests(const Op& op, Rows rows, int64_t least, int64_t most, WorldDigits& digits,
                     DsaWorldPoint& point) {
  const std::span<const int64_t> lens = edge_lens(op);
  const auto num_lens = static_cast<int64_t>(lens.size());
  const bool ragged = is(op, DsaMode::kDraftExtend) && rows == Rows::kOfMode;
  constexpr int64_t kNumExtendLens = 4;
  point.is_static = is(op, DsaMode::kDraftExtend) && !ragged;
  if (point.is_static) point.rows_per_request = digits.next(kNumExtendLens);
  if (is(op, DsaMode::kTargetVerify)) point.rows_per_request = 1 + digits.next(4);
  for (const int64_t number :
       digits.list(ragged ? num_lens * kNumExtendLens : num_lens, least, most)) {
    const int64_t len = lens[static_cast<size_t>(number % num_lens)];
    const int64_t extend_len = ragged ? number / num_lens : point.rows_per_request;
    point.lens.push_back(len + shift_of(op, extend_len));
    if (ragged) point.extend_lens.push_back(extend_len);
  }
}

// int32, int64, or int64 of which only the low half counts.
void choose_lens_dtype(WorldDigits& digits, DsaWorldPoint& point) {
  const int64_t kind = digits.next(3);
  if (kind > 0) point.lens_dtype = DType::kInt64;
  if (kind < 2) return;
  int64_t high = 1;
  for (int64_t& len : point.lens) len += high++ * (int64_t{1} << 32);
}

// ---- lengths: what is computed of them, with tables of one column

template <Rows kRows>
Case lengths_case(const Op& op, WorldDigits& digits) {
  constexpr std::array<int64_t, 4> kTopks = {1, 2, 2048, INT32_MAX};
  DsaWorldPoint point;
  point.path = digits.among(kPaths);
  point.topk = digits.among(kTopks);
  if (!is(op, DsaMode::kDecode)) point.expanded_min = digits.among(kExpandedMins);
  if (of(op).tensors.paged_mqa_ctx_lens >= 0) point.has_ctx_lens = digits.next(2) == 1;
  const bool one_by_one = is(op, DsaMode::kDecode);
  choose_requests(op, kRows, 1, one_by_one ? 3 : 2, digits, point);
  choose_lens_dtype(digits, point);
  return make_dsa_world_case(op, point);
}

// ---- tables: pages, widths and tails

struct Paging {
  int64_t page_size = 1;
  bool has_page_table = true;
};
constexpr std::array<Paging, 8> kPagings = {{{1, true},
                                             {2, true},
                                             {2, false},
                                             {3, true},
                                             {4, false},
                                             {64, true},
                                             {64, false},
                                             {INT32_MAX, true}}};
// An allocated page table is always there.
constexpr std::array<Paging, 6> kCompactPagings = {
    {{1, true}, {2, true}, {3, true}, {4, true}, {64, true}, {INT32_MAX, true}}};

// Two rows of each request, or one or two in ragged form.
void choose_table_requests(const Op& op, WorldDigits& digits, DsaWorldPoint& point) {
  constexpr std::array<int64_t, 3> kLens = {0, 3, 1000};
  constexpr auto kNumLens = static_cast<int64_t>(kLens.size());
  constexpr int64_t kNumPoolRows = 2;
  const bool ragged = is(op, DsaMode::kDraftExtend);
  if (is(op, DsaMode::kTargetVerify)) point.rows_per_request = 2;
  point.num_pool_rows = kNumPoolRows;
  for (const int64_t number : digits.list(kNumLens * kNumPoolRows, 0, 2)) {
    const int64_t pool_row = number % kNumPoolRows;
    const int64_t extend_len = 1 + pool_row;
    point.pool_rows.push_back(pool_row);
    point.lens.push_back(kLens[static_cast<size_t>(number / kNumPoolRows)] +
                         shift_of(op, extend_len));
    if (ragged) point.extend_lens.push_back(extend_len);
  }
}

Case tables_case(const Op& op, WorldDigits& digits) {
  constexpr std::array<int64_t, 9> kMaxLens = {0, 1, 2, 3, 4, 5, 63, 64, 65};
  constexpr std::array<DsaTail, 2> kTails = {DsaTail::kFull, DsaTail::kLive};
  DsaWorldPoint point;
  point.path = digits.among(kPaths);
  point.tail = digits.among(kTails);
  point.more_columns = digits.next(2);
  point.slots = static_cast<DsaSlots>(digits.next(4));
  const Paging paging =
      is(op, DsaEntry::kPrecompute) ? digits.among(kCompactPagings) : digits.among(kPagings);
  point.page_size = paging.page_size;
  point.has_page_table = paging.has_page_table;
  point.max_len = digits.among(kMaxLens);
  choose_table_requests(op, digits, point);
  return make_dsa_world_case(op, point);
}

// ---- layouts: every stride that the contract leaves open

void lay_out_vector(Tensor& vector, int64_t stride) {
  vector.strides = {stride};
  if (stride > 0) return;
  for (int64_t i = 1; i < vector.elements.size(); ++i) {
    vector.elements.set(i, vector.elements.at(0));
  }
}

void lay_out_slots(Tensor& slots, int64_t kind) {
  const int64_t rows = slots.shape[0];
  const int64_t columns = slots.shape[1];
  const std::array<Dims, 6> strides = {Dims{columns, 1},     Dims{columns + 1, 1},
                                       Dims{columns + 4, 1}, Dims{2 * columns + 1, 2},
                                       Dims{1, rows + 1},    Dims{0, 1}};
  slots.strides = strides[static_cast<size_t>(kind)];
  if (kind < 5) return;
  for (int64_t i = columns; i < slots.elements.size(); ++i) {
    slots.elements.set(i, slots.elements.at(i % columns));
  }
}

// As near as rows may be, or with a gap.
void lay_out_table(const Case& c, int idx, Tensor& table, WorldDigits& digits) {
  constexpr std::array<int64_t, 3> kGaps = {0, 1, 3};
  table.strides = {written_shape(c, idx)[1] + digits.among(kGaps), 1};
}

struct LayoutDigits {
  int64_t lens_stride = 1;
  int64_t pool_rows_stride = 1;
  int64_t slots_kind = 0;
};

template <int64_t kPageSize, bool kHasPageTable>
Case layouts_case(const Op& op, WorldDigits& digits) {
  constexpr std::array<int64_t, 3> kStrides = {1, 3, 0};
  constexpr int64_t kLen = 5;
  constexpr int64_t kNumSlotsKinds = 6;
  const DsaTensors& tensors = of(op).tensors;
  DsaWorldPoint point;
  point.path = digits.among(kPaths);
  point.lens_dtype = digits.among(kDTypes);
  point.pool_rows_dtype = digits.among(kDTypes);
  const LayoutDigits layout = {.lens_stride = digits.among(kStrides),
                               .pool_rows_stride = digits.among(kStrides),
                               .slots_kind = digits.next(kNumSlotsKinds)};
  const int64_t num_requests = 1 + digits.next(3);
  for (int64_t b = 0; b < num_requests; ++b) point.lens.push_back(kLen + b);
  if (is(op, DsaMode::kTargetVerify)) point.rows_per_request = 2;
  if (is(op, DsaMode::kDraftExtend)) {
    for (int64_t b = 0; b < num_requests; ++b) point.extend_lens.push_back(1 + b % 2);
  }
  point.page_size = kPageSize;
  point.has_page_table = kHasPageTable;
  point.max_len = 5;
  point.has_ctx_lens = tensors.paged_mqa_ctx_lens >= 0;
  Case c = make_dsa_world_case(op, point);
  const auto tensor = [&](int idx) -> Tensor& { return c.tensors[static_cast<size_t>(idx)]; };
  lay_out_vector(tensor(tensors.seq_lens), layout.lens_stride);
  lay_out_vector(tensor(tensors.req_pool_indices), layout.pool_rows_stride);
  lay_out_slots(tensor(tensors.req_to_token), layout.slots_kind);
  if (tensors.extend_seq_lens >= 0) {
    lay_out_vector(tensor(tensors.extend_seq_lens), 1 + digits.next(2));
  }
  if (is(op, DsaEntry::kPrecompute)) return c;
  for (const int idx : {tensors.page_table, tensors.real_page_table}) {
    if (tensor(idx).present) lay_out_table(c, idx, tensor(idx), digits);
  }
  if (point.has_ctx_lens) {
    const std::array<Dims, 3> strides = {Dims{2, 1}, Dims{5, 1}, Dims{7, 3}};
    tensor(tensors.paged_mqa_ctx_lens).strides = digits.among(strides);
  }
  return c;
}

// ---- schedules: what a refresh goes on to, of every length

Case schedules_case(const Op& op, WorldDigits& digits) {
  constexpr int64_t kMostSms = 8;
  DsaWorldPoint point;
  point.path = digits.among(kPaths);
  point.num_sm = 1 + digits.next(kMostSms);
  point.remainder = digits.next(2);
  choose_requests(op, Rows::kOfMode, 1, is(op, DsaMode::kDecode) ? 3 : 2, digits, point);
  return make_dsa_world_case(op, point);
}

template <const Op& (*kOp)(), Case (*kCase)(const Op&, WorldDigits&)>
Case case_of(WorldDigits& digits) {
  return kCase(kOp(), digits);
}

}  // namespace

template <const Op& (*kOp)()>
std::vector<World> dsa_worlds() {
  const Op& op = kOp();
  std::vector<World> worlds = {
      world_of<case_of<kOp, lengths_case<Rows::kOfMode>>>(
          "lengths",
          "few requests of lengths at the edges of int32, in int32 and int64, with each topk, "
          "clamp "
          "and number of rows, fused and eager"),
      world_of<case_of<kOp, tables_case>>(
          "tables",
          "up to 2 requests, page sizes and max_len around page edges, used and unused slots, both "
          "tails, exact and wider tables, fused and eager"),
      world_of<case_of<kOp, layouts_case<1, true>>>(
          "layouts-tokens", "every layout of every tensor with strides, page size 1"),
      world_of<case_of<kOp, layouts_case<2, true>>>(
          "layouts-both", "every layout of every tensor with strides, both tables"),
  };
  if (!is(op, DsaEntry::kPrecompute)) {
    worlds.push_back(world_of<case_of<kOp, layouts_case<2, false>>>(
        "layouts-pages", "every layout of every tensor with strides, the compact table alone"));
  }
  if (is(op, DsaMode::kDraftExtend)) {
    worlds.push_back(world_of<case_of<kOp, lengths_case<Rows::kStatic>>>(
        "lengths-static", "the same lengths where every request has 0..3 rows"));
  }
  if (is(op, DsaEntry::kRefresh)) {
    worlds.push_back(world_of<case_of<kOp, schedules_case>>(
        "schedules", "few requests of lengths around splits, num_sm 1..8, either remainder"));
  }
  return worlds;
}

template std::vector<World> dsa_worlds<dsa_decode_metadata_op>();
template std::vector<World> dsa_worlds<dsa_target_verify_metadata_op>();
template std::vector<World> dsa_worlds<dsa_draft_extend_metadata_op>();
template std::vector<World> dsa_worlds<dsa_decode_precompute_op>();
template std::vector<World> dsa_worlds<dsa_target_verify_precompute_op>();
template std::vector<World> dsa_worlds<dsa_decode_refresh_op>();
template std::vector<World> dsa_worlds<dsa_target_verify_refresh_op>();
template std::vector<World> dsa_worlds<dsa_draft_extend_refresh_op>();

}  // namespace bytegate
