#include "fuzz/campaign/campaign.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "fuzz/campaign/drawn_slice.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/guided_slice.h"
#include "fuzz/campaign/inputs.h"
#include "fuzz/campaign/lanes.h"
#include "fuzz/campaign/left_work.h"
#include "fuzz/campaign/rows.h"
#include "fuzz/campaign/start.h"
#include "fuzz/campaign/state_folder.h"
#include "fuzz/sweep_state.h"
#include "oracles/durable_file.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {}
  CampaignOutcome run();

 private:
  bool begin();
  bool choose();
  bool lock_streams();
  void load();
  void work(bool on_device);
  void work_safely(bool on_device);
  SliceResult run_slice(const Lane& lane);
  void settle(Lane& lane, SliceResult result, double seconds);
  void run_threads();
  void tell_progress();
  void note_error(const std::string& error);
  [[nodiscard]] std::vector<int64_t> streams() const;
  [[nodiscard]] double seconds_left() const;
  [[nodiscard]] bool stopped() const { return options_.run.stop && options_.run.stop(); }
  [[nodiscard]] bool gives_up() const { return stopped() || failed_ || seconds_left() < 0; }

  const CampaignOptions& options_;
  Clock::time_point begin_ = Clock::now();
  std::optional<StateFolder> state_;
  CampaignStart start_;
  std::vector<std::unique_ptr<StreamLock>> locks_;
  std::unique_ptr<CampaignFindings> findings_;
  std::unique_ptr<Lanes> lanes_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // of all that follows
  CampaignRows rows_;
  CampaignOutcome outcome_;
  int num_working_ = 0;
  std::condition_variable ended_;
};

std::vector<int64_t> Campaign::streams() const {
  std::vector<int64_t> streams;
  for (int64_t i = 0; i < options_.shard.num_streams; ++i) {
    streams.push_back(options_.shard.idx + i * options_.shard.count);
  }
  return streams;
}

// Until slices that are under way are given up.
double Campaign::seconds_left() const {
  if (!options_.deadline) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*options_.deadline + options_.patience - Clock::now())
      .count();
}

bool Campaign::choose() {
  const BuildDigest build = build_digest(options_.run.candidate);
  if (!build.error.empty()) {
    outcome_.refused = build.error;
    return false;
  }
  CampaignStart wanted = {.build = build.digest,
                          .seed = options_.seed,
                          .slice_runs = options_.slice_runs,
                          .slice_cases = options_.slice_cases,
                          .arch = options_.run.backend_options.arch,
                          .targets = {},
                          .inputs = {}};
  for (const auto& [op, target] : options_.targets) {
    const std::optional<std::string> bytes = file_bytes(target);
    if (!bytes) {
      outcome_.refused = target + ": cannot be read";
      return false;
    }
    wanted.targets[op] = text_digest(*bytes);
  }
  if (!options_.targets.empty()) outcome_.errors = keep_start_cases(*state_, options_.start_cases);
  ChosenStart chosen = choose_start(*state_, wanted);
  outcome_.errors.insert(outcome_.errors.end(), chosen.damaged.begin(), chosen.damaged.end());
  outcome_.refused = chosen.error;
  outcome_.is_new = chosen.is_new;
  start_ = std::move(chosen.start);
  outcome_.id = campaign_id(start_);
  return outcome_.refused.empty();
}

bool Campaign::lock_streams() {
  for (const int64_t stream : streams()) {
    StreamLock::Result taken = StreamLock::take(*state_, stream);
    if (taken.lock == nullptr) {
      outcome_.refused = taken.error;
      return false;
    }
    locks_.push_back(std::move(taken.lock));
  }
  return true;
}

bool Campaign::begin() {
  OpenedState opened = StateFolder::open(options_.state);
  state_ = std::move(opened.state);
  outcome_.refused = opened.error;
  return state_ && lock_streams() && choose();
}

// Takes up what the state holds: work that was left, findings, and slices that are done.
void Campaign::load() {
  remove_stale_temps(state_->path());
  remove_stale_temps(state_->starts() + "/" + outcome_.id);
  for (const OpProperties& properties : all_properties()) {
    remove_stale_temps(state_->inputs(std::string(properties.op->name)));
  }
  findings_ = std::make_unique<CampaignFindings>(*state_, options_,
                                                 state_->work(options_.shard.idx) + "/found");
  findings_->replay();
  for (const int64_t stream : streams()) {
    for (std::string& note : take_up_left_work(*state_, stream, options_, *findings_)) {
      outcome_.notes.push_back(std::move(note));
    }
  }
  LoadedSlices loaded = load_slices(*state_, outcome_.id);
  outcome_.errors.insert(outcome_.errors.end(), loaded.damaged.begin(), loaded.damaged.end());
  outcome_.notes.insert(outcome_.notes.end(), loaded.doubles.begin(), loaded.doubles.end());
  for (const auto& [chain, slices] : loaded.by_chain) {
    for (const auto& [idx, record] : slices) rows_.add(record, false, 0);
  }
  std::vector<Lane> lanes;
  const auto add_lane = [&](Chain chain, const OpProperties* properties) {
    Lane lane;
    lane.chain = std::move(chain);
    lane.properties = properties;
    rows_.add_row(lane.chain, properties);
    for (auto& [idx, record] : loaded.by_chain[lane.chain.name()]) {
      lane.ended = lane.ended || has_nothing_for(record, options_.run.candidate);
      Lanes::enter_done(lane, idx, std::move(record.inputs));
    }
    lanes.push_back(std::move(lane));
  };
  for (const int64_t stream : streams()) {
    for (const OpProperties* properties : options_.ops) {
      const std::string op(properties->op->name);
      if (options_.targets.count(op) > 0) {
        add_lane({.kind = SliceKind::kGuided, .op = op, .stream = stream}, properties);
      }
      for (const BackendKind backend : options_.backends) {
        add_lane({.kind = SliceKind::kDrawn, .op = op, .backend = backend, .stream = stream},
                 properties);
      }
    }
  }
  lanes_ = std::make_unique<Lanes>(std::move(lanes), options_.num_rounds);
}

