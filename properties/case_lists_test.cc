#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "properties/op_properties.h"

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(CaseLists, HoldAsManyCasesAsTheSuitesThatTheyFollow) {
  std::map<std::string_view, size_t> sizes;
  for (const OpProperties& properties : all_properties()) {
    for (const CaseList& list : properties.lists) sizes[list.name] += list.cases().size();
  }
  EXPECT_THAT(sizes, ElementsAre(Pair("sglang-full", 131), Pair("sglang-fused", 16),
                                 Pair("sglang-gate", 39), Pair("tensorrt-llm", 524)));
}

TEST(CaseLists, HoldValidCasesOfTheirOperationInPlainLaunches) {
  for (const OpProperties& properties : all_properties()) {
    for (const CaseList& list : properties.lists) {
      for (const Case& c : list.cases()) {
        EXPECT_EQ(c.op, properties.op);
        EXPECT_EQ(invalid_reason(c), std::nullopt) << list.name << " of " << properties.op->name;
        EXPECT_EQ(c.mode, Mode::kPlain);
        EXPECT_EQ(c.expect, Expect::kBytes);
        EXPECT_TRUE(c.later_steps.empty());
      }
    }
  }
}

}  // namespace
}  // namespace bytegate
