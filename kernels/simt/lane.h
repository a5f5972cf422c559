#pragma once

#include <boost/context/fiber.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simt/lane_ops.h"
#include "kernels/simt/shared_memory.h"
#include "kernels/simt/stack_pool.h"

// The executor's own state, not for kernels: lanes, warps and blocks.
namespace bytegate::simt {

struct Block;
struct Warp;
class Scheduler;

// On cache lines of its own: lanes take turns.
struct alignas(64) Lane : RunningLane {
  Scheduler* scheduler = nullptr;
  Block* home = nullptr;
  Warp* warp = nullptr;
  bool has_begun = false;        // inside the kernel body
  std::uint8_t num_atomics = 0;  // since this lane last gave way
  Stack stack;
};

// "lane 7", counted within its block.
std::string lane_text(const Lane& lane);

// A warp collective that some but not all of its lanes have reached.
struct Meeting {
  unsigned mask = 0;
  unsigned arrived = 0;
  Op op = Op::kNone;
};

struct Warp {
  unsigned first_lane = 0;  // its lanes are home's [first_lane, first_lane + 32) that exist
  unsigned exists = 0;      // bit i: lane i exists
  unsigned exited = 0;
  unsigned num_meetings = 0;
  std::array<std::uint64_t, kWarpLanes> in{};
  std::array<std::uint64_t, kWarpLanes> out{};
  std::array<std::uint8_t, kWarpLanes> source{};
  std::array<Meeting, kWarpLanes> meetings{};
};

struct StorageUse {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

// The barrier or block collective that is being met; num_arrived 0 means none.
struct Barrier {
  Op op = Op::kNone;
  Site site;
  unsigned num_arrived = 0;
  int num_true = 0;
  int result = 0;
  BlockCollective collective;
};

// A block's slot: its lanes with their fibers, its warps and its shared memory outlive the block
// and serve the next one.
struct Block {
  BlockCoordinates where;
  std::uint64_t rank = 0;
  unsigned num_lanes = 0;
  unsigned num_live = 0;
  Barrier barrier;
  SharedMemory shared;
  std::vector<std::unique_ptr<Lane>> lanes;  // at least num_lanes
  std::vector<Lane*> order;                  // the num_lanes lanes as the seed permutes them
  std::vector<Warp> warps;
  std::vector<void*> contributions;
  std::vector<StorageUse> used_storage;  // by collectives since the last __syncthreads
};

}  // namespace bytegate::simt
