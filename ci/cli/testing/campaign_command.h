// `bytegate fuzz` as its users run it, over a fake target.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ci/cli/testing/process.h"
#include "fuzz/campaign/state_folder.h"
#include "oracles/case_text.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {

struct Ended {
  int exit_code = 0;
  std::string output;
};

class CampaignCommand : public TempFolder {
 protected:
  void SetUp() override {
    TempFolder::SetUp();
    targets_ = path("targets");
    std::filesystem::create_directories(targets_);
    std::filesystem::copy_file(BYTEGATE_FAKE_TARGET, targets_ + "/paged_mqa_metadata_fuzzer");
  }
  void TearDown() override {
    unsetenv("BYTEGATE_FAKE");
    unsetenv("BYTEGATE_FAKE_FAILURE");
    TempFolder::TearDown();
  }
  [[nodiscard]] std::vector<std::string> arguments(
      const std::string& state, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"fuzz",
                                      "--op",
                                      "paged_mqa_metadata",
                                      "--backend",
                                      "host",
                                      "--rounds",
                                      "3",
                                      "--state",
                                      path(state),
                                      "--targets",
                                      targets_,
                                      "--no-corpus",
                                      "--slice-cases",
                                      "60",
                                      "--slice-runs",
                                      std::to_string(slice_runs_)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] Ended fuzz(const std::string& state,
                           const std::vector<std::string>& more = {}) const {
    Process process(BYTEGATE_COMMAND, arguments(state, more));
    Ended ended;
    ended.output = process.read_all();
    ended.exit_code = process.exit_code();
    return ended;
  }
  // What lasts of a state: files by name.
  [[nodiscard]] std::map<std::string, std::string> lasting(const std::string& state) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(state))) {
      const std::string name = std::filesystem::relative(entry.path(), path(state)).string();
      if (entry.is_directory() || name.rfind("running/", 0) == 0) continue;
      files[name] = file_bytes(entry.path().string()).value_or("unreadable");
    }
    return files;
  }
  [[nodiscard]] std::string first_file(const std::string& folder) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(folder))) {
      if (!entry.is_directory()) return entry.path().string();
    }
    return "";
  }
  void copy_into(const std::string& from, const std::string& to) const {
    std::filesystem::copy(
        path(from), path(to),
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::skip_existing);
  }

  std::string targets_;
  int slice_runs_ = 400;
};

}  // namespace bytegate
