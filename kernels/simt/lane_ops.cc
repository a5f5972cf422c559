#include "kernels/simt/lane_ops.h"

#include <bit>
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

void Scheduler::yield_lane(Lane& lane, Site site) {
  if (aborting_) fail(lane, Error::kNone, "");
  lane.waits_at = Op::kSpin;
  lane.site = site;
  lane.num_atomics = 0;
  spinning_.push_back(&lane);
  suspend(lane);
}

void Scheduler::after_atomic(Lane& lane, bool changed, Site site) {
  if (changed) last_change_ = last_progress_ = stats.num_switches + 1;
  ++lane.num_atomics;
  const bool gives_way = options.seed != 0 ? random_.below(4) == 0 : false;
  if (gives_way || lane.num_atomics >= kAtomicsPerYield) yield_lane(lane, site);
}

Block* Scheduler::resident(std::uint64_t rank) const {
  for (Block* block : resident_) {
    if (block->rank == rank && block->num_live > 0) return block;
  }
  return nullptr;
}

std::uint64_t meet_warp(Op op, unsigned mask, std::uint64_t value, unsigned source_lane,
                        Site site) {
  Lane& lane = self();
  return lane.scheduler->meet_warp(lane, Meeting{.mask = mask, .arrived = 0, .op = op}, value,
                                   source_lane, site);
}

int meet_block(Op op, int predicate, Site site) {
  Lane& lane = self();
  BlockCollective plain;
  plain.op = op;
  return lane.scheduler->meet_block(lane, plain, predicate, site);
}

void meet_block(const BlockCollective& collective, Site site) {
  Lane& lane = self();
  lane.scheduler->meet_block(lane, collective, 0, site);
}

void yield_lane(Site site) {
  self().scheduler->yield_lane(self(), site);
}

void after_atomic(bool changed, Site site) {
  self().scheduler->after_atomic(self(), changed, site);
}

void fail_misaligned(const void* address, std::size_t alignment, Site site) {
  Lane& lane = self();
  lane.scheduler->fail(lane, Error::kMisalignedAccess,
                       lane_text(lane) + " at " + site.file + ":" + std::to_string(site.line) +
                           ": address is " +
                           std::to_string(reinterpret_cast<std::uintptr_t>(address) % alignment) +
                           " bytes off a multiple of " + std::to_string(alignment));
}

void require_width(int width, Site site) {
  if (width > 0 && width <= static_cast<int>(kWarpLanes) &&
      std::has_single_bit(static_cast<unsigned>(width))) {
    return;
  }
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
