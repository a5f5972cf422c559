// Campaigns that are killed, in part or altogether, lose nothing and end with the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ci/cli/testing/campaign_command.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

const std::string kWrong = BYTEGATE_SCHEDULE_WRONG;

constexpr std::chrono::seconds kPatience{60};  // with what should come much sooner

enum class Victim { kParent, kChild, kGroup, kSession };
constexpr std::array kVictims = {Victim::kParent, Victim::kChild, Victim::kGroup, Victim::kSession};

struct OtherProcess {
  pid_t pid = -1;
  char state = 'Z';
  pid_t parent = -1;
  pid_t session = -1;
};

std::vector<OtherProcess> all_processes() {
  std::vector<OtherProcess> all;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const pid_t pid = std::atoi(entry->path().filename().c_str());
    std::ifstream file(entry->path() / "stat");
    std::string text;
    if (pid <= 0 || !std::getline(file, text)) continue;
    // The name before it may hold anything.
    std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
    OtherProcess process = {.pid = pid};
    pid_t group = -1;
    if (fields >> process.state >> process.parent >> group >> process.session) {
      all.push_back(process);
    }
  }
  return all;
}

// Those that are alive and begun by the process, or of its session.
std::vector<pid_t> live_processes_of(const Process& process, Victim victim) {
  std::vector<pid_t> pids;
  for (const OtherProcess& other : all_processes()) {
    const bool chosen =
        victim == Victim::kSession ? other.session == process.pid() : other.parent == process.pid();
    if (chosen && other.state != 'Z') pids.push_back(other.pid);
  }
  return pids;
}

// Between two slices, and before the first, a campaign has no child.
bool kill_next_child(Process& process, unsigned choice) {
  const auto deadline = steady_clock::now() + kPatience;
  while (process.alive() && steady_clock::now() < deadline) {
    const std::vector<pid_t> pids = live_processes_of(process, Victim::kChild);
    if (!pids.empty() && kill(pids[choice % pids.size()], SIGKILL) == 0) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  EXPECT_FALSE(process.alive()) << "a campaign that runs has begun no child for a minute";
  return false;
}

// Whether it was there to be killed.
bool kill_victim(Process& process, Victim victim, unsigned choice) {
  if (victim == Victim::kChild) return kill_next_child(process, choice);
  if (!process.alive()) return false;
  if (victim == Victim::kGroup) {
    kill(-process.pid(), SIGKILL);
  } else if (victim == Victim::kParent) {
    process.send(SIGKILL);
  } else {
    for (const pid_t pid : live_processes_of(process, victim)) kill(pid, SIGKILL);
  }
  // One that was ending by itself was not hit.
  return WIFSIGNALED(process.wait()) && WTERMSIG(process.wait()) == SIGKILL;
}

size_t num_files_below(const std::string& folder) {
  std::error_code error;
  size_t num_files = 0;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) ++num_files;
  }
  return num_files;
}

class KilledCampaign : public CampaignCommand {
 protected:
  void SetUp() override {
    CampaignCommand::SetUp();
    setenv("BYTEGATE_FAKE", "slow", 1);
    if (const char* asked = std::getenv("BYTEGATE_KILLS")) num_kills_ = std::atoi(asked);
  }

  // Kills campaigns until so many kills have hit a running one. Each that comes to its end after
  // kills is held to the bytes of one that nobody disturbed.
  void kill_many(const std::vector<std::string>& more, int exit_code);

  // Whether the process of this state has begun: it holds a stream.
  [[nodiscard]] bool is_running(const std::string& state, const Process& process) const {
    const std::string holder = file_bytes(path(state) + "/running/s0/lock").value_or("");
    return holder.find(std::to_string(process.pid())) != std::string::npos;
  }
  [[nodiscard]] size_t num_slices(const std::string& state) const {
    return num_files_below(path(state) + "/slices");
  }
  // A failure that is saved, and no finding yet.
  [[nodiscard]] bool has_failure_on_its_way(const std::string& state) const {
    return num_files_below(path(state) + "/running/s0/found") > 0;
  }

