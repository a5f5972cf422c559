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

// Behind Executor. Everything runs on one thread: `main_` is the context that called launch, and
// lanes switch to each other directly, to main_ only when none of them can run.
class Scheduler {
 public:
  explicit Scheduler(const ExecutorOptions& options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  Status run(const LaunchConfig& config, const KernelBody& kernel);

  // The operations of lane_ops.h, for the running lane `self`.
  std::uint64_t meet_warp(Lane& self, const Meeting& wanted, std::uint64_t value,
                          unsigned source_lane, Site site);
  int meet_block(Lane& self, const BlockCollective& wanted, int predicate, Site site);
  void yield_lane(Lane& self, Site site);
  void after_atomic(Lane& self, bool changed, Site site);
  Block* resident(std::uint64_t rank) const;

  // Ends the launch and unwinds `self`. Returns only when `self` is being unwound already.
  void fail(Lane& self, Error error, const std::string& detail);

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
  bool may_start_block() const;
  void start_block();
  Block& free_block();
  void furnish(Block& block);
  std::uint64_t next_block_rank();
  void retire_finished();
  void abandon();

  // lane_switch.cc: fibers
  void make_fiber(Lane& lane);
  void end_fiber(Lane& lane);
  void switch_to(Context& from, Context& to, Lane* next);
  void arrive(Context& self, boost::context::fiber&& came_from);
  boost::context::fiber lane_main(Lane& lane, boost::context::fiber&& caller);
  void run_body(Lane& lane);
  void finish_lane(Lane& lane);
  void finish_block(Block& block);
  Lane* next_ready();
  void suspend(Lane& self);
  void check_stack(Lane& self);
  void forget_fibers();

  // warp_collective.cc
  bool check_mask(Lane& self, const Meeting& wanted);
  void complete_warp(Lane& last, const Meeting& meeting);

  // block_barrier.cc
  bool check_barrier(Lane& self, const BlockCollective& wanted);
  bool check_storage(Lane& self, const BlockCollective& wanted);
  void complete_barrier(Block& block, Lane* last);
  void give_way_after_meeting(Lane& last);

  // diagnosis.cc
  void record(Error error, const Block* block, const std::string& detail);
  void diagnose_stuck();
  std::string describe_waiting(const Block& block) const;

  Context main_;
  Context* switched_from_ = nullptr;
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
  bool aborting_ = false;
  bool stacks_broken_ = false;
  bool ending_fibers_ = false;
  int uncaught_before_ = 0;
  std::uint64_t num_blocks_ = 0;
  std::uint64_t num_started_ = 0;
  std::uint64_t rank_cursor_ = 0;
  std::uint64_t rank_step_ = 1;
  std::uint64_t num_resident_lanes_ = 0;
  std::uint64_t checkpoint_ = 0;     // switches at which main_ takes a look
  std::uint64_t last_change_ = 0;    // switches when a lane finished or an atomic changed memory
  std::uint64_t last_progress_ = 0;  // the same, or a barrier or collective completed
  std::uint64_t round_start_ = 0;    // switches when the spinning lanes were last woken
};

}  // namespace bytegate::simt
