#include "kernels/simt/lane_ops.h"

#include <string>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

// Without a seed, a lane that does nothing but atomics gives way this often.
constexpr std::uint8_t kAtomicsPerYield = 32;

// Every LaneCoordinates that current_lane points at is part of a Lane.
Lane& self() {
  return const_cast<Lane&>(static_cast<const Lane&>(*current_lane));
}

}  // namespace

Handover Scheduler::arrive_spin(Lane& lane, Site site) {
  if (board_.aborting) {
    leave(lane);
    return nullptr;
  }
  lane.waits_at = Op::kSpin;
  lane.site = site;
  lane.num_atomics = 0;
  spinning_.push_back(&lane);
  return suspend(lane);
}

Handover Scheduler::arrive_atomic(Lane& lane, bool changed, Site site) {
  if (changed) last_change_ = last_progress_ = stats.num_switches + 1;
  ++lane.num_atomics;
  const bool gives_way = options.seed != 0 && random_.below(4) == 0;
  if (gives_way || lane.num_atomics >= kAtomicsPerYield) return arrive_spin(lane, site);
  return nullptr;
}

Block* Scheduler::resident(std::uint64_t rank) const {
  for (Block* block : resident_) {
    if (block->rank == rank && block->num_live > 0) return block;
  }
  return nullptr;
}

void leave_launch(RunningLane& lane) {
  Lane& left = static_cast<Lane&>(lane);
  left.scheduler->leave(left);
}

Handover arrive_warp(RunningLane& self, std::uint64_t value, unsigned source_lane) {
  Lane& lane = static_cast<Lane&>(self);
  return lane.scheduler->arrive_warp(lane, value, source_lane);
}

Handover arrive_block(RunningLane& self, int predicate) {
  Lane& lane = static_cast<Lane&>(self);
  return lane.scheduler->arrive_block(lane, predicate);
}

Handover arrive_block(RunningLane& self, const BlockCollective& collective) {
  Lane& lane = static_cast<Lane&>(self);
  return lane.scheduler->arrive_block(lane, collective);
}

Handover arrive_spin(RunningLane& self, Site site) {
  Lane& lane = static_cast<Lane&>(self);
  return lane.scheduler->arrive_spin(lane, site);
}

Handover arrive_atomic(RunningLane& self, bool changed, Site site) {
  Lane& lane = static_cast<Lane&>(self);
  return lane.scheduler->arrive_atomic(lane, changed, site);
}

void fail_misaligned(const void* address, std::size_t alignment, Site site) {
  Lane& lane = self();
  lane.scheduler->fail(lane, Error::kMisalignedAccess,
                       lane_text(lane) + " at " + site.file + ":" + std::to_string(site.line) +
                           ": address is " +
                           std::to_string(reinterpret_cast<std::uintptr_t>(address) % alignment) +
                           " bytes off a multiple of " + std::to_string(alignment));
}

void fail_width(int width, Site site) {
  Lane& lane = self();
  lane.scheduler->fail(lane, Error::kBadMask,
                       lane_text(lane) + " at " + site.file + ":" + std::to_string(site.line) +
                           ": shuffle width " + std::to_string(width) +
                           " is not a power of two up to 32");
}

void* dynamic_shared_base() {
  return self().home->shared.dynamic_part();
}

std::size_t dynamic_shared_size() {
  return self().home->shared.dynamic_bytes();
}

void* shared_of_block(std::uint64_t block_rank) {
  const Block* block = self().scheduler->resident(block_rank);
  return block != nullptr ? block->shared.static_part() : nullptr;
}

int running_arch() {
  return self().scheduler->options.arch;
}

std::uint8_t running_poison() {
  return self().scheduler->options.shared_poison;
}

}  // namespace bytegate::simt
