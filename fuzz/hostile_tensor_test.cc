// Candidates whose output bytes are right while they reach beside their buffers, or are right only
// by what happened to be there. Every tensor of every operation has its turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "fuzz/testing/hostile_case.h"

namespace bytegate {
namespace {

using Has = std::function<bool(const TensorSpec&)>;

bool is_input(const TensorSpec& spec) {
  return spec.role == Role::kInput;
}
bool is_output(const TensorSpec& spec) {
  return spec.role == Role::kOutput;
}
bool leaves_stride_open(const TensorSpec& spec) {
  return !spec.strided.empty() && spec.strided.back();
}

// The hostility on each of the tensors, in this mode: its origin is the verdict's with the name of
// the tensor, and of the mode if that is what shows it.
void expect_named(Hostility hostility, const Has& has, Mode mode, const std::string& verdict,
                  const std::string& at_mode = "") {
  int num_tensors = 0;
  for (const OpProperties& properties : all_properties()) {
    for (size_t i = 0; i < properties.op->tensors.size(); ++i) {
      const TensorSpec& spec = properties.op->tensors[i];
      if (!has(spec)) continue;
      ++num_tensors;
      Case c = case_with_tensor(properties, static_cast<int>(i));
      c.mode = mode;
      EXPECT_EQ(verdict + ":" + std::string(spec.name) + at_mode,
                origin_of_runs(c, hostility, static_cast<int>(i)))
          << properties.op->name << ", " << hostility_name(hostility);
    }
  }
  EXPECT_GT(num_tensors, 0);
}

TEST(HostileTensors, AReadOneElementAfterAnInputIsNamed) {
  expect_named(Hostility::kReadAfter, is_input, Mode::kPlain, "overread");
}

TEST(HostileTensors, AReadOneElementBeforeAnInputIsNamed) {
  expect_named(Hostility::kReadBefore, is_input, Mode::kGuardBefore, "overread", "@guard_before");
}

TEST(HostileTensors, AReadOneElementAfterAnOutputIsNamed) {
  expect_named(Hostility::kReadAfter, is_output, Mode::kPlain, "overread");
}

TEST(HostileTensors, AWriteOneElementAfterAnOutputIsNamed) {
  expect_named(Hostility::kWriteAfter, is_output, Mode::kPlain, "overrun");
}

TEST(HostileTensors, AWriteOneElementBeforeAnOutputIsNamed) {
  expect_named(Hostility::kWriteBefore, is_output, Mode::kPlain, "overrun");
}

TEST(HostileTensors, AWriteFarAfterAnOutputIsNamed) {
  expect_named(Hostility::kWriteFarAfter, is_output, Mode::kPlain, "overrun");
}

TEST(HostileTensors, AWriteIntoAnInputIsNamed) {
  expect_named(Hostility::kWriteInput, is_input, Mode::kPlain, "overrun");
}

TEST(HostileTensors, AWriteBetweenTheElementsOfAnOutputIsNamed) {
  const auto has_gaps = [](const TensorSpec& spec) {
    return is_output(spec) && leaves_stride_open(spec);
  };
  expect_named(Hostility::kWriteGap, has_gaps, Mode::kStrided, "overrun", "@strided");
}

TEST(HostileTensors, ALastElementThatIsNotWrittenIsNamed) {
  expect_named(Hostility::kLeaveLast, is_output, Mode::kPlain, "unwritten");
}

TEST(HostileTensors, ALastElementThatHeldTheRightValueIsNamed) {
  expect_named(Hostility::kLeaveLastAgain, is_output, Mode::kAgain, "unwritten", "@again");
}

TEST(HostileTensors, AResultThatDependsOnTheOldOutputIsNamed) {
  expect_named(Hostility::kAddOldOutput, is_output, Mode::kPlain, "mismatch");
}

TEST(HostileTensors, ASecondRunWithOtherBytesIsNamed) {
  expect_named(Hostility::kWrongSecondTime, is_output, Mode::kAgain, "unstable", "@again");
}

TEST(HostileTensors, AResultThatDependsOnAlignmentIsNamed) {
  expect_named(Hostility::kWrongWhenUnaligned, is_output, Mode::kElementAligned, "mismatch",
               "@element_aligned");
}

}  // namespace
}  // namespace bytegate
