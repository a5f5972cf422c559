#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

int64_t num_table_rows(const Case& c) {
  const int64_t num_sm = c.scalars[Index::kNumSm];
  return num_sm < INT64_MAX ? num_sm + 1 : num_sm;
}
int64_t num_table_columns(const Case&) {
  return 2;
}

void run_oracle(const Case& c, Outputs& outputs) {
  paged_mqa_metadata_oracle(view_paged_mqa_metadata(c),
                            outputs[Index::kScheduleMetadata].int32_vector());
}

Op make_op() {
  Op op;
  op.name = "paged_mqa_metadata";
  op.summary = "deal the attention work of a batch over the SMs";
  op.scalars = {
      {.name = "num_sm", .min = 1, .max = kMaxNumSm, .simplest = 1},
      {.name = "page_size",
       .min = kPagedMqaPageSize,
       .max = kPagedMqaPageSize,
       .simplest = kPagedMqaPageSize},
      {.name = "remainder", .min = 0, .max = 1, .simplest = 0, .symbols = {"last", "first"}},
  };
  op.dims = {{.name = "B"}};
  op.tensors = {
      {.name = "context_lens",
       .role = Role::kInput,
       .shape = {{.dim = 0}},
       .min_value = 0,
       .max_value = INT32_MAX},
      {.name = "schedule_metadata",
       .role = Role::kOutput,
       .shape = {{.compute = num_table_rows}, {.compute = num_table_columns}}},
  };
  op.paths = {"tiny", "small", "multi_block"};
  op.oracle = run_oracle;
  return op;
}

int64_t num_splits(int32_t len_tokens) {
  return len_tokens / kSplitKv + (len_tokens % kSplitKv != 0 ? 1 : 0);
}

}  // namespace

const Op& paged_mqa_metadata_op() {
  static const Op op = make_op();
  return op;
}

PagedMqaMetadataCase view_paged_mqa_metadata(const Case& c) {
  return {.context_lens = c.tensors[Index::kContextLens].elements.int32(),
          .num_sm = c.scalars[Index::kNumSm],
          .remainder = static_cast<Remainder>(c.scalars[Index::kRemainder])};
}

Case make_paged_mqa_metadata_case(std::vector<int32_t> context_lens, int64_t num_sm,
                                  Remainder remainder) {
  Case c = make_case(paged_mqa_metadata_op());
  c.scalars[Index::kNumSm] = num_sm;
  c.scalars[Index::kRemainder] = static_cast<int64_t>(remainder);
  c.dims[0] = static_cast<int64_t>(context_lens.size());
  c.tensors[Index::kContextLens].elements = Elements(std::move(context_lens));
  fit_tensors(c);
  return c;
}

// Plays the deal out: SM after SM takes its share from the current request, moving on to the next
// one when it is used up. No prefix sums, no search, no closed form of T.
void paged_mqa_metadata_oracle(const PagedMqaMetadataCase& c, std::span<int32_t> table) {
  const int64_t num_rows = static_cast<int64_t>(c.context_lens.size());
  int64_t total = 0;
  for (const int32_t len : c.context_lens) total += num_splits(len);
  const int64_t share = total / c.num_sm;
  const int64_t num_larger_shares = total % c.num_sm;

  int64_t row = 0;    // the request being dealt
  int64_t dealt = 0;  // splits of it that are gone
  int64_t left = num_rows > 0 ? num_splits(c.context_lens[0]) : 0;
  const auto skip_used_up = [&] {
    while (row < num_rows && left == 0) {
      ++row;
      dealt = 0;
      left = row < num_rows ? num_splits(c.context_lens[static_cast<size_t>(row)]) : 0;
    }
  };
  for (int64_t sm = 0; sm <= c.num_sm; ++sm) {
    skip_used_up();
    table[static_cast<size_t>(2 * sm)] = static_cast<int32_t>(row);
    table[static_cast<size_t>(2 * sm + 1)] = static_cast<int32_t>(dealt);
    const bool larger = c.remainder == Remainder::kLast ? c.num_sm - sm <= num_larger_shares
                                                        : sm < num_larger_shares;
    int64_t wanted = sm == c.num_sm ? 0 : share + (larger ? 1 : 0);
    while (wanted > 0) {
      skip_used_up();
      const int64_t taken = wanted < left ? wanted : left;
      dealt += taken;
      left -= taken;
      wanted -= taken;
    }
  }
}

}  // namespace bytegate
