#include <cstring>
#include <string>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

constexpr int kScribble = 0xD7;

bool is_collective(const BlockCollective& wanted) {
  return wanted.combine != nullptr;
}

bool overlap(const StorageUse& a, const StorageUse& b) {
  return a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
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

int Scheduler::meet_block(Lane& self, const BlockCollective& wanted, int predicate, Site site) {
  Block& block = *self.home;
  Barrier& barrier = block.barrier;
  self.waits_at = wanted.op;
  self.site = site;
  if (!check_barrier(self, wanted)) return 0;
  if (barrier.num_arrived == 0) {
    if (is_collective(wanted) && !check_storage(self, wanted)) return 0;
    barrier.op = wanted.op;
    barrier.site = site;
    barrier.num_true = 0;
    barrier.collective = wanted;
  }
  barrier.num_true += predicate != 0 ? 1 : 0;
  if (is_collective(wanted)) block.contributions[self.linear_idx] = wanted.contribution;
  if (++barrier.num_arrived == block.num_live) {
    complete_barrier(block, &self);
  } else {
    suspend(self);
  }
  return barrier.result;
}

bool Scheduler::check_barrier(Lane& self, const BlockCollective& wanted) {
  const Block& block = *self.home;
  const Barrier& barrier = block.barrier;
  if (aborting_) {
    fail(self, Error::kNone, "");
    return false;
  }
  if (is_collective(wanted)) {
    const Dim3& extent = block.where.extent;
    if (extent.x != wanted.num_lanes || extent.y != 1 || extent.z != 1) {
      fail(self, Error::kMismatchedCollective,
           lane_text(self) + " asks for " + std::to_string(wanted.num_lanes) +
               " lanes in one dimension, the block has another shape; " + describe_waiting(block));
      return false;
    }
    if (block.num_live != block.num_lanes) {
      fail(self, Error::kCollectiveLeft,
           lane_text(self) + " meets a block of which lanes have exited; " +
               describe_waiting(block));
      return false;
    }
  }
  if (barrier.num_arrived == 0) return true;
  const bool same_storage = barrier.collective.storage == wanted.storage;
  if (barrier.op == wanted.op && barrier.site == self.site && same_storage) return true;
  fail(self, Error::kBarrierDivergence,
       (same_storage ? "" : lane_text(self) + " brings another storage; ") +
           describe_waiting(block));
  return false;
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
  if (is_collective(barrier.collective)) {
    barrier.collective.combine(block.contributions.data(), block.num_lanes);
    // Whatever shares the storage without a __syncthreads loses its content.
    std::memset(barrier.collective.storage, kScribble, barrier.collective.storage_bytes);
    block.used_storage.push_back(storage_of(barrier.collective));
  } else {
    block.used_storage.clear();
  }
  const unsigned num_arrived = barrier.num_arrived;
  barrier.num_arrived = 0;
  barrier.collective = BlockCollective{};
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
  if (last != nullptr && options.seed != 0) give_way_after_meeting(*last);
}

// Under a seed, the last to arrive is not always the first to go on.
void Scheduler::give_way_after_meeting(Lane& last) {
  if (!random_.coin()) return;
  ready_.push(&last);
  suspend(last);
}

}  // namespace bytegate::simt
