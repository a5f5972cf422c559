// Stands for a coverage-guided target in tests of campaigns: what it finds follows from -seed and
// -runs. BYTEGATE_FAKE says what else it does: slow, crash, hang
// (for ever), timeout and memory (as the engine ends a target at its limits), an exit code, or
// nothing. Where BYTEGATE_FAKE_ONCE is a file, it does so only until that is there, and makes it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr int kCrashCode = 77;
constexpr int kTimeoutCode = 70;
constexpr int kMemoryCode = 71;
constexpr int kRunsPerInput = 100;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void write_input(const std::string& path, std::minstd_rand& random) {
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < 40; ++i) file.put(static_cast<char>(random() & 0xff));
}

}  // namespace

int main(int argc, char** argv) {
  unsigned long seed = 0;
  int runs = 0;
  std::string artifacts;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.rfind("-seed=", 0) == 0) seed = std::strtoul(argv[i] + 6, nullptr, 10);
    if (word.rfind("-runs=", 0) == 0) runs = std::atoi(argv[i] + 6);
    if (word.rfind("-artifact_prefix=", 0) == 0) artifacts = word.substr(17);
  }
  const std::string kept = argv[argc - 1];
  std::string mood = variable("BYTEGATE_FAKE");
  if (const std::string once = variable("BYTEGATE_FAKE_ONCE"); !once.empty()) {
    if (std::ifstream(once).is_open()) mood.clear();
    std::ofstream(once) << "done";
  }
  std::minstd_rand random(static_cast<unsigned>(seed));
  for (int run = 0; run < runs; run += kRunsPerInput) {
    if (mood == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(5));
    write_input(kept + "/" + std::to_string(run), random);
  }
  const std::string failing = variable("BYTEGATE_FAKE_FAILURE");
  if (!failing.empty()) {
    std::ofstream(variable("BYTEGATE_FUZZ_FAILURES") + "/1.case") << std::ifstream(failing).rdbuf();
  }
  if (mood == "crash") {
    write_input(artifacts + "crash-1", random);
    return kCrashCode;
  }
  if (mood == "timeout") {
    write_input(artifacts + "timeout-1", random);
    return kTimeoutCode;
  }
  if (mood == "memory") {
    write_input(artifacts + "oom-1", random);
    return kMemoryCode;
  }
  if (const int code = std::atoi(mood.c_str()); code != 0) std::_Exit(code);
  if (mood == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  std::printf("#%d DONE cov: 12 ft: 34\n", runs);
  std::ofstream(variable("BYTEGATE_FUZZ_REPORT"))
      << R"({"executions": )" << runs << R"(, "passed": )" << runs
      << R"(, "failed": 0, "set_aside": 0, "expect": {"bytes": )" << runs
      << R"(}, "paths": {}, "classes": {}, "states": {}, "verdicts": {"pass": )" << runs
      << R"(}, "origins": {}})";
  return 0;
}
