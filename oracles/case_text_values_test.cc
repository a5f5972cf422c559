#include "oracles/case_text_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string write(std::vector<int32_t> values) {
  std::string text = "x =";
  write_values(text, Elements(std::move(values)), std::nullopt);
  return text;
}

struct Read {
  Values values;
  std::string error;
};
Read read(const std::string& text, int64_t count, DType dtype = DType::kInt32) {
  Lines lines(text);
  Words words(lines.next()->text);
  words.next();  // the `=`
  ValueWords value_words(lines, words);
  Read read;
  if (auto error = read_values(value_words, dtype, count, read.values)) {
    read.error = std::to_string(error->line) + ": " + error->message;
  }
  return read;
}
std::vector<int32_t> read_int32(const std::string& text, int64_t count) {
  Read result = read(text, count);
  EXPECT_EQ(result.error, "") << text;
  return result.error.empty() ? result.values.elements.int32_vector() : std::vector<int32_t>();
}

TEST(CaseTextValues, PlainRepeatedAndProgressiveValuesMix) {
  EXPECT_EQ(write({7, 3, 3, 3, 3, 9, 7, 5, 3, 1, -1, 0, 256, 512, 768, 1024, 1280}),
            "x = 7 3*4 9-2*6 0+256*6");
  EXPECT_THAT(read_int32("= 7 3*4 9-2*3 0+256*2", 10), ElementsAre(7, 3, 3, 3, 3, 9, 7, 5, 0, 256));
}

TEST(CaseTextValues, ShortRunsAreWrittenOut) {
  EXPECT_EQ(write({}), "x =");
  EXPECT_EQ(write({5}), "x = 5");
  EXPECT_EQ(write({1, 1, 1, 2, 3, 4, 5}), "x = 1 1 1 2 3 4 5");
}

TEST(CaseTextValues, ValuesThatDoNotFitALineGoBelowItInLinesOf100Columns) {
  std::vector<int32_t> values(40);
  for (int i = 0; i < 40; ++i) values[static_cast<size_t>(i)] = i % 2 == 0 ? 1000000 + i : -i;
  const std::string text = write(values);
  EXPECT_EQ(text.substr(0, 30), "x =\n  1000000 -1 1000002 -3 10");
  size_t start = 0;
  for (size_t end = 0; end != std::string::npos; start = end + 1) {
    end = text.find('\n', start);
    EXPECT_LE(std::min(end, text.size()) - start, 100U);
    EXPECT_NE(text[std::min(end, text.size()) - 1], ' ');
  }
  EXPECT_EQ(read_int32(text.substr(2), 40), values);
}

TEST(CaseTextValues, ALineOf100ColumnsIsNotBroken) {
  // "x =" and 24 values of 4 columns with their blanks are 99 columns.
  std::vector<int32_t> values(24);
  for (int i = 0; i < 24; ++i) values[static_cast<size_t>(i)] = i % 2 == 0 ? 100 : 101 + i;
  EXPECT_EQ(write(values).find('\n'), std::string::npos);
  values[0] = 1000;
  EXPECT_EQ(write(values).size(), 100U);
  EXPECT_EQ(write(values).find('\n'), std::string::npos);
  values[2] = 1000;
  EXPECT_EQ(write(values).find('\n'), 3U);
}

TEST(CaseTextValues, TheExtremesOf64BitsAreRead) {
  const std::vector<int64_t> extremes = {INT64_MIN, INT64_MAX, 0, INT64_MIN, -1, INT64_MAX};
  std::string text = "=";
  write_values(text, Elements(extremes), std::nullopt);
  EXPECT_EQ(read(text, 6, DType::kInt64).values.elements, Elements(extremes));
  const Read steps = read(
      "= 0-9223372036854775808*2 -9223372036854775808+4611686018427387904*4 "
      "-9223372036854775808+9223372036854775807*3",
      9, DType::kInt64);
  ASSERT_EQ(steps.error, "");
  EXPECT_THAT(steps.values.elements.int64(),
              ElementsAre(0, INT64_MIN, INT64_MIN, INT64_MIN / 2, 0, INT64_MAX / 2 + 1, INT64_MIN,
                          -1, INT64_MAX - 1));
}

TEST(CaseTextValues, WhatLeavesTheTypeIsAnError) {
  EXPECT_EQ(read("= 2147483648", 1).error,
            "1: '2147483648' leaves int32 -2147483648 .. 2147483647");
  EXPECT_THAT(read("= 2147483640+4*3", 3).error, HasSubstr("leaves int32"));
  EXPECT_THAT(read("= -2147483648-1*2", 2).error, HasSubstr("leaves int32"));
  EXPECT_THAT(read("= 1-9223372036854775808*2", 2, DType::kInt64).error, "");
  EXPECT_THAT(read("= -1-9223372036854775808*2", 2, DType::kInt64).error,
              HasSubstr("leaves int64"));
  EXPECT_THAT(read("= 1+1*9223372036854775807", 2, DType::kInt64).error, HasSubstr("holds more"));
  EXPECT_THAT(read("= 9223372036854775808", 1, DType::kInt64).error, HasSubstr("not fit 64 bits"));
  EXPECT_THAT(read("= 1*99999999999999999999", 1).error, HasSubstr("not fit 64 bits"));
}

