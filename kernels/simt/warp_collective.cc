#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "kernels/simt/scheduler.h"

namespace bytegate::simt {
namespace {

template <typename Visit>
void for_each_lane(unsigned mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

void shuffle(Warp& warp, unsigned mask, std::uint64_t poison) {
  for_each_lane(mask, [&](unsigned i) {
    const unsigned source = warp.source[i];
    warp.out[i] = ((mask >> source) & 1u) != 0 ? warp.in[source] : poison;
  });
}

template <typename T, typename Combine>
void reduce(Warp& warp, unsigned mask, Combine combine) {
  T total = static_cast<T>(warp.in[static_cast<unsigned>(std::countr_zero(mask))]);
  for_each_lane(mask & (mask - 1),
                [&](unsigned i) { total = combine(total, static_cast<T>(warp.in[i])); });
  for_each_lane(mask, [&](unsigned i) { warp.out[i] = static_cast<std::uint64_t>(total); });
}

unsigned ballot(const Warp& warp, unsigned mask) {
  unsigned votes = 0;
  for_each_lane(mask, [&](unsigned i) { votes |= (warp.in[i] != 0 ? 1u : 0u) << i; });
  return votes;
}

void answer(Warp& warp, unsigned mask, std::uint64_t result) {
  for_each_lane(mask, [&](unsigned i) { warp.out[i] = result; });
}

void match_any(Warp& warp, unsigned mask) {
  for_each_lane(mask, [&](unsigned i) {
    unsigned equal = 0;
    for_each_lane(mask, [&](unsigned j) { equal |= (warp.in[i] == warp.in[j] ? 1u : 0u) << j; });
    warp.out[i] = equal;
  });
}

void compute(Warp& warp, Op op, unsigned mask, std::uint64_t poison) {
  using Unsigned = std::uint32_t;
  using Int = std::int32_t;
  switch (op) {
    case Op::kShfl:
    case Op::kShflUp:
    case Op::kShflDown:
    case Op::kShflXor:
      return shuffle(warp, mask, poison);
    case Op::kBallot:
      return answer(warp, mask, ballot(warp, mask));
    case Op::kAny:
      return answer(warp, mask, ballot(warp, mask) != 0 ? 1 : 0);
    case Op::kAll:
      return answer(warp, mask, ballot(warp, mask) == mask ? 1 : 0);
    case Op::kMatchAny:
      return match_any(warp, mask);
    case Op::kReduceAdd:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return a + b; });
    case Op::kReduceMinInt:
      return reduce<Int>(warp, mask, [](Int a, Int b) { return std::min(a, b); });
    case Op::kReduceMinUnsigned:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return std::min(a, b); });
    case Op::kReduceMaxInt:
      return reduce<Int>(warp, mask, [](Int a, Int b) { return std::max(a, b); });
    case Op::kReduceMaxUnsigned:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return std::max(a, b); });
    case Op::kReduceAnd:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return a & b; });
    case Op::kReduceOr:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return a | b; });
    case Op::kReduceXor:
      return reduce<Unsigned>(warp, mask, [](Unsigned a, Unsigned b) { return a ^ b; });
    default:
      return;
  }
}

}  // namespace

Handover Scheduler::arrive_warp(Lane& self, std::uint64_t value, unsigned source_lane) {
  Warp& warp = *self.warp;
  const Op op = self.waits_at;
  const unsigned mask = self.mask;
  const unsigned bit = 1u << self.lane_idx;
  const unsigned can_come = warp.exists & ~warp.exited;
  if ((mask & bit) == 0 || (mask & ~can_come) != 0 || board_.aborting) [[unlikely]] {
    refuse_mask(self);
    return nullptr;
  }
  warp.in[self.lane_idx] = value;
  warp.source[self.lane_idx] = static_cast<std::uint8_t>(source_lane);

  unsigned at = 0;
  while (at < warp.num_meetings && warp.meetings[at].mask != mask) ++at;
  if (at == warp.num_meetings) {
    warp.meetings[at] = Meeting{.mask = mask, .arrived = 0, .op = op};
    ++warp.num_meetings;
  } else if (warp.meetings[at].op != op) {
    fail(self, Error::kMismatchedCollective, describe_waiting(*self.home));
    return nullptr;
  }
  Meeting& meeting = warp.meetings[at];
  meeting.arrived |= bit;
  if (meeting.arrived == meeting.mask) {
    const Meeting complete = meeting;
    meeting = warp.meetings[--warp.num_meetings];
    return complete_warp(self, complete);
  }
  return suspend(self);
}

// Says why `self` may not join, and ends the launch.
void Scheduler::refuse_mask(Lane& self) {
  if (board_.aborting) {
    leave(self);
  } else if ((self.mask & (1u << self.lane_idx)) == 0) {
    fail(self, Error::kBadMask,
         lane_text(self) + " is not in its own mask; " + describe_waiting(*self.home));
  } else if ((self.mask & ~self.warp->exists) != 0) {
    fail(self, Error::kBadMask,
         lane_text(self) + " names lanes its warp does not have; " + describe_waiting(*self.home));
  } else {
    fail(self, Error::kCollectiveLeft,
         lane_text(self) + " names lanes that have exited; " + describe_waiting(*self.home));
  }
}

// The last lane to arrive computes for all, readies the others and goes on without a switch.
Handover Scheduler::complete_warp(Lane& last, const Meeting& meeting) {
  Warp& warp = *last.warp;
  std::uint64_t poison = 0;
  std::memset(&poison, options.shared_poison, sizeof poison);
  compute(warp, meeting.op, meeting.mask, poison);
  last_progress_ = stats.num_switches;
  last.waits_at = Op::kNone;
  const auto* lanes = &last.home->lanes[warp.first_lane];
  const auto wake = [&](unsigned i) {
    if (i == last.lane_idx) return;
    lanes[i]->waits_at = Op::kNone;
    ready_.push(lanes[i].get());
  };
  if (options.seed == 0) {
    for_each_lane(meeting.mask, wake);
    return nullptr;
  }
  const unsigned turn = random_.below(kWarpLanes);
  const unsigned flip = random_.below(kWarpLanes);
  for (unsigned k = 0; k < kWarpLanes; ++k) {
    const unsigned i = ((k + turn) % kWarpLanes) ^ flip;
    if (((meeting.mask >> i) & 1u) != 0) wake(i);
  }
  return give_way_after_meeting(last);
}

}  // namespace bytegate::simt
