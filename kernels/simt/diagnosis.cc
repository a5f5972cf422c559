#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

std::string hex(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string site_text(const Site& site) {
  return std::string(site.file) + ":" + std::to_string(site.line);
}

// "0-3,8" for sorted lane numbers.
std::string ranges(const std::vector<unsigned>& lanes) {
  std::string text;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(lanes[i]);
    if (end - i > 1) text.append("-").append(std::to_string(lanes[end - 1]));
    i = end;
  }
  return text;
}

bool same_wait(const Lane& a, const Lane& b) {
  return a.waits_at == b.waits_at && (a.mask == b.mask || a.waits_at >= Op::kSyncThreads) &&
         a.site == b.site;
}

bool is_warp_op(Op op) {
  return op >= Op::kSyncWarp && op < Op::kSyncThreads;
}

}  // namespace

const char* op_name(Op op) {
  switch (op) {
    case Op::kNone:
      return "nothing";
    case Op::kSpin:
      return "a spin loop";
    case Op::kSyncWarp:
      return "__syncwarp";
    case Op::kShfl:
      return "__shfl_sync";
    case Op::kShflUp:
      return "__shfl_up_sync";
    case Op::kShflDown:
      return "__shfl_down_sync";
    case Op::kShflXor:
      return "__shfl_xor_sync";
    case Op::kBallot:
      return "__ballot_sync";
    case Op::kAny:
      return "__any_sync";
    case Op::kAll:
      return "__all_sync";
    case Op::kMatchAny:
      return "__match_any_sync";
    case Op::kReduceAdd:
      return "__reduce_add_sync";
    case Op::kReduceMinInt:
    case Op::kReduceMinUnsigned:
      return "__reduce_min_sync";
    case Op::kReduceMaxInt:
    case Op::kReduceMaxUnsigned:
      return "__reduce_max_sync";
    case Op::kReduceAnd:
      return "__reduce_and_sync";
    case Op::kReduceOr:
      return "__reduce_or_sync";
    case Op::kReduceXor:
      return "__reduce_xor_sync";
    case Op::kSyncThreads:
      return "__syncthreads";
    case Op::kSyncThreadsCount:
      return "__syncthreads_count";
    case Op::kSyncThreadsAnd:
      return "__syncthreads_and";
    case Op::kSyncThreadsOr:
      return "__syncthreads_or";
    case Op::kBlockScan:
      return "BlockScan";
    case Op::kBlockReduce:
      return "BlockReduce";
  }
  return "?";
}

std::string lane_text(const Lane& lane) {
  return std::string("lane ").append(std::to_string(lane.linear_idx));
}

std::string Scheduler::describe_waiting(const Block& block) const {
  std::vector<bool> told(block.num_lanes, false);
  std::string text;
  for (unsigned i = 0; i < block.num_lanes; ++i) {
    const Lane& first = *block.lanes[i];
    if (told[i] || first.waits_at == Op::kNone) continue;
    std::vector<unsigned> alike;
    for (unsigned j = i; j < block.num_lanes; ++j) {
      if (told[j] || !same_wait(first, *block.lanes[j])) continue;
      told[j] = true;
      alike.push_back(j);
    }
    if (!text.empty()) text += "; ";
    text += "lanes " + ranges(alike) + " wait at " + op_name(first.waits_at);
    if (is_warp_op(first.waits_at)) text += " with mask " + hex(first.mask);
    text += " (" + site_text(first.site) + ")";
  }
  return text.empty() ? "no lane waits" : text;
}

// The first error of a launch is its status; what follows from it is not told.
void Scheduler::record(Error error, const Block* block, const std::string& detail) {
  if (!status_.ok()) return;
  status_.error = error;
  status_.message = std::string(error_name(error)) + " in kernel " + std::string(config_.name);
  if (block != nullptr) {
    const Dim3& index = block->where.index;
    status_.message += ", block (" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
                       std::to_string(index.z) + ")";
  }
  status_.message += ": " + detail;
}

// No lane can run and none spins: every lane of the resident blocks waits for one that never comes.
void Scheduler::diagnose_stuck() {
  board_.aborting = true;
  const Block& block = *resident_.front();
  Error error = Error::kDeadlock;
  for (const Warp& warp : block.warps) {
    for (unsigned i = 0; i < warp.num_meetings && error == Error::kDeadlock; ++i) {
      const Meeting& meeting = warp.meetings[i];
      const unsigned missing = meeting.mask & ~meeting.arrived;
      const Lane& absent =
          *block.lanes[warp.first_lane + static_cast<unsigned>(std::countr_zero(missing))];
      if (absent.waits_at >= Op::kSyncThreads) {
        error = Error::kBarrierDivergence;
      } else if (absent.waits_at != Op::kNone) {
        error = absent.waits_at == meeting.op ? Error::kBadMask : Error::kMismatchedCollective;
      }
    }
  }
  record(error, &block, describe_waiting(block));
}

}  // namespace bytegate::simt
