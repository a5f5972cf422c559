// What an input reached beyond branches, as counters that guide the engine: one that no input hit
// before makes the input worth keeping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "properties/op_properties.h"
#include "properties/verdict.h"

namespace bytegate {

inline constexpr size_t kNumFeedbackCounters = 16384;

class Feedback {
 public:
  // Which counter stands for what follows from the properties alone; the engine clears them before
  // each input. More than there are share some.
  Feedback(const OpProperties& properties, std::span<uint8_t> counters);

  void note_launch(const Case& c, const Verdict& verdict);
  // The boundary classes of a case, each by itself and in the cells of the products.
  void note_classes(std::span<const int> classes);
  // Walker states in the order in which they were passed: each, and each with the next one.
  void note_states(std::span<const int> states);

 private:
  void hit(size_t counter);

  const OpProperties& properties_;
  std::span<uint8_t> counters_;
  // The first counter of each kind, one behind the other.
  size_t paths_ = 0;
  size_t verdicts_ = 0;
  size_t modes_ = 0;
  size_t classes_ = 0;
  std::vector<size_t> products_;
  size_t states_ = 0;
  size_t pairs_ = 0;
};

}  // namespace bytegate
