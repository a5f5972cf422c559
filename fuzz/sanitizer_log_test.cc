#include "fuzz/sanitizer_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace bytegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kBanner = "========= COMPUTE-SANITIZER\n";

std::string starts(int64_t number) {
  return line_of({.kind = BareMark::Kind::kCase, .number = number});
}

std::string ends(int64_t number,
                 const Verdict& verdict = {.kind = VerdictKind::kPass, .path = "tiny"}) {
  return line_of({.kind = BareMark::Kind::kVerdict,
                  .number = number,
                  .verdict = verdict,
                  .text = verdict.message});
}

std::string passes(int64_t number) {
  return starts(number) + ends(number);
}

std::string done(int64_t count) {
  return line_of({.kind = BareMark::Kind::kDone, .number = count});
}

std::string summary(int64_t count) {
  return "========= ERROR SUMMARY: " + std::to_string(count) + " errors\n";
}

SanitizerRun read_log(const std::string& text, const std::string& tool = "memcheck") {
  SanitizerLog log(tool);
  log.feed(text);
  return log.finish();
}

// The verdict of one case during which the tool printed `report`.
Verdict verdict_under(const std::string& report, const std::string& tool) {
  const SanitizerRun run = read_log(kBanner + starts(0) + report + ends(0) + done(1), tool);
  EXPECT_THAT(run.cases, SizeIs(1));
  return verdict_of(run.cases.front());
}

constexpr const char* kOverread =
    "========= Invalid __global__ read of size 4 bytes\n"
    "=========     at void bytegate::(anonymous namespace)::paged_mqa_metadata_tiny_kernel"
    "<(int)64, bytegate::Wide<long>>(const int *, int)+0x190 in kernels/a.cu:12\n"
    "=========     by thread (3,0,0) in block (0,0,0)\n"
    "=========     Address 0x7f2a0c000404 is out of bounds\n"
    "=========     and is 1 bytes after the nearest allocation at 0x7f2a0c000000 of size 1,028 "
    "bytes\n"
    "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
    "========= \n";

TEST(SanitizerLog, AReadOutsideIsAnOverreadOfItsKernelWithItsPlace) {
  const Verdict verdict = verdict_under(kOverread, "memcheck");
  EXPECT_EQ(verdict.kind, VerdictKind::kOverread);
  EXPECT_EQ(verdict.origin, "overread:memcheck/paged_mqa_metadata_tiny_kernel");
  EXPECT_THAT(verdict.message, HasSubstr("Invalid __global__ read of size 4 bytes"));
  EXPECT_THAT(verdict.message, HasSubstr("1 bytes after the nearest allocation"));
}

struct Sample {
  const char* tool;
  const char* text;
  const char* origin;
};

TEST(SanitizerLog, EveryKindOfReportHasItsVerdict) {
  const Sample samples[] = {
      {"memcheck",
       "========= Invalid __global__ write of size 8 bytes\n"
       "=========     at 0x90 in /src/k.cu:7:ns::k(int*, unsigned long)\n",
       "overrun:memcheck/k"},
      {"memcheck",
       "========= Invalid __shared__ write of size 4 bytes\n=========     at k(int *)+0x10\n",
       "overrun:memcheck/k"},
      {"memcheck",
       "========= Invalid __global__ atomic of size 4 bytes\n=========     at k(int *)+0x10\n",
       "overrun:memcheck/k"},
      {"memcheck",
       "========= Invalid __global__ read of size 8 bytes\n=========     at k(int *)+0x10\n"
       "=========     Address 0x7f0001 is misaligned\n",
       "crashed:memcheck/k"},
      {"memcheck", "========= Misaligned Shared or Local Address\n=========     at k()+0x1\n",
       "crashed:memcheck/k"},
      {"initcheck",
       "========= Uninitialized __global__ memory read of size 4 bytes\n"
       "=========     at k(int *)+0x10 in k.cu:3\n",
       "unstable:initcheck/k"},
      {"racecheck",
       "========= Error: Race reported between Write access at void k<(int)1>(int *)+0x90 in "
       "k.cu:9\n=========     and Read access at void k<(int)1>(int *)+0xb0 in k.cu:11 [16 "
       "hazards]\n",
       "race:racecheck/k"},
      {"racecheck", "========= Warning: Race reported between Write access at k(int *)+0x90\n",
       "race:racecheck/k"},
      {"racecheck",
       "========= Error: Potential RAW hazard detected at __shared__ 0x0 in block (0,0,0) :\n"
       "=========     Write Thread (0,0,0) at 0x90 in k.cu:9:k(int *)\n",
       "race:racecheck"},
      {"synccheck",
       "========= Barrier error detected. Divergent thread(s) in warp.\n"
       "=========     at k(int *)+0x90 in k.cu:9\n",
       "crashed:synccheck/k"},
      {"memcheck",
       "========= Program hit cudaErrorIllegalAddress (error 700) due to \"an illegal memory "
       "access was encountered\" on CUDA API call to cudaStreamSynchronize.\n",
       "crashed:memcheck"},
      {"memcheck", "========= Something invalid that nobody has seen yet\n", "crashed:memcheck"},
  };
  for (const Sample& sample : samples) {
    EXPECT_EQ(verdict_under(sample.text, sample.tool).origin, sample.origin) << sample.text;
  }
}