SliceResult Campaign::run_slice(const Lane& lane) {
  const std::function<bool()> stop = [this] { return gives_up(); };
  if (lane.chain.kind == SliceKind::kGuided) {
    const auto start = start_.inputs.find(lane.chain.op);
    GuidedSlice slice = {.properties = *lane.properties,
                         .chain = lane.chain,
                         .idx = lane.next_idx,
                         .target = options_.targets.at(lane.chain.op),
                         .inputs = {}};
    if (start != start_.inputs.end()) slice.inputs = start->second;
    slice.inputs.insert(slice.inputs.end(), lane.inputs.begin(), lane.inputs.end());
    return run_guided_slice(slice, *state_, options_, *findings_, stop);
  }
  return run_drawn_slice(*lane.properties, lane.chain, lane.next_idx, options_, *findings_, stop);
}

void Campaign::note_error(const std::string& error) {
  const std::scoped_lock lock(mutex_);
  outcome_.errors.push_back(error);
}

void Campaign::settle(Lane& lane, SliceResult result, double seconds) {
  if (!result.error.empty()) {
    note_error(result.error);
    if (!result.others_go_on) failed_ = true;
  }
  if (result.record) {
    result.record->campaign = outcome_.id;
    if (const auto failure = save_slice(*state_, *result.record)) {
      note_error(*failure);
      failed_ = true;
      result.record.reset();
    }
  }
  bool ended = false;
  if (result.record) {
    const std::scoped_lock lock(mutex_);
    rows_.add(*result.record, true, seconds);
    ended = has_nothing_for(*result.record, options_.run.candidate);
  }
  lanes_->give_back(lane, seconds, result.record ? &*result.record : nullptr, ended);
}

void Campaign::work(bool on_device) {
  const auto left = [this] {
    const bool over = options_.deadline && Clock::now() >= *options_.deadline;
    return over ? -1 : seconds_left();
  };
  const auto stop = [&] { return gives_up() || left() < 0; };
  while (Lane* lane = lanes_->take(on_device, left, stop)) {
    const Clock::time_point begin = Clock::now();
    SliceResult result = run_slice(*lane);
    settle(*lane, std::move(result), seconds_since(begin));
    malloc_trim(0);  // what its largest case took is not for the next slices to hold
  }
}

void Campaign::work_safely(bool on_device) {
  try {
    work(on_device);
  } catch (const std::exception& error) {
    note_error(std::string("a thread of the campaign ended early: ") + error.what());
    failed_ = true;
  }
  const std::scoped_lock lock(mutex_);
  --num_working_;
  ended_.notify_all();
}

void Campaign::tell_progress() {
  if (!options_.progress) return;
  CampaignProgress progress = rows_.progress();
  progress.seconds = seconds_since(begin_);
  progress.num_findings = findings_->num_findings();
  options_.progress(progress);
}

// A device has a thread of its own, beside those of the host.
void Campaign::run_threads() {
  const bool has_device =
      std::count(options_.backends.begin(), options_.backends.end(), BackendKind::kCuda) > 0;
  const int num_threads = options_.num_jobs + (has_device ? 1 : 0);
  num_working_ = num_threads;  // falls while they are begun
  std::vector<std::jthread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([this, on_device = i == options_.num_jobs] { work_safely(on_device); });
  }
  std::unique_lock lock(mutex_);
  while (num_working_ > 0) {
    ended_.wait_for(lock, std::chrono::milliseconds(200));
    tell_progress();
  }
}

CampaignOutcome Campaign::run() {
  if (!begin()) return std::move(outcome_);
  load();
  if (!stopped()) run_threads();
  outcome_.stopped = stopped();
  outcome_.out_of_time = options_.num_rounds > 0 && !lanes_->all_done() && !outcome_.stopped;
  outcome_.rows = rows_.take();
  findings_->move_into(outcome_);
  outcome_.seconds = seconds_since(begin_);
  return std::move(outcome_);
}

}  // namespace

CampaignOutcome run_campaign(const CampaignOptions& options) {
  return Campaign(options).run();
}

}  // namespace bytegate
