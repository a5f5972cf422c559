#include "properties/paged_mqa_metadata_lists.h"

#include <array>
#include <numeric>
#include <span>

#include "oracles/paged_mqa_metadata.h"
#include "properties/draw.h"

namespace bytegate {
namespace {

constexpr uint64_t kSeed = 42;  // one for a whole list, as there
constexpr int32_t kMaxLen = 32768;

constexpr std::array<int64_t, 4> kSglangNumSm = {132, 256, 257, 1024};
constexpr std::array<int64_t, 9> kGateRows = {1, 4, 32, 64, 65, 128, 512, 2048, 4096};
constexpr std::array<int64_t, 32> kFullRows = {
    1,   2,   3,   4,   7,   8,   16,  31,  32,   33,   48,   63,   64,   65,   96,   127,
    128, 129, 192, 256, 257, 384, 512, 768, 1024, 1025, 1536, 2047, 2048, 2049, 4096, 8192};
constexpr std::array<int64_t, 4> kServingNumSm = {78, 132, 148, 152};
constexpr int64_t kMaxTensorRtRows = 131;

std::vector<int32_t> draw_lens(int64_t num_rows, Draw& draw) {
  std::vector<int32_t> lens(static_cast<size_t>(num_rows));
  for (int32_t& len : lens) len = static_cast<int32_t>(draw.between(1, kMaxLen));
  return lens;
}

// Random lengths for each number of rows and of multiprocessors, and three shapes written down.
std::vector<Case> sglang_cases(std::span<const int64_t> rows) {
  Draw draw(kSeed);
  std::vector<Case> cases;
  for (const int64_t num_rows : rows) {
    for (const int64_t num_sm : kSglangNumSm) {
      cases.push_back(make_paged_mqa_metadata_case(draw_lens(num_rows, draw), num_sm));
    }
  }
  constexpr int64_t kNumSm = kSglangNumSm.front();
  std::vector<int32_t> ramp(128);
  std::iota(ramp.begin(), ramp.end(), 1);
  std::vector<int32_t> one_long(64, 1);
  one_long.back() = kMaxLen;
  cases.push_back(make_paged_mqa_metadata_case(std::vector<int32_t>(64, 256), kNumSm));
  cases.push_back(make_paged_mqa_metadata_case(ramp, kNumSm));
  cases.push_back(make_paged_mqa_metadata_case(one_long, kNumSm));
  return cases;
}

std::vector<Case> tensorrt_llm_cases() {
  Draw draw(kSeed);
  std::vector<Case> cases;
  for (int64_t num_rows = 1; num_rows <= kMaxTensorRtRows; ++num_rows) {
    for (const int64_t num_sm : kServingNumSm) {
      cases.push_back(
          make_paged_mqa_metadata_case(draw_lens(num_rows, draw), num_sm, Remainder::kFirst));
    }
  }
  return cases;
}

}  // namespace

std::vector<CaseList> paged_mqa_metadata_lists() {
  return {
      {.name = "sglang-gate",
       .source = "sglang's scheduler test in its pull-request gate: 39 cases, one seed, lengths "
                 "of 1 and more, num_sm 132, 256, 257, 1024; values ours",
       .cases = [] { return sglang_cases(kGateRows); }},
      {.name = "sglang-full",
       .source = "sglang's scheduler test in full: 131 cases of the same kind; values ours",
       .cases = [] { return sglang_cases(kFullRows); }},
      {.name = "tensorrt-llm",
       .source = "TensorRT-LLM's metadata test: 524 cases, remainder to the first SMs; values "
                 "ours",
       .cases = tensorrt_llm_cases}};
}

}  // namespace bytegate