TEST(SanitizerLog, WhatAFaultLeadsToDoesNotHideTheFault) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "========= Program hit cudaErrorLaunchFailure (error 719)\n";
  EXPECT_EQ(verdict_under(text + kOverread, "memcheck").origin,
            "overread:memcheck/paged_mqa_metadata_tiny_kernel");
}

TEST(SanitizerLog, AReportBelongsToTheCaseThatStartedLast) {
  const SanitizerRun run =
      read_log(kBanner + passes(4) + passes(5) + kOverread + passes(6) + done(3) + summary(1));
  ASSERT_THAT(run.cases, SizeIs(3));
  EXPECT_TRUE(verdict_of(run.cases[0]).passed());
  EXPECT_EQ(verdict_of(run.cases[1]).kind, VerdictKind::kOverread);
  EXPECT_EQ(verdict_of(run.cases[1]).path, "tiny");
  EXPECT_TRUE(verdict_of(run.cases[2]).passed());
  EXPECT_TRUE(run.finished);
  EXPECT_THAT(flaws_of(run), IsEmpty());
}

TEST(SanitizerLog, TheProgramsOwnVerdictStandsWhereTheToolIsSilent) {
  const Verdict wrong = {.kind = VerdictKind::kMismatch,
                         .origin = "mismatch:sums",
                         .message = "tab\tand\nline",
                         .path = "small"};
  const SanitizerRun run = read_log(kBanner + starts(0) + ends(0, wrong) + done(1) + summary(0));
  const Verdict verdict = verdict_of(run.cases.at(0));
  EXPECT_EQ(verdict.kind, VerdictKind::kMismatch);
  EXPECT_EQ(verdict.origin, "mismatch:sums");
  EXPECT_EQ(verdict.message, "tab and line");
}

TEST(SanitizerLog, ACaseWithoutAVerdictIsUntested) {
  const SanitizerRun run = read_log(kBanner + passes(0) + starts(1) + summary(0));
  EXPECT_EQ(verdict_of(run.cases.at(1)).kind, VerdictKind::kUntested);
  EXPECT_FALSE(run.finished);
}

TEST(SanitizerLog, AToolThatDidNotRunIsAFlaw) {
  EXPECT_THAT(flaws_of(read_log(passes(0) + done(1))), ElementsAre(HasSubstr("banner never came")));
  EXPECT_THAT(flaws_of(read_log(kBanner + passes(0) + done(1))),
              ElementsAre(HasSubstr("summary never came")));
  for (const char* words :
       {"Error: No attachable process found. compute-sanitizer timed-out.",
        "Error: Unable to find injection library libsanitizer-collection.so",
        "Error: Device not supported. Please refer to the \"Supported Devices\" section",
        "Internal Sanitizer Error: The Sanitizer encountered an error",
        "Error: Target application terminated before first instrumented API call"}) {
    const SanitizerRun run =
        read_log(kBanner + "========= " + words + "\n" + passes(0) + done(1) + summary(0));
    EXPECT_THAT(flaws_of(run), ElementsAre(HasSubstr(words)));
    EXPECT_TRUE(verdict_of(run.cases.at(0)).passed()) << words;
  }
}

TEST(SanitizerLog, ErrorsThatTheSummaryCountsAndNobodyReadAreAFlaw) {
  EXPECT_THAT(flaws_of(read_log(kBanner + passes(0) + done(1) + summary(3))),
              ElementsAre(HasSubstr("says 3 errors, but only 0 could be read")));
  const std::string races =
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n";
  EXPECT_THAT(flaws_of(read_log(kBanner + passes(0) + done(1) + races)),
              ElementsAre(HasSubstr("says 1 error, but")));
  const std::string unprinted =
      "========= ERROR SUMMARY: 1,156 errors were not printed. Use --print-limit option to adjust "
      "the number of printed errors\n";
  EXPECT_THAT(flaws_of(read_log(kBanner + passes(0) + done(1) + summary(0) + unprinted)),
              ElementsAre(HasSubstr("1156 errors unprinted")));
}

TEST(SanitizerLog, ReportsOutsideAnyCaseAreAFlaw) {
  EXPECT_THAT(flaws_of(read_log(kBanner + kOverread + passes(0) + done(1) + summary(1))),
              ElementsAre(HasSubstr("outside any case: overread")));
  EXPECT_THAT(flaws_of(read_log(kBanner + passes(0) + done(1) + kOverread + summary(1))),
              ElementsAre(HasSubstr("outside any case: overread")));
}