  void await(Process& process, const std::function<bool()>& moment) {
    const auto deadline = steady_clock::now() + kPatience;
    while (process.alive() && !moment() && steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  }

  int num_kills_ = 8;
  int num_hits_ = 0;
  int num_on_their_way_ = 0;
  std::array<int, kVictims.size()> hits_of_victim_{};
  std::map<size_t, int> hits_by_slices_;
  std::mt19937 random_{7};
};

void KilledCampaign::kill_many(const std::vector<std::string>& more, int exit_code) {
  constexpr size_t kKillsOfState = 5;  // the first of them while a failure is on its way
  constexpr int kMaxIdle = 100;        // runs in a row that no kill hits
  ASSERT_EQ(fuzz("undisturbed", more).exit_code, exit_code);
  const auto undisturbed = lasting("undisturbed");
  const size_t num_slices_in_all = num_slices("undisturbed");
  const bool fails = exit_code != 0;
  int state = 0;
  size_t hits_of_state = 0;
  const auto goes_on = [&] { return num_hits_ < num_kills_ || (fails && num_on_their_way_ == 0); };
  for (int num_idle = 0; goes_on() && num_idle < kMaxIdle; ++num_idle) {
    const std::string name = "killed" + std::to_string(state);
    Process process(BYTEGATE_COMMAND, arguments(name, more), Process::Session::kOwn);
    // A child that is killed leaves its campaign to be killed again.
    while (goes_on() && hits_of_state < kKillsOfState && process.alive()) {
      const Victim victim = kVictims[static_cast<size_t>(num_hits_) % kVictims.size()];
      const bool on_its_way = fails && hits_of_state == 0;
      const size_t wanted = num_slices_in_all * hits_of_state / kKillsOfState;
      await(process, [&] {
        return is_running(name, process) &&
               (on_its_way ? has_failure_on_its_way(name) : num_slices(name) >= wanted);
      });
      if (!on_its_way) std::this_thread::sleep_for(milliseconds(random_() % 30));
      const size_t num_done = num_slices(name);
      if (!kill_victim(process, victim, static_cast<unsigned>(random_()))) break;
      num_idle = 0;
      ++num_hits_;
      ++hits_of_state;
      ++hits_of_victim_[static_cast<size_t>(victim)];
      ++hits_by_slices_[num_done];
      // Of a child's campaign it cannot be told any more.
      if (victim != Victim::kChild && has_failure_on_its_way(name)) ++num_on_their_way_;
    }
    if (HasFailure()) return;  // one that may never end
    const std::string output = process.read_all();
    const bool killed = WIFSIGNALED(process.wait());
    if (killed) continue;
    EXPECT_EQ(process.exit_code(), exit_code) << name << "\n" << output;
    EXPECT_EQ(lasting(name), undisturbed) << name;
    ++state;
    hits_of_state = 0;
  }
  const std::string name = "killed" + std::to_string(state);
  const Ended last = fuzz(name, more);
  EXPECT_EQ(last.exit_code, exit_code) << last.output;
  EXPECT_EQ(lasting(name), undisturbed) << name;
  EXPECT_GE(num_hits_, num_kills_);
  std::cout << num_hits_ << " kills in " << state + 1 << " campaigns of " << num_slices_in_all
            << " slices; of parent, child, group, session:";
  for (const int hits : hits_of_victim_) std::cout << " " << hits;
  std::cout << "; after slices:";
  for (const auto& [slices, hits] : hits_by_slices_) std::cout << " " << slices << "x" << hits;
  std::cout << "; " << num_on_their_way_ << " with a failure on its way\n";
}

TEST_F(KilledCampaign, KillsAtRandomMomentsLoseNothingAndChangeNothing) {
  kill_many({"--jobs", "2", "--candidate", kWrong, "--streams", "2", "--minimize-seconds", "20"},
            1);
  EXPECT_GT(num_on_their_way_, 0);
  EXPECT_GT(hits_by_slices_.size(), 2U);
}

TEST_F(KilledCampaign, KillsOfCampaignsOverRealTargetsChangeNothing) {
  const char* folder = std::getenv("BYTEGATE_TARGETS");
  if (folder == nullptr) GTEST_SKIP() << "BYTEGATE_TARGETS names no folder of real targets";
  targets_ = folder;
  slice_runs_ = 2500;
  kill_many({"--jobs", "2", "--streams", "2"}, 0);
}

// The next process sees no failure of its own: all that is left of it is what the killed one saved.
TEST_F(KilledCampaign, AFailureThatATargetSavedBeforeAllWereKilledIsFound) {
  ASSERT_EQ(fuzz("before", {"--candidate", kWrong, "--no-guided"}).exit_code, 1);
  setenv("BYTEGATE_FAKE_FAILURE", first_file("before/findings").c_str(), 1);
  setenv("BYTEGATE_FAKE", "hang", 1);
  const std::vector<std::string> more = {"--candidate", kWrong, "--no-drawn", "--jobs", "1"};
  Process process(BYTEGATE_COMMAND, arguments("state", more), Process::Session::kOwn);
  const std::string failure =
      path("state/running/s0/guided.paged_mqa_metadata.s0.0/failures/1.case");
  std::error_code error;
  await(process, [&] { return fs::exists(failure) && fs::file_size(failure, error) > 0; });
  std::this_thread::sleep_for(milliseconds(20));
  ASSERT_TRUE(kill_victim(process, Victim::kSession, 0));
  unsetenv("BYTEGATE_FAKE_FAILURE");
  unsetenv("BYTEGATE_FAKE");
  const Ended next = fuzz("state", more);
  EXPECT_EQ(next.exit_code, 1) << next.output;
  EXPECT_THAT(next.output, HasSubstr("FAIL mismatch:schedule_metadata"));
  EXPECT_THAT(next.output, HasSubstr("1 inputs of it were checked again"));
}

}  // namespace
}  // namespace bytegate
