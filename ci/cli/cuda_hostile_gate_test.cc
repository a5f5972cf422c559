// The gate on a GPU over every hostile candidate, one after the other: it names what each does,
// ends by itself within its time limit, and leaves each failing case on disk.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "fuzz/testing/cuda_hostile_specs.h"
#include "oracles/case_text.h"
#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr int kLimitSeconds = 150;

// Beside this program, where it was carried to another machine; else where it was built.
std::string beside_or(const std::string& name, const std::string& built) {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / name;
  return fs::exists(beside) ? beside.string() : built;
}

std::string in_quotes(const fs::path& path) {
  return " '" + path.string() + "'";
}

class CudaGate : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "bytegate-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }

  // Its exit code.
  int gate(const CudaHostileSpec& spec) const {
    const fs::path library = dir_ / (std::string(cuda_hostility_name(spec.hostility)) + ".so");
    fs::create_symlink(beside_or("hostile_cuda.so", BYTEGATE_HOSTILE_CUDA_LIBRARY), library);
    EXPECT_EQ(save_case((dir_ / "kept.case").string(), cuda_hostile_case(spec.op, Mode::kPlain)),
              std::nullopt);
    const bool loops = spec.hostility == CudaHostility::kLoop;
    const std::string line =
        "timeout " + std::to_string(kLimitSeconds) +
        in_quotes(beside_or("bytegate", BYTEGATE_COMMAND)) +
        " gate --backend cuda --require-gpu --op " + std::string(spec.op) + " --cases " +
        std::to_string(spec.gate_cases) + " --seconds 40 --jobs 1 --minimize-seconds 0.2" +
        " --case-seconds " + (loops ? "1" : "10") + " --candidate" + in_quotes(library) +
        " --corpus" + in_quotes(dir_ / "kept.case") + " --findings" + in_quotes(dir_ / "found") +
        " --report" + in_quotes(dir_ / "report") + " >" + in_quotes(dir_ / "log") + " 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static bool is_required() {
    const char* required = std::getenv("BYTEGATE_REQUIRE_GPU");
    return required != nullptr && std::string_view(required) == "1";
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

class CudaHostileGate : public CudaGate, public ::testing::WithParamInterface<CudaHostileSpec> {};

int worst_exit_code(const nlohmann::json& verdicts) {
  int worst = kExitPass;
  for (const auto& [name, count] : verdicts.items()) {
    if (count > 0) worst = std::max<int>(worst, exit_code_of(verdict_of_name(name).value()));
  }
  return worst;
}

// The flaws of the findings, each of which must be on disk.
std::set<std::string> flaws_on_disk(const nlohmann::json& findings) {
  std::set<std::string> flaws;
  for (const nlohmann::json& finding : findings) {
    flaws.emplace(flaw_of_origin(finding["origin"].get<std::string>()));
    const std::string file = finding["file"];
    EXPECT_TRUE(load_case(file, all_ops()).value.has_value()) << file;
  }
  return flaws;
}

TEST_P(CudaHostileGate, EndsByItselfWithEveryFailureOnDisk) {
  const CudaHostileSpec& spec = GetParam();
  const int exit_code = gate(spec);
  if (exit_code == kExitNoBackend && !is_required()) GTEST_SKIP() << log();
  const nlohmann::json ran = report();
  ASSERT_FALSE(ran.is_discarded()) << "exit code " << exit_code << "\n" << log();
  SCOPED_TRACE(log());
  EXPECT_EQ(ran["exit_code"], exit_code);
  const nlohmann::json& row = ran["runs"][0];
  EXPECT_EQ(worst_exit_code(row["verdicts"]), exit_code);
  const std::set<std::string> flaws = flaws_on_disk(row["findings"]);
  EXPECT_TRUE(flaws.contains(std::string(spec.flaws.front()))) << spec.flaws.front();
  for (const std::string& flaw : flaws) {
    EXPECT_NE(std::find(spec.flaws.begin(), spec.flaws.end(), flaw), spec.flaws.end()) << flaw;
  }
  EXPECT_FALSE(fs::exists(dir_ / "found/.running") && !fs::is_empty(dir_ / "found/.running"));
}

TEST_F(CudaGate, PassesWhatIsNotHostile) {
  for (const std::string_view op : {"paged_mqa_metadata", "dsa_decode_metadata"}) {
    const int exit_code = gate({.hostility = CudaHostility::kNone, .op = op, .gate_cases = 2000});
    if (exit_code == kExitNoBackend && !is_required()) GTEST_SKIP() << log();
    EXPECT_EQ(exit_code, kExitPass) << log();
    fs::remove(dir_ / "none.so");
  }
}

std::string test_name(const ::testing::TestParamInfo<CudaHostileSpec>& info) {
  return std::string(cuda_hostility_name(info.param.hostility));
}

INSTANTIATE_TEST_SUITE_P(All, CudaHostileGate, ::testing::ValuesIn(cuda_hostile_specs()),
                         test_name);

}  // namespace
}  // namespace bytegate
