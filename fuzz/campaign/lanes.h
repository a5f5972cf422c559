// Which slice a thread runs next.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fuzz/campaign/slice.h"
#include "properties/op_properties.h"

namespace bytegate {

// A chain, as far as it has come.
struct Lane {
  Chain chain;
  const OpProperties* properties = nullptr;
  int64_t next_idx = 0;
  std::vector<std::string> inputs;  // digests that its slices kept, in their order
  std::map<int64_t, std::vector<std::string>> ahead;  // of slices that are done behind a gap
  bool busy = false;
  bool ended = false;        // has no more slices: the candidate has nothing for them
  bool given_up = false;     // a slice of it was not finished, and none follows in this process
  double seconds = 0;        // that it took in this process
  double longest_slice = 0;  // of those
};

// Shared by the threads of a process. Each chain has at most one slice under way, and the chain
// that has had least of the time comes next.
class Lanes {
 public:
  Lanes(std::vector<Lane> lanes, int64_t num_rounds);

  // Enters slices that are done already.
  static void enter_done(Lane& lane, int64_t idx, std::vector<std::string> inputs);

  // A lane for the caller alone, waiting while all are busy; null: nothing more to do.
  // `seconds_left` is asked for the time until slices are given up: what takes longer is not begun.
  Lane* take(bool on_device, const std::function<double()>& seconds_left,
             const std::function<bool()>& stop);
  // When its slice is done; or, without a record, was given up. `ended`: that was its last one.
  void give_back(Lane& lane, double seconds, const SliceRecord* record, bool ended);

  // Whether a chain has slices left that were asked for.
  [[nodiscard]] bool all_done();

 private:
  [[nodiscard]] bool has_left(const Lane& lane) const {
    return !lane.ended && (num_rounds_ == 0 || lane.next_idx < num_rounds_);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Lane> lanes_;
  int64_t num_rounds_;
};

}  // namespace bytegate
