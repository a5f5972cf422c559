#include "oracles/case_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oracles/case_text_test_op.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Op* const kOps[] = {&paged_mqa_metadata_op(), &text_test_op()};

// Line 1 is the first; a case of two requests on two SMs.
const std::vector<std::string> kSmall = {
    "bytegate-case 1",
    "op paged_mqa_metadata",
    "scalar num_sm 2",
    "scalar page_size 64",
    "scalar remainder last",
    "dim B 2",
    "tensor context_lens int32 [2] = 64 513",
    "tensor schedule_metadata int32 [3, 2]",
    "end",
};

std::string join(const std::vector<std::string>& lines, const std::string& line_end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += line + line_end;
  return text;
}

// The error of the small case with line `number` written anew; "" when it is read.
std::string error_with(size_t number, const std::string& line) {
  std::vector<std::string> lines = kSmall;
  lines[number - 1] = line;
  const ParseResult result = read_case(join(lines), kOps);
  return result.value ? "" : to_string(result.error);
}
// The same with a line added before line `number`.
std::string error_adding(size_t number, const std::string& line) {
  return error_with(number, line + "\n" + kSmall[number - 1]);
}
std::string error_without(size_t number) {
  return error_with(number, "# nothing here");
}

Case read(const std::string& text) {
  ParseResult result = read_case(text, kOps);
  EXPECT_TRUE(result.value.has_value()) << to_string(result.error) << "\n" << text;
  return result.value.value_or(make_case(*kOps[0]));
}

TEST(CaseText, ASmallCaseIsWrittenLineByLine) {
  const Case c = make_paged_mqa_metadata_case({64, 513}, 2);
  EXPECT_EQ(write_case(c), join(kSmall));
  EXPECT_EQ(read(join(kSmall)), c);
}

TEST(CaseText, EveryFieldOfALaunchIsWritten) {
  Case c = make_paged_mqa_metadata_case({}, 2000, Remainder::kFirst);
  c.expect = Expect::kRefused;
  c.mode = Mode::kGraph;
  c.backend = BackendKind::kHost;
  c.forced_path = "multi_block";
  c.seed = 18446744073709551615U;
  c.call_faults = {{.kind = CallFaultKind::kNull, .tensor = 0},
                   {.kind = CallFaultKind::kOverlap, .tensor = 1, .other = 0},
                   {.kind = CallFaultKind::kShortWorkspace}};
  c.origin = "accepted";
  c.note = "found on a Monday # not a comment";
  const std::string text = join({
      "bytegate-case 1",
      "op paged_mqa_metadata",
      "expect refused",
      "mode graph",
      "backend host",
      "path multi_block",
      "seed 18446744073709551615",
      "fault null context_lens",
      "fault overlap schedule_metadata context_lens",
      "fault short_workspace",
      "origin accepted",
      "note found on a Monday # not a comment",
      "scalar num_sm 2000",
      "scalar page_size 64",
      "scalar remainder first",
      "dim B 0",
      "tensor context_lens int32 [0] =",
      "tensor schedule_metadata int32 [2001, 2]",
      "end",
  });
  EXPECT_EQ(write_case(c), text);
  EXPECT_EQ(read(text), c);
}

TEST(CaseText, TheExampleOfTheFormatsDescriptionIsReadAndWrittenAsItIs) {
  const std::string text = join({
      "bytegate-case 1",
      "op paged_mqa_metadata",
      "mode graph",
      "origin mismatch:schedule_metadata",
      "note 300 requests, then all of them but one finish",
      "scalar num_sm 132",
      "scalar page_size 64",
      "scalar remainder last",
      "dim B 300",
      "tensor context_lens int32 [300] = 513 0+256*200 4096*98 1",
      "tensor schedule_metadata int32 [133, 2]",
      "step",
      "tensor context_lens = 0*299 1",
      "end",
  });
  const Case c = read(text);
  EXPECT_EQ(write_case(c), text);
  EXPECT_EQ(at_step(c, 0).tensors[0].elements.at(200), 199 * 256);
  EXPECT_EQ(at_step(c, 1).tensors[0].elements.at(299), 1);
}

TEST(CaseText, CommentsBlankLinesOrderAndCrLfMakeNoDifference) {
  const std::vector<std::string> lines = {
      "bytegate-case 1",
      "# a comment",
      "op   paged_mqa_metadata  ",
      "tensor context_lens int32 [ 2 ] stride [1] = 64",
      "   # a comment between values",
      "",
      "\t513",
      "tensor schedule_metadata int32 [3,2]",
      "dim B 2",
      "expect bytes",
      "scalar remainder 0",
      "scalar page_size 64",
      "scalar num_sm 2",
      "end",
      "",
      "# a comment",
  };
  const Case c = make_paged_mqa_metadata_case({64, 513}, 2);
  EXPECT_EQ(read(join(lines)), c);
  EXPECT_EQ(read(join(lines, "\r\n")), c);
  EXPECT_EQ(read(join(lines) + "#"), c);
}

