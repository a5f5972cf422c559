// A campaign: guided and drawn slices side by side on many threads, all of it kept in a folder from
// which any process goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/slice.h"
#include "fuzz/run.h"
#include "properties/op_properties.h"

namespace bytegate {

// This shard owns the streams idx, idx + count, ..; as many as `num_streams`.
struct CampaignShard {
  int64_t idx = 0;
  int64_t count = 1;
  int64_t num_streams = 1;
};
constexpr int64_t kMaxStreams = int64_t{1} << 22;

struct CampaignProgress {
  double seconds = 0;     // since this process began
  int64_t num_cases = 0;  // of this process; and so on
  int64_t num_failed = 0;
  int64_t num_slices = 0;
  // Of the campaign, as far as this state holds it.
  int64_t num_paths = 0;
  int64_t num_classes = 0;
  int64_t num_all_classes = 0;
  int64_t coverage = 0;  // edges covered, the best of each operation's targets
  int64_t num_inputs = 0;
  int64_t num_findings = 0;
};

struct CampaignOptions {
  std::string state;
  CampaignShard shard = {};
  std::vector<const OpProperties*> ops;
  std::vector<BackendKind> backends;  // of drawn slices; empty: none
  // Of guided slices, by operation; empty: none.
  std::map<std::string, std::string> targets;
  std::vector<Case> start_cases;  // that guided slices start from
  uint64_t seed = 1;
  int64_t slice_runs = 100000;
  int64_t slice_cases = 0;  // 0: what a gate of the operation asks for
  int64_t num_rounds = 0;   // slices of each chain; 0: no limit
  std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt;
  // Slices that are running at the deadline have so much longer; then they are given up.
  std::chrono::milliseconds patience{5000};
  std::chrono::milliseconds slice_limit{std::chrono::minutes(10)};  // of a guided one
  int64_t target_memory_mib = 2048;  // that its target may hold: the same on every machine
  int num_jobs = 1;
  // Candidate, how it is run, checks, and how failures are minimised; backend and jobs are not
  // used.
  RunOptions run = {};
  // Called for each finding that is in the state, old ones too; gives what went wrong.
  std::function<std::optional<std::string>(const Finding&, const OpProperties&)> on_finding =
      nullptr;
  // Called every 200 ms on the thread that called run_campaign().
  std::function<void(const CampaignProgress&)> progress = nullptr;
};

// Slices of one kind, operation and backend: all of the campaign that the state holds.
struct CampaignRow {
  const OpProperties* properties = nullptr;
  SliceKind kind = SliceKind::kDrawn;
  BackendKind backend = BackendKind::kHost;
  SliceRecord sum;  // its counts; coverage is the best of all slices
  int64_t num_slices = 0;
  int64_t num_inputs = 0;
  int64_t num_early_ends = 0;  // slices whose target ended early
  // Of those, what this process did, and the time of its threads.
  int64_t num_slices_now = 0;
  int64_t num_cases_now = 0;
  double seconds_now = 0;
};

struct CampaignOutcome {
  std::string id;
  bool is_new = false;
  std::vector<CampaignRow> rows;
  std::vector<Finding> findings;       // of the state that fail, old ones first
  std::vector<std::string> no_longer;  // files of findings that pass now
  std::vector<std::string> notes;      // what was taken up, and the like
  std::vector<std::string> errors;     // files that were damaged, or could not be written
  int64_t num_unkept = 0;              // failures of more origins than are kept
  bool stopped = false;
  bool out_of_time = false;
  double seconds = 0;
  std::string refused;  // why nothing ran: the state, the candidate or a stream cannot be had
};

CampaignOutcome run_campaign(const CampaignOptions& options);

}  // namespace bytegate
