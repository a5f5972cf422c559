#include "kernels/testing/dsa_refresh_candidates.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_candidates.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

constexpr int64_t kTileRows = 2048;

// What kRemembersLens keeps between calls.
struct State {
  std::vector<int64_t> seq_lens;
};

struct Arguments {
  const DLTensor* seq_lens = nullptr;
  const DLTensor* dsa_cache_seqlens = nullptr;
  const DLTensor* dsa_cu_seqlens_k = nullptr;
  const DLTensor* scheduled_lens = nullptr;
  const DLTensor* schedule_metadata = nullptr;
  int64_t num_sm = 1;
  bool larger_last = true;
};

bool is_decode(const bytegate_call& call) {
  return std::string_view(call.op) == "dsa_decode_refresh";
}

template <DsaRefreshFlaw kFlaw>
Arguments read_arguments(CallReader& call) {
  const bool cache_lens = is_decode(call.call()) || kFlaw == DsaRefreshFlaw::kSchedulesCacheLens;
  const bool last = call.scalar("remainder") == static_cast<int64_t>(Remainder::kLast);
  return {.seq_lens = call.integer_tensor("seq_lens", 1),
          .dsa_cache_seqlens = call.tensor("dsa_cache_seqlens", 1, 32),
          .dsa_cu_seqlens_k = call.tensor("dsa_cu_seqlens_k", 1, 32),
          .scheduled_lens = call.tensor(cache_lens ? "cache_seqlens" : "seqlens_expanded", 1, 32),
          .schedule_metadata = call.tensor("schedule_metadata", 2, 32),
          .num_sm = call.scalar("num_sm"),
          .larger_last = last || kFlaw == DsaRefreshFlaw::kAlwaysLast};
}

int32_t* values(const DLTensor* tensor) {
  return static_cast<int32_t*>(tensor->data);
}

// ---- the schedule

// Nothing right is negative; what a buffer held before is, at times, and is then a large length.
int64_t splits_of(const Arguments& args, int64_t row) {
  const int64_t len = static_cast<uint32_t>(values(args.scheduled_lens)[row]);
  return (len + kSplitKv - 1) / kSplitKv;
}

void write_schedule(const Arguments& args) {
  const int64_t num_rows = args.scheduled_lens->shape[0];
  int64_t total = 0;
  for (int64_t row = 0; row < num_rows; ++row) total += splits_of(args, row);
  const int64_t share = total / args.num_sm;
  const int64_t rest = total % args.num_sm;
  int32_t* table = values(args.schedule_metadata);
  int64_t row = 0;
  int64_t before = 0;
  for (int64_t sm = 0; sm <= args.num_sm; ++sm) {
    const int64_t larger =
        args.larger_last ? std::max<int64_t>(sm - (args.num_sm - rest), 0) : std::min(sm, rest);
    const int64_t start = sm * share + larger;
    while (row < num_rows && before + splits_of(args, row) <= start) {
      before += splits_of(args, row++);
    }
    table[2 * sm] = static_cast<int32_t>(row);
    table[2 * sm + 1] = row < num_rows ? static_cast<int32_t>(start - before) : 0;
  }
}

// ---- the metadata

const char* metadata_op(const bytegate_call& call) {
  if (is_decode(call)) return "dsa_decode_metadata";
  return std::string_view(call.op) == "dsa_target_verify_refresh" ? "dsa_target_verify_metadata"
                                                                  : "dsa_draft_extend_metadata";
}

// All that the metadata operation has is there under the same names.
int32_t write_metadata(bytegate_call call) {
  call.op = metadata_op(call);
  return dsa_candidate(DsaFlaw::kNone).run(nullptr, &call);
}

std::vector<int64_t> read_lens(const DLTensor& lens) {
  std::vector<int64_t> read;
  for (int64_t b = 0; b < lens.shape[0]; ++b) {
    const int64_t offset = b * lens.strides[0];
    read.push_back(lens.dtype.bits == 64 ? static_cast<const int64_t*>(lens.data)[offset]
                                         : static_cast<const int32_t*>(lens.data)[offset]);
  }
  return read;
}

int32_t write_remembered_metadata(const Arguments& args, State& state, bytegate_call call) {
  std::vector<int64_t> lens = read_lens(*args.seq_lens);
  if (state.seq_lens.size() != lens.size()) state.seq_lens = std::move(lens);
  int64_t stride = 1;
  DLTensor remembered = *args.seq_lens;
  remembered.data = state.seq_lens.data();
  remembered.dtype.bits = 64;
  remembered.strides = &stride;
  std::vector<bytegate_tensor> tensors(call.tensors, call.tensors + call.num_tensors);
  for (bytegate_tensor& tensor : tensors) {
    if (tensor.tensor == args.seq_lens) tensor.tensor = &remembered;
  }
  call.tensors = tensors.data();
  return write_metadata(call);
}

void lose_carry(const Arguments& args) {
  int32_t* sums = values(args.dsa_cu_seqlens_k);
  for (int64_t e = kTileRows; e < args.dsa_cache_seqlens->shape[0]; ++e) {
    const uint32_t before = e % kTileRows == 0 ? 0 : static_cast<uint32_t>(sums[e]);
    const uint32_t len = static_cast<uint32_t>(values(args.dsa_cache_seqlens)[e]);
    sums[e + 1] = static_cast<int32_t>(before + len);
  }
}

template <DsaRefreshFlaw kFlaw>
int32_t run(void* state, bytegate_call* call) {
  CallReader reader(*call);
  const Arguments args = read_arguments<kFlaw>(reader);
  if (reader.failed()) return reader.report_invalid();
  if (kFlaw == DsaRefreshFlaw::kSchedulesFirst) write_schedule(args);
  const int32_t status = kFlaw == DsaRefreshFlaw::kRemembersLens
                             ? write_remembered_metadata(args, *static_cast<State*>(state), *call)
                             : write_metadata(*call);
  if (status != BYTEGATE_OK) return status;
  if (kFlaw == DsaRefreshFlaw::kLosesCarry) lose_carry(args);
  if (kFlaw != DsaRefreshFlaw::kSchedulesFirst) write_schedule(args);
  return BYTEGATE_OK;
}

int32_t open(void** state, char*, uint64_t) {
  *state = new State();
  return BYTEGATE_OK;
}
void close(void* state) {
  delete static_cast<State*>(state);
}

constexpr size_t kNumFlaws = static_cast<size_t>(DsaRefreshFlaw::kNumFlaws);

template <size_t... kFlaws>
std::array<bytegate_candidate, kNumFlaws> all_tables(std::index_sequence<kFlaws...>) {
  return {host_table("dsa refresh", run<static_cast<DsaRefreshFlaw>(kFlaws)>)...};
}

}  // namespace

const bytegate_candidate& dsa_refresh_candidate(DsaRefreshFlaw flaw) {
  static const auto tables = [] {
    auto made = all_tables(std::make_index_sequence<kNumFlaws>());
    for (bytegate_candidate& table : made) {
      // It has no paths, so that a forced one is for others.
      table.paths = nullptr;
      table.open = open;
      table.close = close;
    }
    return made;
  }();
  return tables[static_cast<size_t>(flaw)];
}

}  // namespace bytegate
