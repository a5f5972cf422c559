#include "fuzz/sweep.h"

#include <algorithm>
#include <utility>

namespace bytegate {

Sweep::Sweep(Task task)
    : task_(std::move(task)),
      parts_(divide(*task_.world)),
      progress_(static_cast<size_t>(parts_.num_parts())),
      kept_at_(Clock::now()) {
  if (task_.passed.num_parts() == 0) task_.passed = PartSet(parts_.num_parts());
}

CaseSource Sweep::source() {
  // A part that passes meanwhile has been handed out already.
  PartSet before = task_.passed;
  return [this, before = std::move(before)]() -> std::optional<CaseBatch> {
    while (part_ < parts_.num_parts() && (!task_.wanted.has(part_) || before.has(part_))) ++part_;
    return next_batch();
  };
}

std::optional<CaseBatch> Sweep::next_batch() {
  if (part_ == parts_.num_parts()) return std::nullopt;
  if (task_.deadline && Clock::now() >= *task_.deadline) {
    out_of_time_ = true;
    return std::nullopt;
  }
  const int64_t part = part_;
  const int64_t first = parts_.first_case(part) + next_case_;
  const int64_t count = std::min(parts_.batch_cases, parts_.cases_of(part) - next_case_);
  next_case_ += count;
  if (next_case_ == parts_.cases_of(part)) {
    ++part_;
    next_case_ = 0;
  }
  CaseBatch batch;
  batch.source = "world " + std::string(task_.world->name);
  batch.make = [world = task_.world, first, count] {
    std::vector<Case> cases;
    cases.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) cases.push_back(world->case_at(first + i));
    return cases;
  };
  batch.judged = [this, part](std::span<const Verdict> verdicts) { note(part, verdicts); };
  return batch;
}

void Sweep::note(int64_t part, std::span<const Verdict> verdicts) {
  constexpr std::chrono::seconds kInterval{1};
  const std::scoped_lock lock(mutex_);
  Progress& progress = progress_[static_cast<size_t>(part)];
  progress.num_judged += static_cast<int64_t>(verdicts.size());
  num_judged_ += static_cast<int64_t>(verdicts.size());
  for (const Verdict& verdict : verdicts) {
    if (!verdict.passed()) progress.all_passed = false;
  }
  if (progress.num_judged < parts_.cases_of(part) || !progress.all_passed) return;
  task_.passed.add(part);
  has_news_ = true;
  if (Clock::now() - kept_at_ >= kInterval) keep();
}

void Sweep::finish() {
  const std::scoped_lock lock(mutex_);
  keep();
}

void Sweep::keep() {
  if (task_.keep == nullptr || !has_news_) return;
  kept_at_ = Clock::now();
  has_news_ = false;
  if (std::optional<std::string> error = task_.keep(task_.passed)) keep_error_ = *error;
}

}  // namespace bytegate
