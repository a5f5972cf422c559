#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <random>
#include <string>

#include "oracles/case_text.h"
#include "oracles/case_text_test_op.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using Index = TextTestIndex;

const Op* const kOps[] = {&paged_mqa_metadata_op(), &text_test_op()};

void expect_round_trip(const Case& c) {
  const std::string text = write_case(c);
  const ParseResult result = read_case(text, kOps);
  ASSERT_TRUE(result.value.has_value()) << to_string(result.error) << "\n" << text;
  EXPECT_EQ(*result.value, c) << text;
  EXPECT_EQ(write_case(*result.value), text);
}

TEST(CaseTextRoundTrip, TheRichCaseIsWrittenAsDescribed) {
  EXPECT_EQ(write_case(make_text_test_case()),
            "bytegate-case 1\n"
            "op text_test\n"
            "scalar level lower\n"
            "scalar offset -9223372036854775808\n"
            "dim rows 2\n"
            "dim huge 40\n"
            "tensor indices int64 [2] = -9223372036854775808 9223372036854775807\n"
            "tensor mask int32 [2, 3, 2] stride [1, 100, 2] = 1*4 9-2*6 1000 0\n"
            "tensor weights int32 [40] = pattern 1 18446744073709551615 -5 2147483647 "
            "@7 -2147483648 @39 0\n"
            "tensor result int64 [2, 2] stride [5, 1]\n"
            "step\n"
            "tensor weights = 0*40\n"
            "tensor indices = 3 -4\n"
            "step\n"
            "end\n");
}

TEST(CaseTextRoundTrip, EverythingInACaseSurvives) {
  Case c = make_text_test_case();
  expect_round_trip(c);
  c.mode = Mode::kGraph;
  c.backend = BackendKind::kCuda;
  c.forced_path = "two words";
  c.seed = 1;
  c.scalars[Index::kLevel] = 1;  // in range, but beyond the symbols
  c.tensors[Index::kMask].present = false;
  fit_tensors(c);
  c.tensors[Index::kWeights].pattern.reset();
  expect_round_trip(c);
  c.expect = Expect::kRefused;
  c.scalars[Index::kLevel] = -77;
  c.call_faults = {{.kind = CallFaultKind::kOverlap, .tensor = 3, .other = 1},
                   {.kind = CallFaultKind::kShortWorkspace},
                   {.kind = CallFaultKind::kNull, .tensor = 2},
                   {.kind = CallFaultKind::kNull, .tensor = 2}};
  expect_round_trip(c);
}

TEST(CaseTextRoundTrip, OtherTypesThanTheFirstSurvive) {
  Case c = make_text_test_case();
  c.tensors[Index::kIndices].dtype = DType::kInt32;
  c.tensors[Index::kIndices].elements = Elements(std::vector<int32_t>{INT32_MIN, INT32_MAX});
  c.later_steps.clear();
  expect_round_trip(c);
}

TEST(CaseTextRoundTrip, AnyTextSurvivesInARemark) {
  Case c = make_paged_mqa_metadata_case({1}, 1);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text : {all, std::string("  a  "), std::string("\\x41"), std::string(" "),
                                  std::string("\n"), std::string("\t#"), std::string("\\")}) {
    c.note = text;
    c.origin = text;
    c.forced_path = text;
    expect_round_trip(c);
  }
}

TEST(CaseTextRoundTrip, TheRelationsOfAnOperationAreBlamedOnWhatTheyName) {
  Case c = make_text_test_case();
  c.scalars[Index::kOffset] = 13;
  EXPECT_EQ(to_string(read_case(write_case(c), kOps).error),
            "line 4: offset: offset must not be 13");
}

TEST(CaseTextRoundTrip, ACaseToBeSurvivedMayHoldAnyElements) {
  Case c = make_paged_mqa_metadata_case({-1, INT32_MIN, 64}, 2);
  c.later_steps = {{.changes = {{.tensor = PagedMqaMetadataIndex::kContextLens,
                                 .elements = Elements(std::vector<int32_t>{0, -256, 1})}}}};
  EXPECT_FALSE(read_case(write_case(c), kOps).value.has_value());
  c.expect = Expect::kSurvived;
  expect_round_trip(c);
}

TEST(CaseTextRoundTrip, TheRestOfACaseToBeSurvivedMustBeValid) {
  const auto error_of = [](const Case& c) {
    return to_string(read_case(write_case(c), kOps).error);
  };
  Case good = make_text_test_case();
  good.expect = Expect::kSurvived;
  good.tensors[Index::kMask].elements.set(0, 5000);  // beyond its range
  expect_round_trip(good);
  Case c = good;
  c.scalars[Index::kLevel] = -77;
  EXPECT_THAT(error_of(c), HasSubstr("level: -77 is outside"));
  c = good;
  c.scalars[Index::kOffset] = 13;
  EXPECT_THAT(error_of(c), HasSubstr("offset must not be 13"));
  c = good;
  c.tensors[Index::kResult].strides = {1, 1};
  EXPECT_THAT(error_of(c), HasSubstr("below the width written"));
  c = good;
  c.call_faults = {{.kind = CallFaultKind::kShortWorkspace}};
  EXPECT_THAT(error_of(c), HasSubstr("only a case with `expect refused` may have a fault"));
  c = good;
  c.tensors[Index::kMask].strides = {0, 0, 0};  // and its elements differ
  EXPECT_THAT(error_of(c), HasSubstr("share an address and differ"));
  c = good;
  c.scalars[Index::kLevel] = 1;  // where there must be no mask
  EXPECT_THAT(error_of(c), HasSubstr("mask must be absent"));
}

