// Spoiled cases with every buffer at an unmapped page, called directly: what reads or writes one
// byte beside a buffer ends the test.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "kernels/arena.h"
#include "kernels/call_frame.h"
#include "kernels/guard_pages.h"
#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_candidates.h"
#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "properties/op_properties.h"
#include "properties/spoil.h"

namespace bytegate {
namespace {

constexpr DLDevice kHostDevice = {kDLCPU, 0};
constexpr Mode kPlacings[] = {Mode::kGuardAfter, Mode::kGuardBefore};

// Runs every step of the case once; what is wrong with it, or nothing.
class AtPages {
 public:
  std::string run(Candidate& candidate, const Case& c) {
    const CallSize size = query_call(candidate, c, kHostDevice);
    if (size.status != BYTEGATE_OK) return "refused by its query: " + size.message;
    for (size_t step = 0; step <= c.later_steps.size(); ++step) {
      if (auto wrong = run_step(candidate, at_step(c, step), size); !wrong.empty()) return wrong;
    }
    return "";
  }

 private:
  std::string run_step(Candidate& candidate, const Case& c, const CallSize& size) {
    arena_.clear();
    arena_.place_in_windows(c, size.workspace_bytes);
    const PlacedCase& placed = arena_.placed(0);
    for (const Placement& placement : placed.tensors) {
      if (placement.sparse) return "";  // elsewhere: they take pages of their own
    }
    image_.resize(arena_.bytes());
    actual_.resize(arena_.bytes());
    arena_.fill_launch(c, 0, 0, {}, image_.data());
    if (!pages_.load(placed, image_.data())) return "no memory";
    CallFrame frame(c, kHostDevice, nullptr);
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      frame.set_data(static_cast<int>(i), pages_.buffer(static_cast<int>(i)));
    }
    frame.set_workspace(pages_.buffer(-1), size.workspace_bytes);
    const int32_t status = frame.run(candidate);
    pages_.store(placed, actual_.data());
    if (status != BYTEGATE_OK) return "status " + std::to_string(status) + ": " + frame.message();
    const StepResult result = arena_.take(c, 0, false, actual_.data(), image_.data());
    return result.damage ? "damage at tensor " + std::to_string(result.damage->tensor) : "";
  }

  Arena arena_;
  GuardPages pages_;
  std::vector<std::byte> image_;
  std::vector<std::byte> actual_;
};

std::optional<Case> spoiled_case(const OpProperties& properties, uint64_t seed) {
  Draw draw(seed);
  Case c = properties.generate(draw);
  if (!spoil(c, draw)) return std::nullopt;
  return c;
}

class SurvivalAtPages : public ::testing::TestWithParam<size_t> {
 protected:
  static constexpr uint64_t kNumCases = 300;

  static void expect_survived(const std::string& name, std::string_view path) {
    const auto candidate = open_builtin(name);
    AtPages pages;
    for (uint64_t i = 0; i < kNumCases; ++i) {
      std::optional<Case> c = spoiled_case(all_properties()[GetParam()], case_seed(51, i));
      if (!c) continue;
      c->forced_path = path;
      for (const Mode placing : kPlacings) {
        c->mode = placing;
        ASSERT_EQ(pages.run(*candidate, *c), "") << "case " << i << "\n" << write_case(*c);
      }
    }
  }
};

TEST_P(SurvivalAtPages, ProductionStaysInsideItsBuffersOnEveryPath) {
  expect_survived("production", "");
  for (const std::string_view path : all_properties()[GetParam()].op->paths) {
    if (path == "eager" || path == "multi_block") expect_survived("production", path);
  }
}

TEST_P(SurvivalAtPages, TheBaselineStaysInsideItsBuffers) {
  expect_survived("baseline", "");
}

std::string op_name_of(const ::testing::TestParamInfo<size_t>& info) {
  return std::string(all_properties()[info.param].op->name);
}

INSTANTIATE_TEST_SUITE_P(All, SurvivalAtPages, ::testing::Range<size_t>(0, all_properties().size()),
                         op_name_of);

// A request index one beyond the pool's last row, or one before its first.
Case one_request(int64_t index) {
  Case c = make_case(dsa_decode_metadata_op());
  const DsaDescription& description = describe_dsa(*c.op);
  c.dims[static_cast<size_t>(description.dims.num_requests)] = 1;
  c.dims[static_cast<size_t>(description.dims.num_pool_rows)] = 2;
  c.dims[static_cast<size_t>(description.dims.num_columns)] = 3;
  c.dims[static_cast<size_t>(description.dims.page_table_width)] = 3;
  c.scalars[static_cast<size_t>(description.scalars.max_len)] = 3;
  fit_tensors(c);
  c.tensors[static_cast<size_t>(description.tensors.req_pool_indices)].elements.set(0, index);
  c.expect = Expect::kSurvived;
  return c;
}

// Whether a process that runs the case gets to its end.
bool ends_well(const bytegate_candidate& table, const Case& c) {
  const pid_t child = fork();
  if (child == 0) {
    // Its end is expected, and a report of it would be taken for a failure.
    close(STDERR_FILENO);
    AtPages pages;
    const std::string wrong = pages.run(*open_candidate(table), c);
    _exit(wrong.empty() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(AtPages, ARowBesideThePoolIsNotReadUnseen) {
  const bytegate_candidate& trusting = dsa_candidate(DsaFlaw::kNone);
  for (const auto& [placing, index] :
       {std::pair(Mode::kGuardAfter, 2), std::pair(Mode::kGuardBefore, -1)}) {
    Case c = one_request(index);
    c.mode = placing;
    EXPECT_FALSE(ends_well(trusting, c));
    EXPECT_EQ(AtPages().run(*open_builtin("production"), c), "");
    c = one_request(1);
    c.mode = placing;
    EXPECT_TRUE(ends_well(trusting, c));
  }
}

}  // namespace
}  // namespace bytegate
