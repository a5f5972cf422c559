#include "kernels/simt/scheduler.h"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "kernels/simt/float_state.h"
#include "kernels/simt/sanitizer.h"

namespace bytegate::simt {
namespace {

// Lanes that spin through collectives are always ready; after this many switches without a change
// another block is given its chance.
constexpr std::uint64_t kPatienceSwitches = std::uint64_t{1} << 16;

std::size_t lane_stack_bytes(std::size_t wanted) {
  return sanitizer::kActive ? wanted * 4 : wanted;
}

}  // namespace

Scheduler::Scheduler(const ExecutorOptions& initial) : options(initial) {}

Scheduler::~Scheduler() {
  RunningLane* const outer_lane = std::exchange(current_lane, nullptr);
  ending_fibers_ = true;
  for (const auto& block : blocks_) {
    for (const auto& lane : block->lanes) end_fiber(*lane);
  }
  current_lane = outer_lane;
}

Status Scheduler::run(const LaunchConfig& config, const KernelBody& kernel) {
  Status refused = check(config, kernel);
  if (!refused.ok()) return refused;
  RunningLane* const outer_lane = std::exchange(current_lane, nullptr);
  const LaunchFloatState float_state;
  begin(config, kernel);
  try {
    loop();
  } catch (const std::bad_alloc&) {
    board_.aborting = true;
    record(Error::kOutOfMemory, nullptr, "no memory for the lanes of another block");
  }
  abandon();
  running_ = false;
  current_lane = outer_lane;
  return std::move(status_);
}

void Scheduler::begin(const LaunchConfig& config, const KernelBody& kernel) {
  config_ = config;
  kernel_ = kernel;
  status_ = Status{};
  stats = LaunchStats{};
  running_ = true;
  board_.aborting = false;
  stacks_broken_ = false;
  uncaught_before_ = std::uncaught_exceptions();
  random_ = Random(options.seed);
  num_blocks_ = config.grid.volume();
  num_started_ = 0;
  rank_cursor_ = 0;
  rank_step_ = 1;
  newest_quarters_ = options.seed != 0 ? random_.below(4) : 0;
  warps_stay_together_ = options.seed != 0 && random_.coin();
  if (options.seed != 0) {
    rank_cursor_ = random_.next() % num_blocks_;
    do {
      rank_step_ = random_.next() % num_blocks_;
    } while (std::gcd(rank_step_, num_blocks_) != 1);
  }
  num_resident_lanes_ = 0;
  last_change_ = last_progress_ = round_start_ = 0;
  checkpoint_ = std::min(kPatienceSwitches, options.max_switches);
  if (!stacks_) stacks_ = std::make_unique<StackPool>(lane_stack_bytes(options.stack_bytes));
}

void Scheduler::loop() {
  while (!board_.aborting) {
    retire_finished();
    while (resident_.size() < options.concurrent_blocks && may_start_block()) start_block();
    if (stats.num_switches >= checkpoint_) {
      check_limits();
    } else if (Lane* next = next_ready()) {
      run_lane(*next);
    } else if (!spinning_.empty()) {
      wake_spinning();
    } else if (!resident_.empty()) {
      diagnose_stuck();
    } else {
      return;
    }
  }
}

void Scheduler::check_limits() {
  if (stats.num_switches >= options.max_switches) {
    board_.aborting = true;
    record(Error::kHang, resident_.empty() ? nullptr : resident_.front(),
           "still running after " + std::to_string(stats.num_switches) + " lane switches");
    return;
  }
  if (stats.num_switches >= last_change_ + kPatienceSwitches && may_start_block()) start_block();
  checkpoint_ = std::min(stats.num_switches + kPatienceSwitches, options.max_switches);
}

void Scheduler::wake_spinning() {
  const bool idle = last_change_ <= round_start_;
  if (idle && may_start_block()) {
    start_block();
  } else if (idle && stats.num_switches >= last_progress_ + options.max_idle_switches) {
    board_.aborting = true;
    const bool more = num_started_ < num_blocks_;
    record(Error::kDeadlock, resident_.front(),
           "its lanes only spin and nothing changes; " +
               std::to_string(num_blocks_ - num_started_) + " blocks have not started" +
               (more ? ", the limit of resident lanes is reached" : ""));
    return;
  }
  round_start_ = stats.num_switches;
  if (options.seed != 0) {
    const auto count = static_cast<unsigned>(spinning_.size());
    for (unsigned i = count - 1; i > 0; --i)
      std::swap(spinning_[i], spinning_[random_.below(i + 1)]);
  }
  for (Lane* lane : spinning_) {
    lane->waits_at = Op::kNone;
    ready_.push(lane);
  }
  spinning_.clear();
}

void Scheduler::retire_finished() {
  for (Block* block : finished_) {
    resident_.erase(std::find(resident_.begin(), resident_.end(), block));
    free_.push_back(block);
    num_resident_lanes_ -= block->num_lanes;
    ++stats.num_blocks;
  }
  finished_.clear();
}

// After a failed launch: unwinds every lane that is inside the body, or drops all stacks when one
// has run into another.
void Scheduler::abandon() {
  retire_finished();
  for (Block* block : resident_) {
    for (unsigned i = 0; i < block->num_lanes; ++i) {
      const Lane& lane = *block->lanes[i];
      if (!lane.has_begun || lane.stack.is_intact() || stacks_broken_) continue;
      stacks_broken_ = true;
      if (status_.error != Error::kStackOverflow) {
        status_ = Status{};
        record(Error::kStackOverflow, block, lane_text(lane) + " overran its stack");
      }
    }
  }
  for (Block* block : resident_) {
    for (unsigned i = 0; i < block->num_lanes && !stacks_broken_; ++i) {
      Lane& lane = *block->lanes[i];
      if (lane.has_begun) run_lane(lane);
      lane.waits_at = Op::kNone;
    }
    finished_.push_back(block);
  }
  const std::uint64_t num_finished = stats.num_blocks;
  retire_finished();
  stats.num_blocks = num_finished;
  ready_.clear();
  spinning_.clear();
  if (stacks_broken_) forget_fibers();
}

}  // namespace bytegate::simt
