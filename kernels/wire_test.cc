#include "kernels/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "kernels/testing/layout_op.h"

namespace bytegate {
namespace {

using Bytes = std::vector<std::byte>;

// No two fields alike, and none at its default.
Case make_full_case() {
  Case c = make_layout_case(2, 3);
  c.scalars = {INT64_MIN, -1, INT64_MAX};
  c.tensors[0].strides = {1, 7};
  c.tensors[0].pattern = Pattern{.version = 2, .seed = 3, .low = -4, .high = 5};
  c.tensors[1].present = false;
  c.tensors[2].elements = Elements(std::vector<int64_t>{INT64_MAX, 0});
  c.later_steps = {{},
                   {.changes = {{.tensor = 2, .elements = Elements(std::vector<int32_t>{8, 9})}}}};
  c.expect = Expect::kRefused;
  c.mode = Mode::kGraph;
  c.backend = BackendKind::kCuda;
  c.forced_path = "path";
  c.seed = UINT64_MAX;
  c.call_faults = {{.kind = CallFaultKind::kOverlap, .tensor = 1, .other = 2}};
  c.origin = "mismatch:out";
  c.note = std::string("nul \0 in it", 11);
  return c;
}

RunResult make_full_result() {
  StepResult step;
  step.outputs = {Elements(), Elements(std::vector<int32_t>{1, 2}),
                  Elements(std::vector<int64_t>{3})};
  step.untouched = {{}, {0, 1}, {5000}};
  step.damage = Damage{.kind = Damage::Kind::kInput, .tensor = -1, .byte_offset = -5};
  return {.status = RunStatus::kLost, .message = "why", .path = "where", .steps = {step, {}}};
}

TEST(Wire, CasesComeBackWithEveryField) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): another address is the point
  const Op other_op = layout_op();
  std::vector<Case> cases = {make_full_case(), make_layout_case(0, 0)};
  cases[1].op = &other_op;
  const std::vector<const Op*> ops = {&other_op, &layout_op()};
  const auto actual = decode_cases(encode_cases(cases, ops), ops);
  ASSERT_TRUE(actual.has_value());
  EXPECT_EQ(cases, *actual);
}

TEST(Wire, ResultsComeBackWithEveryField) {
  const std::vector<RunResult> results = {make_full_result(), {}};
  const auto actual = decode_results(encode_results(results));
  ASSERT_TRUE(actual.has_value());
  ASSERT_EQ(actual->size(), 2u);
  const RunResult& expect = results[0];
  const RunResult& full = actual->front();
  EXPECT_EQ(expect.status, full.status);
  EXPECT_EQ(expect.message, full.message);
  EXPECT_EQ(expect.path, full.path);
  ASSERT_EQ(full.steps.size(), 2u);
  EXPECT_EQ(expect.steps[0].outputs, full.steps[0].outputs);
  EXPECT_EQ(expect.steps[0].untouched, full.steps[0].untouched);
  ASSERT_TRUE(full.steps[0].damage.has_value());
  EXPECT_EQ(full.steps[0].damage->kind, Damage::Kind::kInput);
  EXPECT_EQ(full.steps[0].damage->tensor, -1);
  EXPECT_EQ(full.steps[0].damage->byte_offset, -5);
  EXPECT_FALSE(full.steps[1].damage.has_value());
  EXPECT_EQ(actual->back().status, RunStatus::kRefused);
}

TEST(Wire, GreetingsComeBack) {
  const auto actual = decode_greeting(encode_greeting({.kind = BackendKind::kCuda, .text = "me"}));
  ASSERT_TRUE(actual.has_value());
  EXPECT_EQ(actual->kind, BackendKind::kCuda);
  EXPECT_EQ(actual->text, "me");
}

TEST(Wire, NothingIsSomething) {
  EXPECT_TRUE(decode_cases(encode_cases({}, {}), {}).has_value());
  EXPECT_TRUE(decode_results(encode_results({})).has_value());
  EXPECT_FALSE(decode_cases({}, {}).has_value());
  EXPECT_FALSE(decode_results({}).has_value());
}

TEST(Wire, EveryTruncationAndEveryByteMoreIsRefused) {
  const std::vector<const Op*> ops = {&layout_op()};
  const std::vector<Case> all_cases = {make_full_case()};
  Bytes cases = encode_cases(all_cases, ops);
  for (size_t size = 0; size < cases.size(); ++size) {
    EXPECT_FALSE(decode_cases(std::span(cases).first(size), ops).has_value()) << size;
  }
  const std::vector<RunResult> all_results = {make_full_result()};
  Bytes results = encode_results(all_results);
  for (size_t size = 0; size < results.size(); ++size) {
    EXPECT_FALSE(decode_results(std::span(results).first(size)).has_value()) << size;
  }
  cases.push_back(std::byte{0});
  results.push_back(std::byte{0});
  EXPECT_FALSE(decode_cases(cases, ops).has_value());
  EXPECT_FALSE(decode_results(results).has_value());
}

TEST(Wire, AnOperationThatIsNotInTheTableIsRefused) {
  const std::vector<const Op*> ops = {&layout_op()};
  const std::vector<Case> cases = {make_full_case()};
  EXPECT_FALSE(decode_cases(encode_cases(cases, ops), {}).has_value());
}

// Whatever the bytes are: an answer, in bounds, and no more memory than they are worth.
TEST(Wire, SpoiledBytesAreReadWithoutHarm) {
  std::mt19937_64 random(1);
  const std::vector<const Op*> ops = {&layout_op()};
  const std::vector<Case> all_cases = {make_full_case(), make_layout_case(4, 4)};
  const std::vector<RunResult> all_results = {make_full_result()};
  const Bytes cases = encode_cases(all_cases, ops);
  const Bytes results = encode_results(all_results);
  for (int round = 0; round < 20000; ++round) {
    for (const Bytes* right : {&cases, &results}) {
      Bytes spoiled = *right;
      for (uint64_t change = 0; change <= random() % 4; ++change) {
        spoiled[random() % spoiled.size()] = static_cast<std::byte>(random());
      }
      if (const auto read = decode_cases(spoiled, ops)) {
        EXPECT_EQ(encode_cases(*read, ops), spoiled);
      }
      if (const auto read = decode_results(spoiled)) {
        EXPECT_EQ(encode_results(*read), spoiled);
      }
    }
  }
}

}  // namespace
}  // namespace bytegate
