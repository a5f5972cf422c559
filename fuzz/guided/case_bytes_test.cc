#include "fuzz/guided/case_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/guided/case_form.h"
#include "fuzz/guided/case_size.h"
#include "fuzz/guided/integer_code.h"
#include "fuzz/sources.h"
#include "kernels/builtin_candidate.h"
#include "kernels/call_frame.h"
#include "kernels/host_backend.h"
#include "kernels/simt/sanitizer.h"
#include "oracles/case_text.h"
#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

using ::testing::Each;
using ::testing::Gt;

// Sanitizers take their time, and see what they see in fewer.
constexpr int tries(int count) {
  return simt::sanitizer::kActive ? count / 4 : count;
}

std::vector<uint8_t> random_bytes(Draw& draw) {
  std::vector<uint8_t> bytes(static_cast<size_t>(draw.between(0, 200)));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(draw.bits());
  return bytes;
}

// Of the forms that have call faults.
std::vector<uint8_t> random_fault_bytes(Draw& draw) {
  std::vector<uint8_t> bytes = random_bytes(draw);
  CaseForm form = CaseForm::of_byte(static_cast<uint8_t>(draw.bits() | 0xe0));
  form.has_faults = true;
  bytes.insert(bytes.begin(), form.byte());
  return bytes;
}

Case without_provenance(Case c) {
  c.origin.clear();
  c.note.clear();
  c.backend = BackendKind::kAny;
  for (Tensor& tensor : c.tensors) tensor.pattern.reset();
  return c;
}

Expect expectation_of(const Case& c) {
  if (invalid_call_reason(c)) return Expect::kRefused;
  return invalid_reason(c) ? Expect::kSurvived : Expect::kBytes;
}

TEST(IntegerCode, EveryIntegerIsReadAsItWasWritten) {
  ByteWriter out;
  std::vector<int64_t> values = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1};
  for (int64_t value = -300; value <= 300; ++value) values.push_back(value);
  for (int shift = 0; shift < 63; ++shift) {
    for (const int64_t beside : {-1, 0, 1}) {
      values.push_back((int64_t{1} << shift) + beside);
      values.push_back(-(int64_t{1} << shift) + beside);
    }
  }
  for (const int64_t value : values) out.integer(value);
  const std::vector<uint8_t> bytes = out.take();
  ByteReader in(bytes);
  for (const int64_t value : values) EXPECT_EQ(in.integer(), value);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.integer(), 0);
}

TEST(CaseBytes, AnyBytesAreAWellFormedCaseThatExpectsWhatItIs) {
  for (const OpProperties& properties : all_properties()) {
    Draw draw(1);
    for (int i = 0; i < tries(300); ++i) {
      const std::vector<uint8_t> bytes = random_bytes(draw);
      const Case c = case_of_bytes(*properties.op, bytes);
      ASSERT_EQ(malformed_reason(c), std::nullopt) << write_case(c);
      const bool path_decides =
          c.expect == Expect::kRefused && !c.forced_path.empty() && !invalid_call_reason(c);
      ASSERT_TRUE(path_decides || c.expect == expectation_of(c)) << write_case(c);
      ASSERT_EQ(case_of_bytes(*properties.op, bytes), c) << "it follows from the bytes alone";
      const OpTable ops = all_ops();
      const ParseResult read = read_case(write_case(c), ops);
      ASSERT_TRUE(read.value.has_value()) << to_string(read.error) << "\n" << write_case(c);
      ASSERT_EQ(*read.value, c);
    }
  }
}

TEST(CaseBytes, WhatBytesSayIsSaidAgain) {
  for (const OpProperties& properties : all_properties()) {
    Draw draw(2);
    for (int i = 0; i < tries(300); ++i) {
      const Case c =
          case_of_bytes(*properties.op, i % 2 == 0 ? random_bytes(draw) : random_fault_bytes(draw));
      const auto bytes = bytes_of_case(c);
      ASSERT_TRUE(bytes.has_value()) << write_case(c);
      ASSERT_EQ(case_of_bytes(*properties.op, *bytes), c);
    }
  }
}