TEST(CaseTextRoundTrip, RandomCasesSurvive) {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t bound) { return static_cast<int64_t>(random() % bound); };
  for (int i = 0; i < 500; ++i) {
    Case c = make_case(text_test_op());
    c.scalars = {below(6) - 2, static_cast<int64_t>(random()) | 16};
    c.dims = {below(5), below(200)};
    c.tensors[Index::kMask].present = below(2) == 0;
    fit_tensors(c);
    for (Tensor* tensor : {&c.tensors[0], &c.tensors[1], &c.tensors[2]}) {
      const int64_t kind = below(3);
      for (int64_t at = 0; at < tensor->elements.size(); ++at) {
        const int64_t previous = at == 0 ? 0 : tensor->elements.at(at - 1);
        tensor->elements.set(at,
                             below(8) < 7 ? std::min<int64_t>(previous + kind, 1000) : below(900));
      }
    }
    expect_round_trip(c);
  }
}

// Whatever is read must be what is then written.
void expect_no_surprise(const std::string& text) {
  const ParseResult result = read_case(text, kOps, 10000);
  if (result.value) {
    expect_round_trip(*result.value);
  } else {
    EXPECT_GE(result.error.line, 1) << text;
    EXPECT_NE(result.error.field, "") << text;
    EXPECT_NE(result.error.message, "") << text;
  }
}

TEST(CaseTextHostile, EveryTruncationIsAnError) {
  const std::string text = write_case(make_text_test_case());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(read_case(text.substr(0, size), kOps).value.has_value()) << size;
  }
  EXPECT_TRUE(read_case(text.substr(0, text.size() - 1), kOps).value.has_value());
}

TEST(CaseTextHostile, EverySingleByteChangeIsReadOrNamed) {
  Case c = make_text_test_case();
  c.note = "a \\ note";
  const std::string text = write_case(c);
  const std::string bytes = std::string("\n\r\t #*+-0129=@[],\\adenpst\x7f\xff") + '\0';
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char byte : bytes) {
      std::string changed = text;
      changed[at] = byte;
      expect_no_surprise(changed);
      expect_no_surprise(text.substr(0, at) + byte + text.substr(at));
    }
    expect_no_surprise(text.substr(0, at) + text.substr(at + 1));
  }
}

TEST(CaseTextHostile, RandomBytesAreReadOrNamed) {
  std::mt19937_64 random(1);
  const std::string head = "bytegate-case 1\nop text_test\n";
  const std::string bytes = "\n\n\n  0123456789*+-=@[],tensor step dim rows scalar pattern int32";
  for (int i = 0; i < 20000; ++i) {
    std::string text = i % 4 == 0 ? "" : head;
    for (size_t size = random() % 60; size > 0; --size) {
      text += i % 2 == 0 ? bytes[random() % bytes.size()] : static_cast<char>(random());
    }
    expect_no_surprise(text);
  }
}

TEST(CaseTextHostile, AFewBytesCannotAskForGigabytes) {
  const auto error_of = [](const std::string& lines) {
    return to_string(read_case("bytegate-case 1\nop text_test\n" + lines, kOps).error);
  };
  EXPECT_THAT(error_of("tensor weights int32 [1000000000] = pattern 1 0 0 9"),
              HasSubstr("line 3: weights: 1000000000 elements are too many"));
  EXPECT_THAT(error_of("tensor weights int32 [134217728] ="), HasSubstr("holds 0 elements"));
  EXPECT_THAT(error_of("tensor weights int32 [9223372036854775807, 9223372036854775807] = 1"),
              HasSubstr("its shape is too large"));
  EXPECT_THAT(error_of("tensor mask int32 [0, 4294967296, 4294967296] = "),
              HasSubstr("its shape is too large"));
  EXPECT_THAT(error_of("tensor mask int32 [2, 0, 5] stride [9223372036854775807, 1, 1] ="),
              HasSubstr("its strides are too large"));
  const std::string rest =
      "scalar level 0\nscalar offset 0\ndim huge 0\ntensor weights int32 [0] =\n"
      "tensor mask absent\ntensor indices int64 [1000] = 0*1000\ndim rows 1000\n"
      "tensor result int64 [1000, 1000]\n";
  EXPECT_EQ(error_of(rest + "end"), "line 0: : ");
  EXPECT_THAT(
      to_string(read_case("bytegate-case 1\nop text_test\n" + rest + "end", kOps, 9999).error),
      HasSubstr("line 10: result: 1000000 elements are too many: the outputs of a case hold up to "
                "319968"));
  std::string steps;
  for (int i = 0; i < 70000; ++i) steps += "step\n";
  EXPECT_THAT(error_of(rest + steps + "end"),
              HasSubstr("line 65547: step: a case has up to 65536"));
}

TEST(CaseTextSpeed, ACaseOf131072RandomRowsIsBelow1500000BytesAndReadFast) {
  std::mt19937_64 random(1);
  std::vector<int32_t> lens(131072);
  for (int32_t& len : lens) len = static_cast<int32_t>(random() & INT32_MAX);
  const Case c = make_paged_mqa_metadata_case(lens, 132);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::string text = write_case(c);
  const auto written = Clock::now();
  const ParseResult result = read_case(text, kOps);
  const auto read = Clock::now();
  const auto ms = [](Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  std::printf("131072 random rows: %zu bytes, written in %.2f ms, read in %.2f ms\n", text.size(),
              ms(written - start), ms(read - written));
  EXPECT_LT(text.size(), 1500000U);
  ASSERT_TRUE(result.value.has_value()) << to_string(result.error);
  EXPECT_EQ(*result.value, c);
}

}  // namespace
}  // namespace bytegate
