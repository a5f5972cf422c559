#include "fuzz/campaign/lanes.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace bytegate {

Lanes::Lanes(std::vector<Lane> lanes, int64_t num_rounds)
    : lanes_(std::move(lanes)), num_rounds_(num_rounds) {}

void Lanes::enter_done(Lane& lane, int64_t idx, std::vector<std::string> inputs) {
  if (idx >= lane.next_idx) lane.ahead[idx] = std::move(inputs);
  for (auto next = lane.ahead.find(lane.next_idx); next != lane.ahead.end();
       next = lane.ahead.find(lane.next_idx)) {
    lane.inputs.insert(lane.inputs.end(), next->second.begin(), next->second.end());
    lane.ahead.erase(next);
    ++lane.next_idx;
  }
}

Lane* Lanes::take(bool on_device, const std::function<double()>& seconds_left,
                  const std::function<bool()>& stop) {
  std::unique_lock lock(mutex_);
  while (!stop()) {
    Lane* best = nullptr;
    bool some_busy = false;
    const double left = seconds_left();
    for (Lane& lane : lanes_) {
      if ((lane.chain.backend == BackendKind::kCuda) != on_device) continue;
      if (!has_left(lane) || lane.given_up) continue;
      some_busy = some_busy || lane.busy;
      if (lane.busy || lane.longest_slice > left) continue;
      const auto key = [](const Lane& of) { return std::tuple(of.seconds, of.next_idx); };
      if (best == nullptr || key(lane) < key(*best)) best = &lane;
    }
    if (best != nullptr) {
      best->busy = true;
      return best;
    }
    if (!some_busy) return nullptr;
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  return nullptr;
}

void Lanes::give_back(Lane& lane, double seconds, const SliceRecord* record, bool ended) {
  const std::scoped_lock lock(mutex_);
  lane.busy = false;
  lane.ended = lane.ended || ended;
  lane.given_up = record == nullptr;
  lane.seconds += seconds;
  lane.longest_slice = std::max(lane.longest_slice, seconds);
  if (record != nullptr) enter_done(lane, record->idx, record->inputs);
  changed_.notify_all();
}

bool Lanes::all_done() {
  const std::scoped_lock lock(mutex_);
  return std::none_of(lanes_.begin(), lanes_.end(),
                      [this](const Lane& lane) { return has_left(lane); });
}

}  // namespace bytegate
