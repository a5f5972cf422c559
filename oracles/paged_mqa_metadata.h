// `paged_mqa_metadata` on the host: its description, and the serial oracle.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/case.h"
#include "oracles/paged_mqa_metadata_contract.h"

namespace bytegate {

const Op& paged_mqa_metadata_op();

struct PagedMqaMetadataCase {
  std::span<const int32_t> context_lens;  // [B], tokens, each 0 .. 2^31-1
  int64_t num_sm = 1;                     // 1 .. kMaxNumSm
  Remainder remainder = Remainder::kLast;
};
// A typed view of a well-formed case of this op; it must not outlive the case.
PagedMqaMetadataCase view_paged_mqa_metadata(const Case& c);

Case make_paged_mqa_metadata_case(std::vector<int32_t> context_lens, int64_t num_sm,
                                  Remainder remainder = Remainder::kLast);

// Indices into paged_mqa_metadata_op().scalars and .tensors.
struct PagedMqaMetadataIndex {
  static constexpr int kNumSm = 0;
  static constexpr int kPageSize = 1;
  static constexpr int kRemainder = 2;
  static constexpr int kContextLens = 0;
  static constexpr int kScheduleMetadata = 1;
};

// The oracle. `table` is [num_sm + 1][2], columns (q, offset).
void paged_mqa_metadata_oracle(const PagedMqaMetadataCase& c, std::span<int32_t> table);

}  // namespace bytegate
