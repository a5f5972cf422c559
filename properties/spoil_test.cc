#include "properties/spoil.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/op_properties.h"
#include "properties/testing/dsa_drawn.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

constexpr uint64_t kRunSeed = 21;

Case generated(const OpProperties& properties, uint64_t case_idx) {
  return drawn_case(properties, kRunSeed, case_idx);
}

const Elements& input(const Case& c, int tensor) {
  return c.tensors[static_cast<size_t>(tensor)].elements;
}

template <typename Holds>
bool any_element(const Elements& elements, Holds holds) {
  for (int64_t i = 0; i < elements.size(); ++i) {
    if (holds(elements.at(i))) return true;
  }
  return false;
}

constexpr uint64_t kNumDrawn = 400;

// Of the first drawn cases those that were spoiled.
template <typename Visit>
void visit_spoiled(const OpProperties& properties, Visit visit, uint64_t num_drawn = kNumDrawn) {
  for (uint64_t i = 0; i < num_drawn; ++i) {
    Case c = generated(properties, i);
    Draw draw(case_seed(kRunSeed + 1, i));
    if (spoil(c, draw)) visit(c);
  }
}

// How many of them are as `is` says.
template <typename Is>
int64_t count_spoiled(const OpProperties& properties, Is is, uint64_t num_drawn = kNumDrawn) {
  int64_t count = 0;
  visit_spoiled(
      properties, [&](const Case& c) { count += is(c) ? 1 : 0; }, num_drawn);
  return count;
}

TEST(Spoil, LeavesACallInWhichTheHostSeesNothingWrong) {
  for (const OpProperties& properties : all_properties()) {
    const int64_t num_bad = count_spoiled(properties, [](const Case& c) {
      return c.expect != Expect::kSurvived || invalid_call_reason(c).has_value();
    });
    EXPECT_EQ(num_bad, 0) << properties.op->name;
  }
}

TEST(Spoil, ChangesNothingButTheElementsOfInputs) {
  for (const OpProperties& properties : all_properties()) {
    for (uint64_t i = 0; i < 50; ++i) {
      const Case c = generated(properties, i);
      Case spoiled = c;
      Draw draw(i);
      if (!spoil(spoiled, draw)) continue;
      spoiled.expect = c.expect;
      for (size_t tensor = 0; tensor < c.tensors.size(); ++tensor) {
        spoiled.tensors[tensor].elements = c.tensors[tensor].elements;
        spoiled.tensors[tensor].pattern = c.tensors[tensor].pattern;
      }
      for (size_t step = 0; step < c.later_steps.size(); ++step) {
        for (size_t k = 0; k < c.later_steps[step].changes.size(); ++k) {
          spoiled.later_steps[step].changes[k].elements = c.later_steps[step].changes[k].elements;
        }
      }
      EXPECT_EQ(spoiled, c) << properties.op->name << ", case " << i;
    }
  }
}

TEST(Spoil, GivesWhatIsWrittenAndReadAgain) {
  const OpTable ops = all_ops();
  for (const OpProperties& properties : all_properties()) {
    for (uint64_t i = 0; i < 20; ++i) {
      Case c = generated(properties, i);
      Draw draw(i);
      if (!spoil(c, draw)) continue;
      const ParseResult result = read_case(write_case(c), ops);
      ASSERT_TRUE(result.value.has_value()) << to_string(result.error);
      EXPECT_EQ(*result.value, c) << properties.op->name << ", case " << i;
    }
  }
}

TEST(Spoil, MostOfItIsOutsideTheContract) {
  for (const OpProperties& properties : all_properties()) {
    // Lengths of the page tables may be anything, so that not every change shows.
    EXPECT_GT(
        count_spoiled(properties, [](const Case& c) { return invalid_reason(c).has_value(); }), 100)
        << properties.op->name;
  }
}

TEST(Spoil, GivesNegativeLengths) {
  const OpProperties& schedule = *find_properties(all_properties(), paged_mqa_metadata_op());
  std::map<int64_t, int64_t> counts = {{-1, 0}, {-255, 0}, {-256, 0}, {INT32_MIN, 0}};
  visit_spoiled(schedule, [&](const Case& c) {
    for (auto& entry : counts) {
      entry.second += any_element(input(c, PagedMqaMetadataIndex::kContextLens),
                                  [&](int64_t value) { return value == entry.first; });
    }
  });
  for (const auto& [length, count] : counts) EXPECT_GT(count, 5) << length;
}

