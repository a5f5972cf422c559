#include <algorithm>
#include <utility>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

Dim3 unrank(std::uint64_t rank, const Dim3& extent) {
  return Dim3{.x = static_cast<unsigned>(rank % extent.x),
              .y = static_cast<unsigned>(rank / extent.x % extent.y),
              .z = static_cast<unsigned>(rank / extent.x / extent.y)};
}

}  // namespace

bool Scheduler::may_start_block() const {
  if (num_started_ >= num_blocks_) return false;
  return resident_.empty() ||
         num_resident_lanes_ + config_.block.volume() <= options.max_resident_lanes;
}

std::uint64_t Scheduler::next_block_rank() {
  const std::uint64_t rank = rank_cursor_;
  // num_blocks_ is below 2^63, so the sum does not wrap.
  rank_cursor_ = (rank_cursor_ + rank_step_) % num_blocks_;
  ++num_started_;
  return rank;
}

Block& Scheduler::free_block() {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    free_.reserve(blocks_.size());
    resident_.reserve(blocks_.size());
    finished_.reserve(blocks_.size());
    free_.push_back(blocks_.back().get());
  }
  return *free_.back();
}

// Gives the block's slot the lanes and warps that the launch's block shape asks for.
void Scheduler::furnish(Block& block) {
  const auto num_lanes = static_cast<unsigned>(config_.block.volume());
  block.num_lanes = 0;  // until all is in place
  while (block.lanes.size() < num_lanes) {
    auto lane = std::make_unique<Lane>();
    block.lanes.reserve(num_lanes);
    make_fiber(*lane);
    block.lanes.push_back(std::move(lane));
  }
  block.order.resize(num_lanes);
  block.contributions.resize(num_lanes);
  block.warps.resize((num_lanes + kWarpLanes - 1) / kWarpLanes);
  block.used_storage.reserve(8);
  for (unsigned i = 0; i < num_lanes; ++i) {
    Lane& lane = *block.lanes[i];
    lane.linear_idx = i;
    lane.lane_idx = i % kWarpLanes;
    lane.thread = unrank(i, config_.block);
    lane.block = &block.where;
    lane.scheduler = this;
    lane.board = &board_;
    lane.home = &block;
    lane.warp = &block.warps[i / kWarpLanes];
    lane.warp_result = &lane.warp->out[lane.lane_idx];
    lane.block_result = &block.barrier.result;
    block.order[i] = &lane;
  }
  for (unsigned i = 0; i < block.warps.size(); ++i) {
    const unsigned left = num_lanes - i * kWarpLanes;
    block.warps[i].first_lane = i * kWarpLanes;
    block.warps[i].exists = left >= kWarpLanes ? ~0u : (1u << left) - 1;
  }
  block.where.extent = config_.block;
  block.num_lanes = num_lanes;
}

void Scheduler::start_block() {
  Block& block = free_block();
  const Dim3& extent = block.where.extent;
  if (block.num_lanes == 0 || extent.x != config_.block.x || extent.y != config_.block.y ||
      extent.z != config_.block.z) {
    furnish(block);
  }
  ready_.reserve(num_resident_lanes_ + block.num_lanes);
  spinning_.reserve(num_resident_lanes_ + block.num_lanes);
  block.shared.prepare(
      {.static_bytes = kernel_.shared_bytes, .dynamic_bytes = config_.dynamic_shared_bytes},
      options.shared_poison);
  free_.pop_back();
  resident_.push_back(&block);
  num_resident_lanes_ += block.num_lanes;
  stats.max_resident_blocks = std::max<std::uint64_t>(stats.max_resident_blocks, resident_.size());
  last_change_ = last_progress_ = stats.num_switches + 1;
  block.rank = next_block_rank();
  block.where.grid = config_.grid;
  block.where.index = unrank(block.rank, config_.grid);
  block.num_live = block.num_lanes;
  block.barrier = Barrier{};
  block.used_storage.clear();
  for (Warp& warp : block.warps) {
    warp.exited = 0;
    warp.num_meetings = 0;
  }
  permute_lanes(block);
  for (Lane* lane : block.order) {
    lane->waits_at = Op::kNone;
    ready_.push(lane);
  }
}

// From the natural order each time: a launch depends on its seed, not on the launches before it.
// Warps may stay together, so that one can run far ahead of another.
void Scheduler::permute_lanes(Block& block) {
  const unsigned num_lanes = block.num_lanes;
  for (unsigned i = 0; i < num_lanes; ++i) block.order[i] = block.lanes[i].get();
  if (options.seed == 0) return;
  const unsigned unit = warps_stay_together_ ? kWarpLanes : num_lanes;
  for (unsigned first = 0; first < num_lanes; first += unit) {
    const unsigned count = std::min(unit, num_lanes - first);
    Lane** const lanes = &block.order[first];
    for (unsigned i = count - 1; i > 0; --i) std::swap(lanes[i], lanes[random_.below(i + 1)]);
  }
  if (!warps_stay_together_) return;
  // Only whole warps change places; a partial one stays last.
  for (unsigned i = num_lanes / kWarpLanes; i > 1; --i) {
    Lane** const last = &block.order[std::size_t{i - 1} * kWarpLanes];
    Lane** const other = &block.order[std::size_t{random_.below(i)} * kWarpLanes];
    if (last != other) std::swap_ranges(last, last + kWarpLanes, other);
  }
}

}  // namespace bytegate::simt
