#include "kernels/testing/survival_candidates.h"

#include <algorithm>

#include "kernels/call_reader.h"
#include "kernels/testing/candidates.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {
namespace {

struct Tensors {
  const DLTensor* in = nullptr;
  const DLTensor* out = nullptr;
};

int64_t length_at(const DLTensor& lens, int64_t idx) {
  return static_cast<const int32_t*>(lens.data)[idx * lens.strides[0]];
}

// Calls body(in, out) where both are there.
template <typename Body>
int32_t run_on(bytegate_call* call, const char* in, const char* out, int out_rank, Body body) {
  CallReader reader(*call);
  const Tensors tensors = {reader.optional_tensor(in, 1, 32), reader.tensor(out, out_rank, 32)};
  if (reader.failed()) return reader.report_invalid();
  if (tensors.in == nullptr) return BYTEGATE_OK;
  body(*tensors.in, *tensors.out);
  return BYTEGATE_OK;
}

int32_t index_by_length(void*, bytegate_call* call) {
  return run_on(call, "context_lens", "schedule_metadata", 2,
                [](const DLTensor& lens, const DLTensor& table) {
                  int32_t* count_of_length = static_cast<int32_t*>(table.data);
                  const int64_t last = table.shape[0] - 1;
                  for (int64_t i = 0; i < lens.shape[0]; ++i) {
                    count_of_length[std::min(length_at(lens, i), last)] = 1;
                  }
                });
}

int32_t count_down(void*, bytegate_call* call) {
  return run_on(call, "context_lens", "schedule_metadata", 2,
                [](const DLTensor& lens, const DLTensor&) {
                  for (int64_t i = 0; i < lens.shape[0]; ++i) {
                    const int64_t splits = (length_at(lens, i) + kSplitKv - 1) / kSplitKv;
                    volatile int64_t left = splits * kSplitKv;
                    while (left != 0) left = left - kSplitKv;
                  }
                });
}

int32_t trust_extend_lens(void*, bytegate_call* call) {
  return run_on(call, "extend_seq_lens", "seqlens_expanded", 1,
                [](const DLTensor& lens, const DLTensor& expanded) {
                  int64_t row = 0;
                  for (int64_t i = 0; i < lens.shape[0]; ++i) {
                    const int64_t len = length_at(lens, i);
                    if (len != 0) static_cast<int32_t*>(expanded.data)[row] = 1;
                    row += len;
                    if (len > 0) static_cast<int32_t*>(expanded.data)[row - 1] = 1;
                  }
                });
}

}  // namespace

const bytegate_candidate& indexes_by_length_candidate() {
  static const bytegate_candidate table = host_table("indexes by length", index_by_length);
  return table;
}

const bytegate_candidate& counts_down_candidate() {
  static const bytegate_candidate table = host_table("counts down", count_down);
  return table;
}

const bytegate_candidate& trusts_extend_lens_candidate() {
  static const bytegate_candidate table = host_table("trusts extend lens", trust_extend_lens);
  return table;
}

}  // namespace bytegate
