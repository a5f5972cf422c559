// A gate that is interrupted while a candidate hangs: it does not wait for the end of the case's
// time, and what was running is there for the next gate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ci/cli/testing/process.h"
#include "kernels/testing/hostile_candidate.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;

class HungGate : public TempFolder {
 protected:
  [[nodiscard]] std::vector<std::string> gate(const std::string& candidate) const {
    return {"gate",
            "--op",
            "paged_mqa_metadata",
            "--backend",
            "host",
            "--jobs",
            "2",
            "--candidate",
            candidate,
            "--cases",
            "48",
            "--case-seconds",
            "100",
            "--findings",
            path("found"),
            "--corpus",
            BYTEGATE_SEED_CASE,
            "--report",
            path("report")};
  }
  // Until a case of each thread is on disk, and then with a worker.
  void await_hanging() const {
    for (int i = 0; i < 2000; ++i) {
      int num_batches = 0;
      std::error_code error;
      fs::recursive_directory_iterator entry(path("found/.running"), error);
      for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        num_batches += entry->path().filename().string().rfind("batch-", 0) == 0 ? 1 : 0;
      }
      if (num_batches > 1) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  [[nodiscard]] nlohmann::json report() const {
    std::ifstream file(path("report/report.json"));
    return nlohmann::json::parse(file, nullptr, false);
  }
};

TEST_F(HungGate, EndsSoonAfterASignalAndKeepsWhatWasRunning) {
  for (const auto& [hostility, signal] :
       {std::pair{Hostility::kLoop, SIGTERM}, {Hostility::kSleep, SIGINT}}) {
    SCOPED_TRACE(signal);
    const std::string library = path(std::string(hostility_name(hostility)) + ".so");
    fs::create_symlink(BYTEGATE_HOSTILE_LIBRARY, library);
    Process hung(BYTEGATE_COMMAND, gate(library));
    await_hanging();
    const auto begin = std::chrono::steady_clock::now();
    hung.send(signal);
    const std::string text = hung.read_all();
    EXPECT_EQ(hung.exit_code(), 1) << text;
    // About one, on a machine that is not slow.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    const nlohmann::json ran = report();
    ASSERT_FALSE(ran.is_discarded()) << text;
    EXPECT_THAT(ran["interrupted"].get<std::string>(),
                ContainsRegex("after 0 of 49 cases; [0-9]+ more did not end in time, and are kept "
                              "for the next gate$"));
    EXPECT_GT(ran["runs"][0]["given_up"], 0);
    EXPECT_EQ(ran["runs"][0]["failed"], 0) << "nothing of the candidate was seen";

    Process next(BYTEGATE_COMMAND, gate("production"));
    const std::string next_text = next.read_all();
    EXPECT_EQ(next.exit_code(), 0) << next_text;
    EXPECT_THAT(next_text, ContainsRegex("cases? that w[a-z]+ running when a run ended"));
    EXPECT_FALSE(fs::exists(path("found/.running")));
  }
}

}  // namespace
}  // namespace bytegate
