// 24 planted faults give 24 findings, and each finding's reproducers show it by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "fuzz/finding_folder.h"
#include "fuzz/sources.h"
#include "kernels/testing/planted_candidate.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kDefaultCases = 150;
// Of the reproducers, one in so many is compiled; all of them in a run of more cases.
constexpr size_t kCompiledOneIn = 6;

// Generated cases of each operation. BYTEGATE_PLANTED_CASES asks for more.
int64_t num_cases() {
  const char* asked = std::getenv("BYTEGATE_PLANTED_CASES");
  return asked == nullptr ? kDefaultCases : std::strtoll(asked, nullptr, 10);
}

// The exit code of a command; what it prints goes to a file.
int run_command(const std::string& line, const std::string& log) {
  const int status = std::system((line + " >" + shell_quoted(log) + " 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class PlantedFindings : public TempFolder {
 protected:
  // Runs generated cases of every operation, and writes the folder of each finding.
  void find_all() {
    RunOptions options;
    options.candidate = BYTEGATE_PLANTED_LIBRARY;
    options.checks = kFollowSome;
    options.num_jobs = 2;
    options.findings_dir = folder_.string();
    options.minimize.time_limit = std::chrono::seconds(20);
    const FindingContext context = {.candidate = BYTEGATE_PLANTED_LIBRARY,
                                    .backend_description = "SIMT executor on the host",
                                    .program_version = "test"};
    for (const OpProperties& properties : all_properties()) {
      const RunOutcome outcome = run(
          properties,
          source_of_generator(properties, {.num_cases = num_cases()}, BackendKind::kHost), options);
      EXPECT_EQ(outcome.error, "");
      EXPECT_EQ(outcome.num_unkept, 0);
      for (const Finding& finding : outcome.findings) {
        num_failures_ += finding.num_failures;
        origins_.insert(finding.op + " " + finding.verdict.origin);
        EXPECT_TRUE(finding.minimal) << finding.file;
        const auto error = write_finding_folder(finding, properties, context);
        EXPECT_EQ(error.value_or(""), "");
        findings_.push_back(finding);
      }
    }
  }

  // What somebody does who gets the folder.
  void check_reproducer(const Finding& finding, const std::string& folder) const {
    const std::string program = path("reproducer");
    ASSERT_EQ(
        run_command(BYTEGATE_COMPILER " -std=c++17 -O0 -Wall -Wextra -Werror -o " +
                        shell_quoted(program) + " " + shell_quoted(folder) + "/reproducer.cc -ldl",
                    path("log")),
        0)
        << text_of(path("log"));
    EXPECT_EQ(run_command(program, path("log")), 1) << finding.verdict.origin << "\n"
                                                    << text_of(path("log"));
    EXPECT_THAT(text_of(path("log")),
                HasSubstr("FAIL  " + std::string(flaw_of_origin(finding.verdict.origin)) + ":"));
    EXPECT_EQ(run_command(program + " " + shell_quoted(BYTEGATE_PRODUCTION_LIBRARY), path("log")),
              0)
        << finding.verdict.origin << "\n"
        << text_of(path("log"));
    EXPECT_THAT(text_of(path("log")), HasSubstr("PASS  "));
    EXPECT_EQ(run_command(program + " /nowhere.so", path("log")), 2) << text_of(path("log"));
  }

  std::vector<Finding> findings_;
  std::set<std::string> origins_;
  int64_t num_failures_ = 0;
};

TEST_F(PlantedFindings, EachFaultIsOneFindingThatItsReproducersShow) {
  find_all();
  std::set<std::string> planted;
  for (const PlantedFault& fault : planted_faults()) {
    planted.insert(std::string(fault.op) + " " + std::string(fault.origin));
  }
  ASSERT_EQ(planted.size(), kNumPlantedFaults);
  EXPECT_EQ(origins_, planted);
  EXPECT_EQ(findings_.size(), kNumPlantedFaults) << "one finding for each origin";
  const bool all = num_cases() > kDefaultCases;
  std::printf("%lld failures of %lld cases, %zu findings\n", static_cast<long long>(num_failures_),
              static_cast<long long>(num_cases() * static_cast<int64_t>(all_properties().size())),
              findings_.size());
  if (all) {
    EXPECT_GE(num_failures_, 10000);
  }
  size_t num_compiled = 0;
  for (size_t i = 0; i < findings_.size(); ++i) {
    const std::string folder = finding_folder_path(findings_[i].file);
    EXPECT_THAT(text_of(folder + "/README.md"), HasSubstr(findings_[i].verdict.origin));
    EXPECT_EQ(run_command("python3 -m py_compile " + shell_quoted(folder + "/reproducer.py"),
                          path("log")),
              0)
        << text_of(path("log"));
    if (!all && i % kCompiledOneIn != 0) continue;
    check_reproducer(findings_[i], folder);
    ++num_compiled;
  }
  std::printf("%zu reproducers compiled and run\n", num_compiled);
  EXPECT_GT(num_compiled, 0U);
}

}  // namespace
}  // namespace bytegate
