#include <boost/context/fiber.hpp>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "kernels/simt/sanitizer.h"
#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

// Thrown where a lane of a failed launch waits, so that its locals are destroyed.
struct Abandoned {};

// StackPool owns the memory; a fiber that ends has nothing to give back.
struct PooledStack {
  static void deallocate(boost::context::stack_context&) {}
};

}  // namespace

void Scheduler::make_fiber(Lane& lane) {
  lane.stack = stacks_->take();
  lane.context.stack_bottom = lane.stack.low;
  lane.context.stack_bytes = lane.stack.bytes;
  boost::context::stack_context memory;
  memory.sp = lane.stack.top();
  memory.size = lane.stack.bytes;
  lane.context.fiber = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(memory.sp, memory.size, memory),
      PooledStack{},
      [this, &lane](boost::context::fiber&& caller) { return lane_main(lane, std::move(caller)); });
}

// Lets lane_main return, so that no fiber is ever unwound by force.
void Scheduler::end_fiber(Lane& lane) {
  if (lane.context.fiber) run_lane(lane);
}

// From the launching thread; returns when lanes have nothing left to do.
void Scheduler::run_lane(Lane& lane) {
  switch_context(board_, board_.main, hand_to(&lane));
}

boost::context::fiber Scheduler::lane_main(Lane& lane, boost::context::fiber&& caller) {
  arrive(board_, lane.context, std::move(caller));
  while (!ending_fibers_) {
    run_body(lane);
    finish_lane(lane);
    Context& next = hand_to(board_.aborting ? nullptr : next_ready());
    switch_context(board_, lane.context, next);
  }
  board_.from = &lane.context;
  sanitizer::start_switch(nullptr, board_.main.stack_bottom, board_.main.stack_bytes);
  return std::move(board_.main.fiber);
}

void Scheduler::run_body(Lane& lane) {
  lane.has_begun = true;
  lane.num_atomics = 0;
  try {
    kernel_.invoke(kernel_.callable, lane.home->shared.static_part());
  } catch (const Abandoned&) {
    // The launch has failed already.
  } catch (const std::exception& thrown) {
    board_.aborting = true;
    record(Error::kException, lane.home, lane_text(lane) + " threw: " + thrown.what());
  } catch (...) {
    board_.aborting = true;
    record(Error::kException, lane.home, lane_text(lane) + " threw something unknown");
  }
  lane.has_begun = false;
  lane.waits_at = Op::kNone;
}

void Scheduler::finish_lane(Lane& lane) {
  if (!lane.stack.is_intact()) {
    board_.aborting = stacks_broken_ = true;
    record(Error::kStackOverflow, lane.home, lane_text(lane) + " overran its stack");
  }
  if (board_.aborting) return;
  Block& block = *lane.home;
  Warp& warp = *lane.warp;
  const unsigned bit = 1u << lane.lane_idx;
  warp.exited |= bit;
  --block.num_live;
  last_change_ = last_progress_ = stats.num_switches;
  for (unsigned i = 0; i < warp.num_meetings; ++i) {
    if ((warp.meetings[i].mask & bit) == 0) continue;
    board_.aborting = true;
    record(Error::kCollectiveLeft, &block, lane_text(lane) + " exited; " + describe_waiting(block));
    return;
  }
  if (block.barrier.num_arrived > 0) {
    if (block.barrier.collective.combine != nullptr) {
      board_.aborting = true;
      record(Error::kCollectiveLeft, &block,
             lane_text(lane) + " exited; " + describe_waiting(block));
    } else if (block.barrier.num_arrived == block.num_live) {
      complete_barrier(block, nullptr);
    }
  }
  if (block.num_live == 0) finish_block(block);
}

void Scheduler::finish_block(Block& block) {
  if (!block.shared.guards_intact()) {
    board_.aborting = true;
    record(Error::kSharedOverrun, &block, "bytes around its shared memory were written");
  }
  finished_.push_back(&block);
}

void Scheduler::fail_stack(Lane& self) {
  if (!self.stack.is_intact()) {
    // Its neighbour's frames may be gone: nothing can be unwound, this lane is never resumed.
    board_.aborting = stacks_broken_ = true;
    record(Error::kStackOverflow, self.home, lane_text(self) + " overran its stack");
    switch_context(board_, self.context, hand_to(nullptr));
  }
  fail(self, Error::kStackOverflow, lane_text(self) + " has used up its stack");
}

void Scheduler::fail(Lane& self, Error error, const std::string& detail) {
  if (!board_.aborting) {
    board_.aborting = true;
    record(error, self.home, detail);
  }
  leave(self);
}

void Scheduler::leave(Lane& self) {
  self.waits_at = Op::kNone;
  if (std::uncaught_exceptions() > uncaught_before_) return;
  throw Abandoned{};
}

// Drops every fiber without running it again, and all stacks with them.
void Scheduler::forget_fibers() {
  for (const auto& block : blocks_) {
    for (const auto& lane : block->lanes) {
      // A fiber's destructor would resume it; overwriting the handle is the only way not to.
      new (&lane->context.fiber) boost::context::fiber();
    }
  }
  blocks_.clear();
  free_.clear();
  stacks_.reset();
}

}  // namespace bytegate::simt
