#include "fuzz/guided/feedback.h"

#include <algorithm>

namespace bytegate {
namespace {

// Once, and more than once: an engine keeps inputs for each of few numbers of hits.
constexpr uint8_t kMaxHits = 2;
constexpr size_t kNumExpects = 3;

size_t num_cells(const OpProperties& properties, const ClassProduct& product) {
  const auto size = [&](int axis) {
    return static_cast<size_t>(properties.axes[static_cast<size_t>(axis)].num_classes);
  };
  return size(product.first_axis) * size(product.second_axis);
}

}  // namespace

Feedback::Feedback(const OpProperties& properties, std::span<uint8_t> counters)
    : properties_(properties), counters_(counters) {
  size_t next = 0;
  const auto reserve = [&](size_t count) {
    const size_t first = next;
    next += count;
    return first;
  };
  // A path that was taken, with whether it was forced; the last one is any other.
  paths_ = reserve(2 * (properties.op->paths.size() + 1));
  verdicts_ = reserve(kNumExpects * kNumVerdictKinds);
  modes_ = reserve(2 * kModes.size());
  classes_ = reserve(properties.classes.size());
  for (const ClassProduct& product : properties.products) {
    products_.push_back(reserve(num_cells(properties, product)));
  }
  states_ = reserve(properties.states.size());
  pairs_ = reserve(properties.states.size() * properties.states.size());
}

void Feedback::hit(size_t counter) {
  if (counters_.empty()) return;
  uint8_t& hits = counters_[counter % counters_.size()];
  if (hits < kMaxHits) ++hits;
}

void Feedback::note_launch(const Case& c, const Verdict& verdict) {
  const auto& paths = properties_.op->paths;
  if (!verdict.path.empty()) {
    const auto taken = std::find(paths.begin(), paths.end(), verdict.path) - paths.begin();
    hit(paths_ + 2 * static_cast<size_t>(taken) + (c.forced_path.empty() ? 0 : 1));
  }
  hit(verdicts_ + static_cast<size_t>(c.expect) * kNumVerdictKinds +
      static_cast<size_t>(verdict.kind));
  hit(modes_ + 2 * static_cast<size_t>(c.mode) + (c.later_steps.empty() ? 0 : 1));
}

void Feedback::note_classes(std::span<const int> classes) {
  for (const int one : classes) hit(classes_ + static_cast<size_t>(one));
  for (size_t i = 0; i < properties_.products.size(); ++i) {
    const int cell = cell_of(properties_.axes, properties_.products[i], classes);
    if (cell >= 0) hit(products_[i] + static_cast<size_t>(cell));
  }
}

void Feedback::note_states(std::span<const int> states) {
  const size_t num_states = properties_.states.size();
  for (size_t i = 0; i < states.size(); ++i) {
    hit(states_ + static_cast<size_t>(states[i]));
    if (i + 1 == states.size()) break;
    hit(pairs_ + static_cast<size_t>(states[i]) * num_states + static_cast<size_t>(states[i + 1]));
  }
}

}  // namespace bytegate
