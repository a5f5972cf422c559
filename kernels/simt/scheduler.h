#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/simt/executor.h"
#include "kernels/simt/lane.h"
#include "kernels/simt/ready_queue.h"

namespace bytegate::simt {

// Behind Executor. Everything runs on one OS thread. What called launch ("the launching thread",
// board_.main) is a context among the lanes: they switch to each other directly, to it only when
// none of them can run.
class Scheduler {
 public:
  explicit Scheduler(const ExecutorOptions& options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  Status run(const LaunchConfig& config, const KernelBody& kernel);

  // The operations of lane_ops.h, for the running lane `self`.
  Handover arrive_warp(Lane& self, std::uint64_t value, unsigned source_lane);
  Handover arrive_block(Lane& self, int predicate);
  Handover arrive_block(Lane& self, const BlockCollective& wanted);
  Handover arrive_spin(Lane& self, Site site);
  Handover arrive_atomic(Lane& self, bool changed, Site site);
  Block* resident(std::uint64_t rank) const;

  // Ends the launch and unwinds `self`. Returns only when `self` is being unwound already.
  void fail(Lane& self, Error error, const std::string& detail);
  void leave(Lane& self);

  ExecutorOptions options;
  LaunchStats stats;

 private:
  // check_launch.cc
  Status check(const LaunchConfig& config, const KernelBody& kernel) const;

  // scheduler.cc: the launching thread's side
  void begin(const LaunchConfig& config, const KernelBody& kernel);
  void loop();
  void wake_spinning();
  void check_limits();
  void retire_finished();
  void abandon();

  // block_start.cc
  bool may_start_block() const;
  void start_block();
  void permute_lanes(Block& block);
  Block& free_block();
  void furnish(Block& block);
  std::uint64_t next_block_rank();

  // lane_switch.cc: fibers
  void make_fiber(Lane& lane);
  void end_fiber(Lane& lane);
  void run_lane(Lane& lane);
  boost::context::fiber lane_main(Lane& lane, boost::context::fiber&& caller);
  void run_body(Lane& lane);
  void finish_lane(Lane& lane);
  void finish_block(Block& block);
  Lane* next_ready();
  Context& hand_to(Lane* next);
  Handover suspend(Lane& self);
  void fail_stack(Lane& self);
  void forget_fibers();

  // warp_collective.cc
  void refuse_mask(Lane& self);
  Handover complete_warp(Lane& last, const Meeting& meeting);

  // block_barrier.cc
  void refuse_barrier(Lane& self, const BlockCollective* wanted);
  bool check_storage(Lane& self, const BlockCollective& wanted);
  Handover arrived_at_barrier(Lane& self);
  void complete_barrier(Block& block, Lane* last);
  Handover give_way_after_meeting(Lane& last);

  // diagnosis.cc
  void record(Error error, const Block* block, const std::string& detail);
  void diagnose_stuck();
  std::string describe_waiting(const Block& block) const;

  Switchboard board_;
  std::thread::id thread_ = std::this_thread::get_id();
  std::unique_ptr<StackPool> stacks_;
  std::vector<std::unique_ptr<Block>> blocks_;  // every slot ever made
  std::vector<Block*> free_;
  std::vector<Block*> resident_;
  std::vector<Block*> finished_;  // not yet taken out of resident_
  ReadyQueue ready_;
  std::vector<Lane*> spinning_;
  Random random_{0};

  // The running launch.
  LaunchConfig config_;
  KernelBody kernel_;
  Status status_;
  bool running_ = false;
  bool stacks_broken_ = false;
  bool ending_fibers_ = false;
  int uncaught_before_ = 0;
  unsigned newest_quarters_ = 0;  // how often, in four, the lane that became ready last goes first
  bool warps_stay_together_ = false;
  std::uint64_t num_blocks_ = 0;
  std::uint64_t num_started_ = 0;
  std::uint64_t rank_cursor_ = 0;
  std::uint64_t rank_step_ = 1;
  std::uint64_t num_resident_lanes_ = 0;
  std::uint64_t checkpoint_ = 0;     // switches at which the launching thread takes a look
  std::uint64_t last_change_ = 0;    // switches when a lane finished or an atomic changed memory
  std::uint64_t last_progress_ = 0;  // the same, or a barrier or collective completed
  std::uint64_t round_start_ = 0;    // switches when the spinning lanes were last woken
};

// A lane that waits with less than this left of its stack has as good as overflowed.
inline constexpr std::ptrdiff_t kStackReserveBytes = 1024;

// Null when none is ready or the launching thread wants a look.
inline Lane* Scheduler::next_ready() {
  if (ready_.empty() || stats.num_switches >= checkpoint_) return nullptr;
  if (newest_quarters_ != 0 && random_.below(4) < newest_quarters_) return ready_.pop_newest();
  return ready_.pop_oldest();
}

// The context to switch to: `next`, or the launching thread when there is none.
inline Context& Scheduler::hand_to(Lane* next) {
  ++stats.num_switches;
  current_lane = next;
  return next != nullptr ? next->context : board_.main;
}

// `self` gives way until someone has put it into the ready queue and its turn has come.
inline Handover Scheduler::suspend(Lane& self) {
  const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
  if (here - self.stack.low < kStackReserveBytes) [[unlikely]] {
    fail_stack(self);
  }
  Lane* const next = next_ready();
  return next == &self ? nullptr : &hand_to(next);
}

}  // namespace bytegate::simt
