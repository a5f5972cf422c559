// Contract of `paged_mqa_metadata`: deal the attention work of a batch to the SMs.
//
// Each request's context is cut into splits of kSplitKv tokens. The splits of all requests, laid
// end to end, are dealt to num_sm multiprocessors in equal contiguous shares that differ by at most
// one split. Row i of the table says where SM i starts, row i + 1 where it stops.
//
//   W[b] = ceil(context_lens[b] / kSplitKv)   P[b] = W[0] + .. + W[b]   S = sum of all W
//   avg = floor(S / num_sm)   ret = S - avg * num_sm
//   T[i] = i * avg + max(i - (num_sm - ret), 0)   remainder = last  (the last ret SMs take one
//   more) T[i] = i * avg + min(i, ret)                  remainder = first (the first ret SMs do)
//   q[i] = first b with P[b] > T[i], or B if there is none
//   offset[i] = T[i] - (splits before row q[i]) if q[i] < B, else 0
//
// S reaches 2^43 (2^20 rows of 2^31 - 1 tokens); nothing here wraps. A row of length zero owns no
// start. With S = 0 every row is (B, 0); with B = 0 every row is (0, 0).
#pragma once

#include <cstdint>

namespace bytegate {

constexpr int64_t kSplitKv = 256;  // tokens per split
constexpr int64_t kMaxNumSm = 1024;
constexpr int64_t kPagedMqaPageSize = 64;  // tokens per page; any other value is refused

enum class Remainder : int64_t {
  kLast = 0,   // reverse remainder: DeepGEMM since 2026-06, sglang
  kFirst = 1,  // older DeepGEMM, the flashinfer and TensorRT-LLM ports
};

}  // namespace bytegate
