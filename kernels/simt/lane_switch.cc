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

// A lane that waits with less than this left of its stack has as good as overflowed.
constexpr std::ptrdiff_t kStackReserveBytes = 1024;

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
  if (lane.context.fiber) switch_to(main_, lane.context, nullptr);
}

// Both ways: returns when something switches back to `from`.
void Scheduler::switch_to(Context& from, Context& to, Lane* next) {
  ++stats.num_switches;
  current_lane = next;
  switched_from_ = &from;
  sanitizer::start_switch(&from.fake_stack, to.stack_bottom, to.stack_bytes);
  arrive(from, std::move(to.fiber).resume());
}

// The first thing to happen after every switch, in the context switched to.
void Scheduler::arrive(Context& self, boost::context::fiber&& came_from) {
  Context& origin = *switched_from_;
  const void* old_bottom = nullptr;
  std::size_t old_bytes = 0;
  sanitizer::finish_switch(self.fake_stack, &old_bottom, &old_bytes);
  if (sanitizer::kActive && &origin == &main_) {
    main_.stack_bottom = old_bottom;
    main_.stack_bytes = old_bytes;
  }
  origin.fiber = std::move(came_from);
}

boost::context::fiber Scheduler::lane_main(Lane& lane, boost::context::fiber&& caller) {
  arrive(lane.context, std::move(caller));
  while (!ending_fibers_) {
    run_body(lane);
    finish_lane(lane);
    Lane* const next = aborting_ ? nullptr : next_ready();
    switch_to(lane.context, next != nullptr ? next->context : main_, next);
  }
  switched_from_ = &lane.context;
  sanitizer::start_switch(nullptr, main_.stack_bottom, main_.stack_bytes);
  return std::move(main_.fiber);
}

void Scheduler::run_body(Lane& lane) {
  lane.has_begun = true;
  lane.num_atomics = 0;
  try {
    kernel_.invoke(kernel_.callable, lane.home->shared.static_part());
  } catch (const Abandoned&) {
    // The launch has failed already.
  } catch (const std::exception& thrown) {
    aborting_ = true;
    record(Error::kException, lane.home, lane_text(lane) + " threw: " + thrown.what());
  } catch (...) {
    aborting_ = true;
    record(Error::kException, lane.home, lane_text(lane) + " threw something unknown");
  }
  lane.has_begun = false;
  lane.waits_at = Op::kNone;
}

void Scheduler::finish_lane(Lane& lane) {
  if (!lane.stack.is_intact()) {
    aborting_ = stacks_broken_ = true;
    record(Error::kStackOverflow, lane.home, lane_text(lane) + " overran its stack");
  }
  if (aborting_) return;
  Block& block = *lane.home;
  Warp& warp = *lane.warp;
  const unsigned bit = 1u << lane.lane_idx;
  warp.exited |= bit;
  --block.num_live;
  last_change_ = last_progress_ = stats.num_switches;
  for (unsigned i = 0; i < warp.num_meetings; ++i) {
    if ((warp.meetings[i].mask & bit) == 0) continue;
    aborting_ = true;
    record(Error::kCollectiveLeft, &block, lane_text(lane) + " exited; " + describe_waiting(block));
    return;
  }
  if (block.barrier.num_arrived > 0) {
    if (block.barrier.collective.combine != nullptr) {
      aborting_ = true;
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
    aborting_ = true;
    record(Error::kSharedOverrun, &block, "bytes around its shared memory were written");
  }
  finished_.push_back(&block);
}

Lane* Scheduler::next_ready() {
  if (ready_.empty() || stats.num_switches >= checkpoint_) return nullptr;
  if (options.seed != 0 && random_.coin()) return ready_.pop_newest();
  return ready_.pop_oldest();
}

// Gives way until someone has put `self` into the ready queue and its turn has come.
void Scheduler::suspend(Lane& self) {
  check_stack(self);
  Lane* const next = next_ready();
  if (next != &self) switch_to(self.context, next != nullptr ? next->context : main_, next);
  if (aborting_) throw Abandoned{};
}

void Scheduler::check_stack(Lane& self) {
  const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
  if (here - self.stack.low >= kStackReserveBytes && self.stack.is_intact()) return;
  if (!self.stack.is_intact()) {
    // Its neighbour's frames may be gone: nothing can be unwound, this lane is never resumed.
    aborting_ = stacks_broken_ = true;
    record(Error::kStackOverflow, self.home, lane_text(self) + " overran its stack");
    switch_to(self.context, main_, nullptr);
  }
  fail(self, Error::kStackOverflow, lane_text(self) + " has used up its stack");
}

void Scheduler::fail(Lane& self, Error error, const std::string& detail) {
  if (!aborting_) {
    aborting_ = true;
    record(error, self.home, detail);
  }
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