TEST(SanitizerLog, OutputOfTheProgramIsLeftOutAndDoesNotHideMarks) {
  const SanitizerRun run =
      read_log("hello" + kBanner + "1\n2\nno end of line" + starts(0) +
               "Error: of the program\nmore" + ends(0) + "x" + done(1) + "trailing" + summary(0));
  ASSERT_THAT(run.cases, SizeIs(1));
  EXPECT_TRUE(verdict_of(run.cases[0]).passed());
  EXPECT_TRUE(run.finished);
  EXPECT_THAT(flaws_of(run), IsEmpty());
}

TEST(SanitizerLog, AVerdictForACaseThatIsNotRunningIsAFlaw) {
  const SanitizerRun run = read_log(kBanner + passes(0) + ends(0) + ends(7) + done(1) + summary(0));
  EXPECT_THAT(flaws_of(run), ElementsAre(HasSubstr("not running"), HasSubstr("not running")));
}

TEST(SanitizerLog, ItDoesNotMatterWhereTheStreamIsCut) {
  const std::string text =
      kBanner + passes(0) + starts(1) + kOverread + ends(1) + done(2) + summary(1);
  SanitizerLog log("memcheck");
  for (const char c : text) log.feed({&c, 1});
  EXPECT_EQ(log.num_marks(), 5);
  const SanitizerRun run = log.finish();
  EXPECT_EQ(verdict_of(run.cases.at(1)).kind, VerdictKind::kOverread);
  EXPECT_THAT(flaws_of(run), IsEmpty());
}

TEST(SanitizerLog, AFloodIsCountedButNotKept) {
  std::string text = kBanner + starts(0);
  for (int i = 0; i < 5000; ++i) text += kOverread;
  text += std::string(1 << 20, '=') + "\n" + ends(0) + done(1) + summary(5000);
  const SanitizerRun run = read_log(text);
  EXPECT_EQ(run.num_found, 5000);
  EXPECT_THAT(run.cases.at(0).findings, SizeIs(kMaxToolFindings));
  EXPECT_THAT(flaws_of(run), IsEmpty());
}

TEST(SanitizerLog, AnyBytesAreRead) {
  std::mt19937 random(7);
  const std::string pieces[] = {"=========",
                                "========= ",
                                "=========     at ",
                                "\n",
                                "\t",
                                "<",
                                "(",
                                ">",
                                "bytegate-case\t",
                                "bytegate-verdict\t1\tpass\t\t\t",
                                "9",
                                "SUMMARY: ",
                                "error",
                                " access at ",
                                std::string(1, '\0'),
                                "\xff",
                                "0x1 in a:1:",
                                "::"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += pieces[random() % std::size(pieces)];
    const SanitizerRun run = read_log(text);
    for (const CaseLog& log : run.cases) verdict_of(log);
    EXPECT_FALSE(flaws_of(run).empty());
  }
}

TEST(SanitizerLine, KernelsAreNamedWithoutWhatABuildChanges) {
  EXPECT_EQ(kernel_of("at k(int)+0x10"), "k");
  EXPECT_EQ(kernel_of("at void a::b::k<a::T<(int)3>, (bool)1>(const int *)+0x10 in f.cu:3"), "k");
  EXPECT_EQ(kernel_of("at 0x90 in /a/f.cu:12:a::k(int)"), "k");
  EXPECT_EQ(kernel_of("at 0x90 in k(int)"), "k");
  EXPECT_EQ(kernel_of("at 0x90"), "");
  EXPECT_EQ(kernel_of("by thread (0,0,0) in block (0,0,0)"), "");
  EXPECT_EQ(kernel_of("at "), "");
}

TEST(BareMarks, EveryMarkIsReadAsItWasWritten) {
  for (const BareMark::Kind kind :
       {BareMark::Kind::kBegin, BareMark::Kind::kAbsent, BareMark::Kind::kCase,
        BareMark::Kind::kVerdict, BareMark::Kind::kStop, BareMark::Kind::kDone}) {
    const BareMark mark = {.kind = kind,
                           .number = 12,
                           .verdict = {.kind = VerdictKind::kRace, .origin = "race:x", .path = "p"},
                           .text = "some text"};
    const std::string line = line_of(mark);
    ASSERT_EQ(line.front(), '\n');
    ASSERT_EQ(line.back(), '\n');
    const std::optional<BareMark> read = read_mark(line.substr(1, line.size() - 2));
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(line_of(*read), line);
  }
}

TEST(BareMarks, NothingElseIsAMark) {
  for (const char* line :
       {"", "bytegate-case", "bytegate-case\t", "bytegate-case\t-1", "bytegate-case\t1x",
        "bytegate-case\t99999999999999999999", "bytegate-case\t1\t2", "bytegate-verdict\t1\tpass",
        "bytegate-verdict\t1\tgreat\t\t\t", "xbytegate-case\t1", "bytegate-case 1"}) {
    EXPECT_FALSE(read_mark(line)) << line;
  }
}

}  // namespace
}  // namespace bytegate
