#include "kernels/testing/schedule_candidates.h"

#include <algorithm>

#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

struct Schedule {
  const int32_t* lens = nullptr;
  int64_t num_rows = 0;
  int64_t num_sm = 0;
  bool larger_last = true;
  int32_t* table = nullptr;
};

Schedule read_schedule(CallReader& call) {
  const DLTensor* lens = call.tensor("context_lens", 1, 32);
  const DLTensor* table = call.tensor("schedule_metadata", 2, 32);
  if (call.failed()) return {};
  return {.lens = static_cast<const int32_t*>(lens->data),
          .num_rows = lens->shape[0],
          .num_sm = call.scalar("num_sm"),
          .larger_last = call.scalar("remainder") == static_cast<int64_t>(Remainder::kLast),
          .table = static_cast<int32_t*>(table->data)};
}

int64_t splits_of(const Schedule& schedule, int64_t row) {
  return (schedule.lens[row] + kSplitKv - 1) / kSplitKv;
}

int64_t total_splits(const Schedule& schedule) {
  int64_t total = 0;
  for (int64_t row = 0; row < schedule.num_rows; ++row) total += splits_of(schedule, row);
  return total;
}

void deal(const Schedule& schedule, int64_t total) {
  const int64_t share = total / schedule.num_sm;
  const int64_t rest = total % schedule.num_sm;
  int64_t row = 0;
  int64_t before = 0;
  for (int64_t sm = 0; sm <= schedule.num_sm; ++sm) {
    const int64_t larger = schedule.larger_last
                               ? std::max<int64_t>(sm - (schedule.num_sm - rest), 0)
                               : std::min(sm, rest);
    const int64_t start = sm * share + larger;
    while (row < schedule.num_rows && before + splits_of(schedule, row) <= start) {
      before += splits_of(schedule, row++);
    }
    schedule.table[2 * sm] = static_cast<int32_t>(row);
    schedule.table[2 * sm + 1] = row < schedule.num_rows ? static_cast<int32_t>(start - before) : 0;
  }
}

int32_t run_forward_remainder(void*, bytegate_call* call) {
  CallReader reader(*call);
  Schedule schedule = read_schedule(reader);
  if (reader.failed()) return reader.report_invalid();
  schedule.larger_last = false;
  deal(schedule, total_splits(schedule));
  return BYTEGATE_OK;
}

int32_t run_narrow_total(void*, bytegate_call* call) {
  CallReader reader(*call);
  const Schedule schedule = read_schedule(reader);
  if (reader.failed()) return reader.report_invalid();
  deal(schedule, static_cast<uint32_t>(total_splits(schedule)));
  return BYTEGATE_OK;
}

}  // namespace

const bytegate_candidate& forward_remainder_candidate() {
  static const bytegate_candidate table = host_table("forward remainder", run_forward_remainder);
  return table;
}

const bytegate_candidate& narrow_total_candidate() {
  static const bytegate_candidate table = host_table("32-bit total", run_narrow_total);
  return table;
}

}  // namespace bytegate