TEST(Spoil, GivesRequestIndicesFarOutsideAndJustBeyond) {
  struct Kind {
    const char* name;
    bool (*holds)(int64_t value, int64_t num_rows);
    int64_t count = 0;
  };
  for (const Op* op : dsa_ops()) {
    const OpProperties& properties = *find_properties(all_properties(), *op);
    const DsaDescription& description = describe_dsa(*op);
    std::array kinds = {
        Kind{"-1", [](int64_t value, int64_t) { return value == -1; }},
        Kind{"num_rows", [](int64_t value, int64_t num_rows) { return value == num_rows; }},
        Kind{"INT32_MAX", [](int64_t value, int64_t) { return value == INT32_MAX; }},
        Kind{"below int32", [](int64_t value, int64_t) { return value < INT32_MIN; }},
        Kind{"above int32", [](int64_t value, int64_t) { return value > INT32_MAX; }},
    };
    visit_spoiled(properties, [&](const Case& c) {
      const int64_t num_rows = c.dims[static_cast<size_t>(description.dims.num_pool_rows)];
      for (Kind& kind : kinds) {
        kind.count += any_element(input(c, description.tensors.req_pool_indices),
                                  [&](int64_t value) { return kind.holds(value, num_rows); });
      }
    });
    for (const Kind& kind : kinds) EXPECT_GT(kind.count, 2) << op->name << ", " << kind.name;
  }
}

TEST(Spoil, GivesExtendLensThatAreTooFewTooManyAndNegative) {
  const Op& op = dsa_draft_extend_metadata_op();
  const OpProperties& properties = *find_properties(all_properties(), op);
  const DsaDescription& description = describe_dsa(op);
  int64_t num_fewer = 0;
  int64_t num_more = 0;
  const int64_t num_negative = count_spoiled(properties, [&](const Case& c) {
    const Elements& lens = input(c, description.tensors.extend_seq_lens);
    int64_t sum = 0;
    for (int64_t i = 0; i < lens.size(); ++i) sum += std::max<int64_t>(lens.at(i), 0);
    const int64_t total = c.scalars[static_cast<size_t>(description.scalars.total_len)];
    if (lens.size() > 0 && sum < total) ++num_fewer;
    if (lens.size() > 0 && sum > total) ++num_more;
    return any_element(lens, [](int64_t value) { return value < 0; });
  });
  EXPECT_GT(num_fewer, 5);
  EXPECT_GT(num_more, 5);
  EXPECT_GT(num_negative, 5);
}

TEST(Spoil, SpoilsLaterStepsToo) {
  const OpProperties& schedule = *find_properties(all_properties(), paged_mqa_metadata_op());
  const auto is_spoiled_later = [](const Case& c) {
    for (size_t step = 1; step <= c.later_steps.size(); ++step) {
      Case at = at_step(c, step);
      at.expect = Expect::kBytes;
      if (invalid_reason(at)) return true;
    }
    return false;
  };
  // One drawn case in 64 has steps.
  EXPECT_GT(count_spoiled(schedule, is_spoiled_later, 5 * kNumDrawn), 5);
}

TEST(Spoil, ElementsThatShareAnAddressStayEqual) {
  Case c = make_ledger_case(5, 3);
  c.tensors[LedgerIndex::kKeys].strides = {0};
  c.tensors[LedgerIndex::kKeys].elements = Elements(std::vector<int64_t>(5, 7));
  c.tensors[LedgerIndex::kTable].strides = {0, 1};
  c.tensors[LedgerIndex::kTable].elements =
      Elements(std::vector<int32_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
  int num_spoiled = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Case spoiled = c;
    Draw draw(seed);
    num_spoiled += spoil(spoiled, draw) ? 1 : 0;
    EXPECT_EQ(malformed_reason(spoiled), std::nullopt);
  }
  EXPECT_GT(num_spoiled, 20);
}

TEST(Spoil, ACaseWithoutInputElementsIsLeftAlone) {
  const Case c = make_paged_mqa_metadata_case({}, 7);
  Case spoiled = c;
  Draw draw(1);
  EXPECT_FALSE(spoil(spoiled, draw));
  EXPECT_EQ(spoiled, c);
}

TEST(Spoil, OneGeneratedCaseInSixteenIsSpoiledAndTheOthersStay) {
  const OpProperties& schedule = *find_properties(all_properties(), paged_mqa_metadata_op());
  int64_t num_spoiled = 0;
  for (uint64_t i = 0; i < 1600; ++i) {
    const uint64_t seed = case_seed(kRunSeed, i);
    const Case c = generated(schedule, i);
    Case maybe = c;
    spoil_some(maybe, seed);
    if (maybe.expect == Expect::kSurvived) {
      ++num_spoiled;
    } else {
      EXPECT_EQ(maybe, c);
    }
  }
  // Most of what can be written into a vector of lengths is a length.
  EXPECT_GT(num_spoiled, 30);
  EXPECT_LT(num_spoiled, 150);
}

}  // namespace
}  // namespace bytegate
