// The gate over every hostile candidate, one after the other: it names what each does, ends by
// itself within its time limit, and leaves each failing case on disk.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "kernels/simt/sanitizer.h"
#include "kernels/testing/hostile_candidate.h"
#include "oracles/case_text.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

// Which verdict a gate of plain and other modes must have among its own.
const std::map<Hostility, std::string>& expected_verdicts() {
  static const std::map<Hostility, std::string> verdicts = {
      {Hostility::kReadAfter, "overread"},
      {Hostility::kReadBefore, "overread"},
      {Hostility::kWriteAfter, "overrun"},
      {Hostility::kWriteBefore, "overrun"},
      {Hostility::kWriteFarAfter, "overrun"},
      {Hostility::kWriteInput, "overrun"},
      {Hostility::kLeaveLast, "unwritten"},
      {Hostility::kLeaveLastAgain, "unwritten"},
      {Hostility::kAddOldOutput, "mismatch"},
      {Hostility::kAddOldWorkspace, "mismatch"},
      {Hostility::kWrongWhenUnaligned, "mismatch"},
      {Hostility::kWrongSecondTime, "mismatch"},
      {Hostility::kReadAfterWorkspace, "overread"},
      {Hostility::kWriteAfterWorkspace, "overrun"},
      {Hostility::kWriteBeforeWorkspace, "overrun"},
      {Hostility::kTakeShortWorkspace, "accepted"},
      {Hostility::kRefuse, "refused"},
      {Hostility::kFail, "refused"},
      {Hostility::kAnswerNonsense, "refused"},
      {Hostility::kNameWildPath, "crashed"},
      {Hostility::kAbort, "crashed"},
      {Hostility::kThrow, "crashed"},
      {Hostility::kExitZero, "exited"},
      {Hostility::kCrash, "crashed"},
      {Hostility::kWildWrite, "crashed"},
      {Hostility::kOverflowStack, "crashed"},
      {Hostility::kTrap, "crashed"},
      {Hostility::kKillItself, "crashed"},
      {Hostility::kFreeTwice, "crashed"},
      {Hostility::kLoop, "hung"},
      {Hostility::kSleep, "hung"},
      {Hostility::kPrint, "noisy"},
      {Hostility::kComplain, "noisy"},
      {Hostility::kTakeAllMemory, "exhausted"},
      {Hostility::kDivergeAtBarrier, "crashed"},
      {Hostility::kWaitForNobody, "hung"},
      {Hostility::kOverrunSharedMemory, "crashed"},
      {Hostility::kLoadMisaligned, "crashed"}};
  return verdicts;
}

class HostileGate : public ::testing::TestWithParam<Hostility> {
 protected:
  void SetUp() override {
    dir_ =
        fs::temp_directory_path() / ("bytegate_hostile_" + std::string(hostility_name(GetParam())) +
                                     "_" + std::to_string(getpid()));
    fs::create_directories(dir_ / "corpus");
  }
  void TearDown() override { fs::remove_all(dir_); }

  // Its exit code.
  int gate() const {
    const fs::path library = dir_ / (std::string(hostility_name(GetParam())) + ".so");
    fs::create_symlink(BYTEGATE_HOSTILE_LIBRARY, library);
    // Only what hangs is to meet the limit, however slow a machine is to hand out memory.
    const std::string limit = expected_verdicts().at(GetParam()) == "hung" ? "0.2" : "10";
    const std::string line =
        "timeout 60 '" BYTEGATE_COMMAND
        "' gate --backend host --op paged_mqa_metadata"
        " --cases 48 --seconds 20 --jobs 1 --minimize-seconds 0.2 --case-seconds " +
        limit + " --memory-mib 256 --candidate '" + library.string() +
        "' --corpus '" BYTEGATE_SEED_CASE "' --findings '" + (dir_ / "found").string() +
        "' --report '" + (dir_ / "report").string() + "' > '" + (dir_ / "log").string() + "' 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] nlohmann::json report() const {
    std::ifstream file(dir_ / "report/report.json");
    return nlohmann::json::parse(file, nullptr, false);
  }
  [[nodiscard]] std::string log() const {
    std::ifstream file(dir_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path dir_;
};

TEST_P(HostileGate, EndsByItselfWithEveryFailureOnDisk) {
  // Some of them the sanitizer ends in its own way; and 38 gates take minutes under it.
  if (simt::sanitizer::kActive) GTEST_SKIP() << "only without sanitizers";
  const std::string expected = expected_verdicts().at(GetParam());
  const auto begin = std::chrono::steady_clock::now();
  const int exit_code = gate();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(45));
  const nlohmann::json ran = report();
  ASSERT_FALSE(ran.is_discarded()) << log();
  EXPECT_EQ(ran["exit_code"], exit_code);
  EXPECT_TRUE(exit_code == 1 || exit_code == 3) << log();
  EXPECT_GT(ran["runs"][0]["verdicts"][expected], 0) << log();
  const nlohmann::json& findings = ran["runs"][0]["findings"];
  EXPECT_FALSE(findings.empty()) << log();
  // One that is as small as it gets is where it was, in the corpus.
  for (const nlohmann::json& finding : findings) {
    const std::string file = finding["file"];
    EXPECT_TRUE(load_case(file, all_ops()).value.has_value()) << file << log();
  }
  for (const auto& entry : fs::recursive_directory_iterator(dir_)) {
    EXPECT_EQ(entry.path().string().find(".running/"), std::string::npos) << entry.path();
  }
}

std::string test_name(const ::testing::TestParamInfo<Hostility>& info) {
  return std::string(hostility_name(info.param));
}

std::vector<Hostility> all_hostilities() {
  std::vector<Hostility> all;
  for (const auto& [hostility, verdict] : expected_verdicts()) all.push_back(hostility);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, HostileGate, ::testing::ValuesIn(all_hostilities()), test_name);

}  // namespace
}  // namespace bytegate
