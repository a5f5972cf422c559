#include <cstring>
#include <string>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

constexpr int kScribble = 0xD7;

bool overlap(const StorageUse& a, const StorageUse& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

bool fits_block(const Block& block, const BlockCollective& wanted) {
  const Dim3& extent = block.where.extent;
  return extent.x == wanted.num_lanes && extent.y == 1 && extent.z == 1;
}

bool agrees(const Barrier& barrier, const Lane& lane, const void* storage) {
  return barrier.num_arrived == 0 || (barrier.op == lane.waits_at && barrier.site == lane.site &&
                                      barrier.collective.storage == storage);
}

StorageUse storage_of(const BlockCollective& wanted) {
  return StorageUse{.begin = static_cast<const std::byte*>(wanted.storage),
                    .bytes = wanted.storage_bytes};
}

int barrier_result(const Barrier& barrier) {
  switch (barrier.op) {
    case Op::kSyncThreadsCount:
      return barrier.num_true;
    case Op::kSyncThreadsAnd:
      return barrier.num_true == static_cast<int>(barrier.num_arrived) ? 1 : 0;
    case Op::kSyncThreadsOr:
      return barrier.num_true > 0 ? 1 : 0;
    default:
      return 0;
  }
}

}  // namespace

Handover Scheduler::arrive_block(Lane& self, int predicate) {
  Barrier& barrier = self.home->barrier;
  if (!agrees(barrier, self, nullptr) || board_.aborting) [[unlikely]] {
    refuse_barrier(self, nullptr);
    return nullptr;
  }
  if (barrier.num_arrived == 0) {
    barrier.op = self.waits_at;
    barrier.site = self.site;
    barrier.num_true = 0;
  }
  barrier.num_true += predicate != 0 ? 1 : 0;
  return arrived_at_barrier(self);
}

Handover Scheduler::arrive_block(Lane& self, const BlockCollective& wanted) {
  Block& block = *self.home;
  Barrier& barrier = block.barrier;
  const bool complete = fits_block(block, wanted) && block.num_live == block.num_lanes;
  if (!complete || !agrees(barrier, self, wanted.storage) || board_.aborting) [[unlikely]] {
    refuse_barrier(self, &wanted);
    return nullptr;
  }
  if (barrier.num_arrived == 0) {
    if (!check_storage(self, wanted)) return nullptr;
    barrier.op = wanted.op;
    barrier.site = self.site;
    barrier.collective = wanted;
  }
  block.contributions[self.linear_idx] = wanted.contribution;
  return arrived_at_barrier(self);
}

Handover Scheduler::arrived_at_barrier(Lane& self) {
  Block& block = *self.home;
  if (++block.barrier.num_arrived < block.num_live) return suspend(self);
  complete_barrier(block, &self);
  return give_way_after_meeting(self);
}

// Says why `self` may not join, and ends the launch.
void Scheduler::refuse_barrier(Lane& self, const BlockCollective* wanted) {
  const Block& block = *self.home;
  if (board_.aborting) {
    leave(self);
  } else if (wanted != nullptr && !fits_block(block, *wanted)) {
    fail(self, Error::kMismatchedCollective,
         lane_text(self) + " asks for " + std::to_string(wanted->num_lanes) +
             " lanes in one dimension, the block has another shape; " + describe_waiting(block));
  } else if (wanted != nullptr && block.num_live != block.num_lanes) {
    fail(self, Error::kCollectiveLeft,
         lane_text(self) + " meets a block of which lanes have exited; " + describe_waiting(block));
  } else if (wanted != nullptr && block.barrier.op == wanted->op &&
             block.barrier.collective.storage != wanted->storage) {
    fail(self, Error::kBarrierDivergence,
         lane_text(self) + " brings another storage; " + describe_waiting(block));
  } else {
    fail(self, Error::kBarrierDivergence, describe_waiting(block));
  }
}

bool Scheduler::check_storage(Lane& self, const BlockCollective& wanted) {
  for (const StorageUse& used : self.home->used_storage) {
    if (!overlap(used, storage_of(wanted))) continue;
    fail(self, Error::kReuseHazard,
         "no __syncthreads since the storage was last used; " + describe_waiting(*self.home));
    return false;
  }
  return true;
}

// `last` is the lane that arrived last and goes on, or null when a lane's exit completed it.
void Scheduler::complete_barrier(Block& block, Lane* last) {
  Barrier& barrier = block.barrier;
  barrier.result = barrier_result(barrier);
  if (barrier.collective.combine != nullptr) {
    barrier.collective.combine(block.contributions.data(), block.num_lanes);
    // Whatever shares the storage without a __syncthreads loses its content.
    std::memset(barrier.collective.storage, kScribble, barrier.collective.storage_bytes);
    block.used_storage.push_back(storage_of(barrier.collective));
    barrier.collective = BlockCollective{};
  } else {
    block.used_storage.clear();
  }
  const unsigned num_arrived = barrier.num_arrived;
  barrier.num_arrived = 0;
  last_progress_ = stats.num_switches;
  if (last != nullptr) last->waits_at = Op::kNone;
  const unsigned turn = options.seed != 0 ? random_.below(block.num_lanes) : 0;
  unsigned num_left = num_arrived - (last != nullptr ? 1 : 0);
  for (unsigned k = 0; num_left > 0; ++k) {
    const unsigned at = k + turn;
    Lane* const lane = block.order[at < block.num_lanes ? at : at - block.num_lanes];
    if (lane->waits_at < Op::kSyncThreads) continue;
    lane->waits_at = Op::kNone;
    ready_.push(lane);
    --num_left;
  }
}

// Under a seed, the last to arrive is not always the first to go on.
Handover Scheduler::give_way_after_meeting(Lane& last) {
  if (options.seed == 0 || !random_.coin()) return nullptr;
  ready_.push(&last);
  return suspend(last);
}

}  // namespace bytegate::simt