TEST(CaseTextValues, WhatIsNoValueIsAnErrorInItsLine) {
  for (const std::string word : {"x", "1x", "1*", "*3", "1+", "1+2", "1-", "1+-2*3", "1--2*3", "+1",
                                 "1.5", "0x1", "1*2*3", "1+2*", "@0", "="}) {
    EXPECT_THAT(read("= 5\n " + word, 9).error, HasSubstr("2: '" + word + "' is not a value"));
  }
  EXPECT_EQ(read("= 1*0", 0).error, "1: '1*0' repeats less than once");
  EXPECT_EQ(read("= 1*-1", 0).error, "1: '1*-1' repeats less than once");
}

TEST(CaseTextValues, TheNumberOfElementsMustBeThatOfTheShape) {
  EXPECT_EQ(read("= 1 2", 3).error, "1: holds 2 elements, its shape 3");
  EXPECT_EQ(read("= 1\n 2 3", 2).error, "2: holds more elements than its shape, which has 2");
  EXPECT_EQ(read("= 0*1000000000000", 2).error,
            "1: holds more elements than its shape, which has 2");
}

TEST(CaseTextValues, APatternIsTheFrozenFormulaWithOverrides) {
  // The vectors of corpus/FORMAT.md.
  EXPECT_THAT(read_int32("= pattern 1 0 0 255", 4), ElementsAre(175, 244, 79, 236));
  EXPECT_THAT(read_int32("= pattern 1 42 -5 2147483647", 3),
              ElementsAre(1166244191, 419959050, 1238865413));
  Read full = read("= pattern 1 18446744073709551615 -9223372036854775808 9223372036854775807", 3,
                   DType::kInt64);
  EXPECT_THAT(full.values.elements.int64(),
              ElementsAre(7266964230113668128, 7611075020235113161, -5174644438530358807));
  const Read result = read("= pattern 1 0 0 255 @3\n  -9 @17 5", 18);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.values.elements.at(3), -9);
  EXPECT_EQ(result.values.elements.at(17), 5);
  EXPECT_EQ(result.values.pattern, (Pattern{.seed = 0, .low = 0, .high = 255}));
}

TEST(CaseTextValues, APatternWithManyOverridesIsReadAsItsValues) {
  EXPECT_TRUE(read("= pattern 1 0 0 9 @0 77", 8).values.pattern.has_value());
  const Read result = read("= pattern 1 0 0 9 @0 77 @1 77", 8);
  EXPECT_EQ(result.error, "");
  EXPECT_FALSE(result.values.pattern.has_value());
  EXPECT_EQ(result.values.elements.at(1), 77);
}

TEST(CaseTextValues, BadPatternsAreErrors) {
  EXPECT_EQ(read("= pattern 2 0 0 9", 8).error,
            "1: pattern version 2 is unknown; this program knows 1");
  EXPECT_THAT(read("= pattern 1 0 0", 8).error, HasSubstr("pattern VERSION SEED LOW HIGH"));
  EXPECT_THAT(read("= pattern", 8).error, HasSubstr("pattern VERSION SEED LOW HIGH"));
  EXPECT_THAT(read("= pattern 1 -1 0 9", 8).error, HasSubstr("pattern VERSION SEED LOW HIGH"));
  EXPECT_THAT(read("= pattern 1 0 9 8", 8).error, HasSubstr("9 .. 8 is empty"));
  EXPECT_THAT(read("= pattern 1 0 0 2147483648", 8).error, HasSubstr("leaves int32"));
  EXPECT_THAT(read("= pattern 1 0 0 9 @8 1", 8).error, HasSubstr("outside the 8 elements"));
  EXPECT_THAT(read("= pattern 1 0 0 9 @-1 1", 8).error, HasSubstr("outside the 8 elements"));
  EXPECT_THAT(read("= pattern 1 0 0 9 @1 1 @1 2", 8).error, HasSubstr("ascending order"));
  EXPECT_THAT(read("= pattern 1 0 0 9 @1", 8).error, HasSubstr("needs a value of int32"));
  EXPECT_THAT(read("= pattern 1 0 0 9 @1 2147483648", 8).error, HasSubstr("needs a value"));
  EXPECT_THAT(read("= pattern 1 0 0 9 5", 8).error, HasSubstr("'5' is not an override"));
}

}  // namespace
}  // namespace bytegate
