#include "fuzz/choose_mode.h"

#include <gtest/gtest.h>

#include <array>

#include "properties/op_properties.h"
#include "properties/testing/ledger_op.h"

namespace bytegate {
namespace {

std::array<int, kModes.size()> drawn_modes(const Op& op, BackendKind backend, int num_cases) {
  std::array<int, kModes.size()> drawn{};
  for (int i = 0; i < num_cases; ++i) {
    Case c = make_case(op);
    Draw draw(case_seed(5, static_cast<uint64_t>(i)));
    choose_mode(c, backend, draw);
    ++drawn[static_cast<size_t>(c.mode)];
  }
  return drawn;
}

TEST(ChooseMode, EveryModeOfABackendIsDrawnAboutAsOftenAsItsEntrySays) {
  constexpr int kNumCases = 40000;
  for (const BackendKind backend : {BackendKind::kHost, BackendKind::kCuda}) {
    const auto drawn = drawn_modes(ledger_op(), backend, kNumCases);
    for (const ModeSpec& spec : kModes) {
      const int64_t n = backend == BackendKind::kHost ? spec.host_one_in : spec.cuda_one_in;
      const int num_drawn = drawn[static_cast<size_t>(spec.mode)];
      if (spec.mode == Mode::kPlain) {
        EXPECT_GT(num_drawn, kNumCases / 3);
      } else if (n == 0) {
        EXPECT_EQ(num_drawn, 0) << spec.name;
      } else {
        EXPECT_GT(num_drawn, kNumCases / n / 3) << spec.name;
        EXPECT_LT(num_drawn, 3 * kNumCases / n) << spec.name;
      }
    }
  }
}

TEST(ChooseMode, AnOperationWithoutStridesIsNotWidened) {
  const Op& op = *all_properties().front().op;
  ASSERT_EQ(op.name, "paged_mqa_metadata");
  EXPECT_FALSE(has_mode(op, Mode::kStrided, BackendKind::kHost));
  EXPECT_TRUE(has_mode(ledger_op(), Mode::kStrided, BackendKind::kHost));
  EXPECT_EQ(drawn_modes(op, BackendKind::kHost, 2000)[static_cast<size_t>(Mode::kStrided)], 0);
}

TEST(ChooseMode, AModeThatTheGeneratorChoseStays) {
  Case c = make_case(ledger_op());
  c.mode = Mode::kGraph;
  for (uint64_t i = 0; i < 100; ++i) {
    Draw draw(i);
    choose_mode(c, BackendKind::kHost, draw);
    EXPECT_EQ(c.mode, Mode::kGraph);
  }
}

}  // namespace
}  // namespace bytegate