TEST(CaseText, ForeignFilesAndOtherVersionsAreRefusedInTheFirstLine) {
  EXPECT_THAT(to_string(read_case("", kOps).error),
              StartsWith("line 1: bytegate-case: not a case"));
  EXPECT_THAT(error_with(1, "# bytegate-case 1"), StartsWith("line 1: bytegate-case: not a case"));
  EXPECT_EQ(error_with(1, "bytegate-case 2"),
            "line 1: bytegate-case: the file is of version '2'; this program reads version 1");
  EXPECT_THAT(error_with(1, "bytegate-case"), HasSubstr("version ''"));
}

TEST(CaseText, AnUnknownOperationIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(error_with(2, "op paged_mqa"),
            "line 2: op: unknown operation 'paged_mqa'; known: paged_mqa_metadata, text_test");
  EXPECT_EQ(error_without(2), "line 3: scalar: comes before `op`");
  EXPECT_EQ(to_string(read_case("bytegate-case 1\nend\n", kOps).error), "line 2: op: missing");
}

TEST(CaseText, UnknownFieldsAndNamesAreErrors) {
  EXPECT_EQ(error_adding(3, "colour red"), "line 3: 'colour': unknown field");
  EXPECT_EQ(error_with(3, "scalar num_sms 2"),
            "line 3: 'num_sms': unknown scalar; known: num_sm, page_size, remainder");
  EXPECT_EQ(error_with(6, "dim C 2"), "line 6: 'C': unknown dimension; known: B");
  EXPECT_EQ(error_with(7, "tensor lens int32 [2] = 1 2"),
            "line 7: 'lens': unknown tensor; known: context_lens, schedule_metadata");
  EXPECT_THAT(error_adding(3, "fault null lens"),
              StartsWith("line 3: fault: unknown tensor 'lens'"));
  EXPECT_EQ(error_adding(3, "\x01\xff"), "line 3: '\\x01\\xff': unknown field");
}

TEST(CaseText, MissingFieldsAreErrors) {
  EXPECT_THAT(error_without(3), StartsWith("line 9: num_sm: missing"));
  EXPECT_THAT(error_without(6), StartsWith("line 9: B: missing"));
  EXPECT_THAT(error_without(7), StartsWith("line 9: context_lens: missing"));
  EXPECT_THAT(error_without(8), StartsWith("line 9: schedule_metadata: missing"));
  EXPECT_EQ(error_without(9), "line 9: end: missing: the file is cut short");
}

TEST(CaseText, DuplicatedFieldsAreErrors) {
  EXPECT_EQ(error_adding(5, kSmall[2]), "line 5: num_sm: duplicated; first in line 3");
  EXPECT_EQ(error_adding(7, kSmall[5]), "line 7: B: duplicated; first in line 6");
  EXPECT_EQ(error_adding(9, kSmall[6]), "line 9: context_lens: duplicated; first in line 7");
  EXPECT_EQ(error_adding(3, "op text_test"), "line 3: op: duplicated; first in line 2");
  EXPECT_EQ(error_adding(3, "seed 1\nseed 1"), "line 4: seed: duplicated; first in line 3");
}

TEST(CaseText, BadWordsAreErrors) {
  EXPECT_EQ(error_adding(3, "expect pass"),
            "line 3: expect: 'pass' is none of bytes, refused, survived");
  EXPECT_EQ(
      error_adding(3, "mode twice").rfind("line 3: mode: 'twice' is none of plain, graph, ", 0),
      0u);
  EXPECT_EQ(error_adding(3, "backend gpu"), "line 3: backend: 'gpu' is none of any, host, cuda");
  EXPECT_THAT(error_adding(3, "seed -1"), StartsWith("line 3: seed: '-1' is outside 0 .."));
  EXPECT_THAT(error_adding(3, "fault x"), StartsWith("line 3: fault: 'x' is none of null"));
  EXPECT_EQ(error_adding(3, "note"), "line 3: note: has no text");
  EXPECT_THAT(error_adding(3, "note C:\\temp"), StartsWith("line 3: note: a backslash is"));
  EXPECT_THAT(error_with(3, "scalar num_sm 2x"), StartsWith("line 3: num_sm: '2x' is no 64-bit"));
  EXPECT_THAT(error_with(3, "scalar num_sm"), StartsWith("line 3: num_sm: '' is no 64-bit"));
  EXPECT_EQ(error_with(5, "scalar remainder middle"),
            "line 5: remainder: 'middle' is no 64-bit integer, and none of last, first");
  EXPECT_EQ(error_with(3, "scalar num_sm 2 3"),
            "line 3: num_sm: unexpected '3' at the end of the line");
  EXPECT_EQ(error_with(9, "end of file"),
            "line 9: end: unexpected 'of file' at the end of the line");
  EXPECT_EQ(error_with(9, "end\nseed 1"), "line 10: 'seed': comes after `end`");
  EXPECT_THAT(error_adding(4, "  7"), StartsWith("line 4: '7': an indented line continues values"));
}

