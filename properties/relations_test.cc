// The relations of every operation: they are about what is drawn, they hold for the oracle and for
// production, and none of them overlooks a wrong byte in what it speaks of.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <string>

#include "kernels/testing/candidates.h"
#include "properties/check_relations.h"
#include "properties/rapidcheck_gen.h"
#include "properties/same_outputs.h"

namespace bytegate {
namespace {

constexpr int64_t kMaxElements = 20000;  // of cases that a test runs hundreds of

bool is_small(const Case& c) {
  int64_t count = 0;
  for (const Tensor& tensor : c.tensors) {
    if (tensor.present) count += num_elements(tensor.shape).value_or(kMaxElements);
  }
  return count < kMaxElements;
}

Case drawn_step(const OpProperties& properties, uint64_t case_idx) {
  Draw draw(case_seed(21, case_idx));
  return at_step(properties.generate(draw), 0);
}

// A case and one that follows from it, with the outputs that the oracle gives.
struct Pair {
  Case c;
  Case related;
  Outputs outputs;
  Outputs related_outputs;
};

// `count` of them, fewer when they are rarer than one in a hundred.
std::vector<Pair> drawn_pairs(const OpProperties& properties, const Relation& relation,
                              size_t count) {
  std::vector<Pair> pairs;
  for (uint64_t i = 0; i < 100 * count && pairs.size() < count; ++i) {
    Case c = drawn_step(properties, i);
    if (!is_small(c)) continue;
    Draw draw(i);
    std::optional<Case> related = relation.follow_up(c, draw);
    if (!related) continue;
    Outputs outputs = expected_outputs(c);
    Outputs related_outputs = expected_outputs(*related);
    pairs.push_back({.c = std::move(c),
                     .related = std::move(*related),
                     .outputs = std::move(outputs),
                     .related_outputs = std::move(related_outputs)});
  }
  return pairs;
}

class Relations : public ::testing::TestWithParam<size_t> {
 protected:
  static const OpProperties& properties() { return all_properties()[GetParam()]; }
};

TEST_P(Relations, HaveNamesOfTheirOwn) {
  ASSERT_FALSE(properties().relations.empty());
  std::vector<std::string_view> names;
  for (const Relation& relation : properties().relations) names.push_back(relation.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST_P(Relations, HoldForTheOracleWhateverIsDrawn) {
  const auto holds = [] {
    const Case c = at_step(*gen_case(properties()), 0);
    if (!is_small(c)) return;
    Draw draw(*rc::gen::arbitrary<uint64_t>());
    const Outputs outputs = expected_outputs(c);
    for (const Relation& relation : properties().relations) {
      const std::optional<Case> related = relation.follow_up(c, draw);
      if (!related) continue;
      if (auto reason = invalid_reason(*related)) {
        RC_FAIL(std::string(relation.name) + " leads out of the contract: " + *reason);
      }
      const auto broken = relation.broken(c, outputs, *related, expected_outputs(*related));
      if (broken) RC_FAIL(std::string(relation.name) + ": " + *broken);
    }
  };
  EXPECT_TRUE(rc::check(holds));
}

TEST_P(Relations, HoldForProductionOnTheHost) {
  std::vector<Case> cases;
  for (uint64_t i = 0; i < 100; ++i) {
    cases.push_back(drawn_step(properties(), 1000 + i));
    if (!is_small(cases.back())) cases.pop_back();
  }
  const auto production = open_builtin("production");
  const auto backend = make_host_backend({});
  const std::vector<Verdict> verdicts =
      check(cases, *production, *backend, properties(), kWithoutOracle);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(verdicts[i].passed()) << describe(verdicts[i]) << "\n" << write_case(cases[i]);
  }
}

// Adds one to a stated element; false where the contract states none of that tensor.
bool spoil_element(const Case& c, Outputs& outputs, size_t tensor, Draw& draw) {
  const Elements& elements = outputs[tensor];
  if (elements.size() == 0) return false;
  const std::vector<uint8_t> stated = stated_elements(c, static_cast<int>(tensor));
  const int64_t idx = draw.between(0, elements.size() - 1);
  if (stated[static_cast<size_t>(idx)] == 0) return false;
  const int64_t value = elements.at(idx);
  outputs[tensor].set(idx, value == INT32_MAX ? value - 1 : value + 1);
  return true;
}

// What a relation speaks of is a part of the outputs, and one byte more or less may be as good a
// schedule; so not every wrong element is seen by every relation. But each relation sees some.
TEST_P(Relations, EachSeesAWrongElement) {
  for (const Relation& relation : properties().relations) {
    const std::vector<Pair> pairs = drawn_pairs(properties(), relation, 20);
    ASSERT_GE(pairs.size(), 20U) << relation.name << " applies to less than one case in 100";
    Draw draw(7);
    int num_spoiled = 0;
    int num_seen = 0;
    for (const Pair& pair : pairs) {
      for (size_t tensor = 0; tensor < pair.related.tensors.size(); ++tensor) {
        Outputs spoiled = pair.related_outputs;
        if (!spoil_element(pair.related, spoiled, tensor, draw)) continue;
        ++num_spoiled;
        if (relation.broken(pair.c, pair.outputs, pair.related, spoiled)) ++num_seen;
      }
    }
    EXPECT_GE(4 * num_seen, num_spoiled)
        << relation.name << " sees " << num_seen << " of " << num_spoiled;
    RecordProperty(std::string(relation.name),
                   std::to_string(num_seen) + " of " + std::to_string(num_spoiled));
  }
}

std::string op_name(const ::testing::TestParamInfo<size_t>& info) {
  return std::string(all_properties()[info.param].op->name);
}

INSTANTIATE_TEST_SUITE_P(All, Relations, ::testing::Range(size_t{0}, all_properties().size()),
                         op_name);

}  // namespace
}  // namespace bytegate
