// Whether the walker accepts what the eager oracle computes, and sees each single wrong element.
#include "oracles/dsa_walker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "oracles/dsa_test_batch.h"

namespace bytegate {
namespace {

using ::testing::Optional;
using ::testing::StartsWith;

std::string place(const Case& c, int tensor, int64_t idx) {
  const std::string name(c.op->tensors[static_cast<size_t>(tensor)].name);
  const Dims written = written_shape(c, tensor);
  if (written.rank() == 1) return name + "[" + std::to_string(idx) + "]";
  return name + "[" + std::to_string(idx / written[1]) + ", " + std::to_string(idx % written[1]) +
         "]";
}

std::vector<uint8_t> stated_elements(const Case& c, int tensor, int64_t count) {
  std::vector<uint8_t> stated(static_cast<size_t>(count), 1);
  const auto mask = c.op->tensors[static_cast<size_t>(tensor)].mask;
  if (mask != nullptr && count > 0) mask(c, stated);
  return stated;
}

struct Seen {
  int64_t num_stated = 0;
  int64_t num_open = 0;
};

// Changes each element of each output, one at a time.
void change_each(const Case& c, Seen& seen) {
  Outputs outputs = expected_outputs(c);
  const int schedule = describe_dsa(*c.op).tensors.schedule_metadata;
  for (int tensor = 0; tensor < static_cast<int>(outputs.size()); ++tensor) {
    Elements& elements = outputs[static_cast<size_t>(tensor)];
    const std::vector<uint8_t> stated = stated_elements(c, tensor, elements.size());
    for (int64_t i = 0; i < elements.size(); ++i) {
      const auto right = static_cast<int32_t>(elements.at(i));
      const auto bits = static_cast<uint32_t>(right);
      for (const uint32_t wrong : {bits + 1, bits - 1, bits ^ 0x80000000U, ~bits}) {
        elements.set(i, static_cast<int32_t>(wrong));
        const std::optional<std::string> broken = walk_dsa(c, outputs);
        if (stated[static_cast<size_t>(i)] == 0) {
          ASSERT_EQ(broken, std::nullopt) << place(c, tensor, i);
        } else if (tensor == schedule) {
          ASSERT_NE(broken, std::nullopt) << place(c, tensor, i) << " = " << elements.at(i);
        } else {
          ASSERT_THAT(broken, Optional(StartsWith(place(c, tensor, i) + " is ")));
        }
      }
      elements.set(i, right);
      ++(stated[static_cast<size_t>(i)] == 0 ? seen.num_open : seen.num_stated);
    }
  }
}

TEST(DsaWalker, AcceptsWhatTheOracleComputes) {
  for (const DsaTestBatch& batch : varied_dsa_test_batches()) {
    const Case c = make_dsa_test_case(batch);
    ASSERT_EQ(invalid_reason(c), std::nullopt) << batch.op->name;
    EXPECT_EQ(walk_dsa(c, expected_outputs(c)), std::nullopt) << batch.op->name;
  }
}

TEST(DsaWalker, NamesEachWrongElementAndLeavesTheOpenOnesAlone) {
  Seen seen;
  for (const DsaTestBatch& batch : varied_dsa_test_batches()) {
    SCOPED_TRACE(batch.op->name);
    const Case c = make_dsa_test_case(batch);
    ASSERT_EQ(invalid_reason(c), std::nullopt);
    ASSERT_NO_FATAL_FAILURE(change_each(c, seen));
  }
  EXPECT_GT(seen.num_stated, 1000);
  EXPECT_GT(seen.num_open, 100);
}

TEST(DsaWalker, SaysWhatIsThereAndWhatMustBe) {
  const Case c = make_dsa_test_case({.op = &dsa_decode_metadata_op(),
                                     .seq_lens = {3},
                                     .req_pool_indices = {0},
                                     .req_to_token = {{130, -1}},
                                     .max_len = 1,
                                     .page_size = 64});
  Outputs outputs = expected_outputs(c);
  const auto broken = [&](const char* name, int64_t idx, int64_t value) {
    Outputs changed = outputs;
    changed[static_cast<size_t>(c.op->tensor_index(name))].set(idx, value);
    return walk_dsa(c, changed);
  };
  EXPECT_EQ(broken("cache_seqlens", 0, 4), "cache_seqlens[0] is 4, must be 3");
  EXPECT_EQ(broken("cu_seqlens_k", 0, 1), "cu_seqlens_k[0] is 1, must be 0");
  EXPECT_EQ(broken("page_table", 0, 0), "page_table[0, 0] is 0, must be 130");
  EXPECT_EQ(broken("real_page_table", 0, 3),
            "real_page_table[0, 0] is 3, but slot 130 is in no such page of 64");
}

TEST(DsaWalker, LiveColumnsAreTheCacheLengthWithinTheTable) {
  // What tail = live states of three page_table and real_page_table rows of 6 and 2 columns.
  const Case c = make_dsa_test_case({.op = &dsa_decode_metadata_op(),
                                     .seq_lens = {5, -2, 100},
                                     .req_pool_indices = {0, 0, 0},
                                     .req_to_token = {{0, 1, 2, 3, 4, 5}},
                                     .max_len = 6,
                                     .page_size = 4,
                                     .tail = DsaTail::kLive});
  const DsaCase view = view_dsa(c);
  EXPECT_EQ(dsa_live_columns(view, 0), 5);
  EXPECT_EQ(dsa_live_columns(view, 1), 0);
  EXPECT_EQ(dsa_live_columns(view, 2), 6);
  const int page_table = c.op->tensor_index("page_table");
  EXPECT_THAT(stated_elements(c, page_table, 18),
              ::testing::ElementsAre(1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(stated_elements(c, c.op->tensor_index("real_page_table"), 6),
              ::testing::ElementsAre(1, 1, 0, 0, 1, 1));
}

TEST(DsaWalker, LiveColumnsOfAVerifiedRequestCountTheDrafts) {
  const Case c = make_dsa_test_case({.op = &dsa_target_verify_metadata_op(),
                                     .seq_lens = {1, -1},
                                     .req_pool_indices = {0, 0},
                                     .req_to_token = {{0, 1, 2, 3, 4}},
                                     .max_len = 5,
                                     .page_size = 3,
                                     .tail = DsaTail::kLive,
                                     .next_n = 2});
  // 3 and 1 columns, one page each, on both rows.
  EXPECT_THAT(stated_elements(c, c.op->tensor_index("page_table"), 20),
              ::testing::ElementsAre(1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(stated_elements(c, c.op->tensor_index("real_page_table"), 8),
              ::testing::ElementsAre(1, 0, 1, 0, 1, 0, 1, 0));
}

}  // namespace
}  // namespace bytegate