TEST(CaseBytes, NoBytesAreACaseThatSaysNothingOfProduction) {
  const std::unique_ptr<Candidate> production = Candidate::open(production_candidate()).candidate;
  FaultMap faults;
  const std::unique_ptr<Backend> backend =
      make_guarded_host_backend({.max_switches = uint64_t{1} << 26}, faults);
  for (const OpProperties& properties : all_properties()) {
    Draw draw(4);
    std::array<int, 3> num_of_kind{};
    for (int i = 0; i < tries(600); ++i) {
      const Case c =
          case_of_bytes(*properties.op, i % 3 == 0 ? random_bytes(draw) : random_fault_bytes(draw));
      const Verdict verdict = check({&c, 1}, *production, *backend, properties).front();
      ASSERT_TRUE(verdict.passed()) << describe(verdict) << "\n" << write_case(c);
      for (const CallFault& fault : c.call_faults) ++num_of_kind[static_cast<size_t>(fault.kind)];
    }
    EXPECT_THAT(num_of_kind, Each(Gt(tries(20)))) << properties.op->name;
  }
}

// The hook alone keeps the fault of a workspace that there is not from being a case.
TEST(CaseBytes, WhetherProductionTakesAWorkspaceIsKnown) {
  const std::unique_ptr<Candidate> production = Candidate::open(production_candidate()).candidate;
  for (const OpProperties& properties : all_properties()) {
    std::array<int, 2> num{};
    for (int seed = 0; seed < tries(400); ++seed) {
      Draw draw(static_cast<uint64_t>(seed));
      Case c = properties.generate(draw);
      if (seed % 4 == 0) c.forced_path = properties.op->paths.back();
      const CallSize size = query_call(*production, c, {.device_type = kDLCPU, .device_id = 0});
      ASSERT_EQ(size.status, BYTEGATE_OK) << size.message;
      ASSERT_EQ(properties.takes_workspace(c), size.workspace_bytes > 0) << write_case(c);
      ++num[size.workspace_bytes > 0 ? 1 : 0];
    }
    EXPECT_THAT(num, Each(Gt(tries(20)))) << properties.op->name;
  }
}

TEST(CaseBytes, DrawnCasesAreSaidInTheUsualForm) {
  for (const OpProperties& properties : all_properties()) {
    int num_said = 0;
    int num_usual = 0;
    int num_tried = 0;
    for (int seed = 0; seed < tries(150); ++seed) {
      Draw draw(static_cast<uint64_t>(seed));
      const Case c = properties.generate(draw);
      const auto bytes = bytes_of_case(c);
      const auto larger = bytes_of_case(c, {.max_elements = int64_t{1} << 18});
      ++num_tried;
      if (larger) ++num_said;
      if (!bytes) continue;
      EXPECT_EQ(case_of_bytes(*properties.op, *bytes), without_provenance(c));
      if (CaseForm::of_byte(bytes->front()).byte() == 0) ++num_usual;
    }
    EXPECT_GT(num_said, num_tried * 9 / 10) << properties.op->name;
    EXPECT_GT(num_usual, num_tried / 2) << properties.op->name;
  }
}

TEST(CaseBytes, MostBytesAreValidCases) {
  for (const OpProperties& properties : all_properties()) {
    Draw draw(3);
    int num_valid = 0;
    int num_with_rows = 0;
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
      const Case c = case_of_bytes(*properties.op, random_bytes(draw));
      if (c.expect != Expect::kBytes) continue;
      ++num_valid;
      if (c.dims[0] > 0) ++num_with_rows;
    }
    EXPECT_GE(num_with_rows, kTries / 5) << properties.op->name;
    EXPECT_GE(num_valid, kTries / 2) << properties.op->name;
  }
}

// ---- what is kept

bool is_within_limits(const Case& c) {
  CaseSize size = size_of(c);
  for (const Step& step : c.later_steps) {
    for (const Step::Change& change : step.changes) size.inputs += change.elements.size();
  }
  return fits(size, {}) && std::all_of(c.tensors.begin(), c.tensors.end(), [](Tensor tensor) {
           const Dims strides = tensor.strides;
           bound_strides(tensor, {});
           return tensor.strides == strides;
         });
}

TEST(CaseBytes, KeptCasesAreSaid) {
  const CaseFiles files = find_case_files(BYTEGATE_CORPUS);
  ASSERT_EQ(files.error, "");
  const OpTable ops = all_ops();
  int64_t num_said = 0;
  for (const std::string& path : files.paths) {
    if (is_large_case(path)) continue;
    const LoadResult loaded = load_case(path, ops);
    ASSERT_TRUE(loaded.value.has_value()) << loaded.error;
    if (!is_within_limits(*loaded.value)) continue;
    const auto bytes = bytes_of_case(*loaded.value);
    ASSERT_TRUE(bytes.has_value()) << path;
    EXPECT_EQ(case_of_bytes(*loaded.value->op, *bytes), without_provenance(*loaded.value)) << path;
    ++num_said;
  }
  // Those of 2^15 elements at most; traces of many requests have more.
  EXPECT_GE(num_said, 420);
}

}  // namespace
}  // namespace bytegate