TEST(CaseText, BadTensorLinesAreErrors) {
  EXPECT_THAT(error_with(7, "tensor context_lens float [2] = 1 2"),
              StartsWith("line 7: context_lens: 'float' is none of int32, int64, absent"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 2 = 1 2"), HasSubstr("extents are written"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [-2] = 1"),
              HasSubstr("extents are written"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [1, 1, 1, 1, 1, 1, 1, 1, 2] = 1 2"),
              HasSubstr("up to 8 numbers"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [2] stride [1, 1] = 1 2"),
              HasSubstr("as many strides as extents"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [2]"), HasSubstr("needs `=`"));
  EXPECT_THAT(error_with(8, "tensor schedule_metadata int32 [3, 2] = 1"),
              StartsWith("line 8: schedule_metadata: unexpected '='"));
}

TEST(CaseText, WhatTheContractForbidsIsAnErrorAtTheFieldConcerned) {
  EXPECT_EQ(error_with(3, "scalar num_sm 0"), "line 3: num_sm: 0 is outside 1 .. 1024");
  EXPECT_EQ(error_with(5, "scalar remainder 2"), "line 5: remainder: 2 is outside 0 .. 1");
  EXPECT_EQ(error_with(6, "dim B -1"), "line 6: B: -1 is outside 0 .. 2147483647");
  EXPECT_THAT(error_with(6, "dim B 3"),
              StartsWith("line 7: context_lens: tensor context_lens has shape [2]"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [2] = 5 -1"),
              StartsWith("line 7: context_lens: element context_lens[1] is -1"));
  EXPECT_THAT(error_with(7, "tensor context_lens int64 [2] = 5 1"),
              StartsWith("line 7: context_lens: tensor context_lens cannot be int64"));
  EXPECT_THAT(error_with(7, "tensor context_lens absent"),
              StartsWith("line 7: context_lens: tensor context_lens is required"));
  EXPECT_THAT(error_with(7, "tensor context_lens int32 [2] stride [3] = 5 1"),
              StartsWith("line 7: context_lens: context_lens stride of axis 0 is 3"));
  EXPECT_THAT(error_adding(4, "fault short_workspace"), StartsWith("line 4: fault: only a case"));
}

TEST(CaseText, ACaseToBeRefusedNeedsOnlyBeWellFormed) {
  EXPECT_EQ(error_with(4, "scalar page_size -9223372036854775808\nexpect refused"), "");
  EXPECT_EQ(error_with(7, "expect refused\ntensor context_lens int32 [2] = -5 1"), "");
  EXPECT_EQ(error_with(7, "expect refused\ntensor context_lens absent"), "");
  EXPECT_THAT(error_with(6, "expect refused\ndim B -2"), StartsWith("line 7: B: dimension B is"));
  EXPECT_THAT(error_with(6, "expect refused\ndim B 3"), StartsWith("line 8: context_lens: tensor"));
}

TEST(CaseText, StepsHoldNewValuesOfPresentInputs) {
  EXPECT_EQ(error_adding(9, "step\ntensor context_lens = 7*2\nstep"), "");
  EXPECT_EQ(error_adding(9, "step\nseed 1"),
            "line 10: seed: comes after a `step`, which holds tensors only");
  EXPECT_THAT(error_adding(8, "step"), StartsWith("line 8: schedule_metadata: missing"));
  EXPECT_THAT(error_adding(9, "step\ntensor context_lens = 1 2\ntensor context_lens = 1 2"),
              StartsWith("line 11: context_lens: duplicated in this step; first in line 10"));
  EXPECT_THAT(error_adding(9, "step\ntensor schedule_metadata = 0*6"),
              StartsWith("line 10: schedule_metadata: a step changes inputs"));
  EXPECT_THAT(error_adding(9, "step\ntensor context_lens int32 [2] = 1 2"),
              StartsWith("line 10: context_lens: a step states"));
  EXPECT_THAT(error_adding(9, "step\ntensor context_lens = 1 2 3"),
              StartsWith("line 10: context_"));
  EXPECT_EQ(error_adding(9, "step\nstep\ntensor context_lens =\n  1\n  -2"),
            "line 11: context_lens: element 1: -2 is outside 0 .. 2147483647");
}

TEST(CaseText, TheDigestIgnoresRemarksOnly) {
  Case c = make_paged_mqa_metadata_case({64, 513}, 2);
  const std::string digest = case_digest(c);
  EXPECT_EQ(digest, "35774a060c9195be");  // it names files: XXH3_64 of the text, for ever
  c.origin = "mismatch:schedule_metadata";
  c.note = "text";
  EXPECT_EQ(case_digest(c), digest);
  c.seed = 1;
  EXPECT_NE(case_digest(c), digest);
}

}  // namespace
}  // namespace bytegate
