#include "kernels/worker.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/candidate_handle.h"
#include "kernels/child_process.h"
#include "kernels/wire.h"

namespace bytegate {
namespace {

const std::string kWrote = "wrote to stdout or stderr: ";

// Of a result that would be one like any other: what it says is not what was wrong.
bool noise_counts(RunStatus status) {
  switch (status) {
    case RunStatus::kDone:
    case RunStatus::kRefused:
    case RunStatus::kFailed:
    case RunStatus::kUnsupported:
    case RunStatus::kVacuous:
    case RunStatus::kTookShort:
      return true;
    default:
      return false;
  }
}

void note_noise(const std::string& line, RunResult& result) {
  if (!noise_counts(result.status)) return;
  result = {.status = RunStatus::kNoisy, .message = kWrote + line, .path = std::move(result.path)};
}

class Worker {
 public:
  Worker(WorkerChannels& channels, const WorkerTask& task)
      : link_(*channels.link), output_(channels.output), task_(task) {}
  void serve();

 private:
  struct Work {
    std::vector<Case> cases;
    std::unique_ptr<Submission> submission;  // null where cases run one by one
    std::optional<std::string> noise;
    bool noise_is_shared = false;  // with others that were under way
  };
  // False: the parent is gone, or talks nonsense.
  bool greet();
  bool answer(const LinkMessage& message);
  bool submit(Work& work, std::vector<Case> cases);
  bool collect(Work& work, size_t lane);
  std::vector<RunResult> run_one_by_one(std::span<const Case> cases);
  std::vector<RunResult> collect_span(Work& work);

  ProcessLink& link_;
  OutputTrap& output_;
  const WorkerTask& task_;
  std::unique_ptr<Backend> backend_;
  std::array<Work, kNumLanes> work_;
};

void Worker::serve() {
  if (!greet() || backend_ == nullptr || task_.candidate == nullptr) return;
  LinkMessage message;
  while (link_.receive(message, std::nullopt) == ProcessLink::Received::kMessage) {
    if (!answer(message)) return;
  }
}

bool Worker::greet() {
  MadeBackend made = task_.inner();
  backend_ = std::move(made.backend);
  const std::optional<std::string> line = output_.take();
  WorkerGreeting greeting;
  if (backend_ != nullptr) {
    greeting = {.kind = backend_->kind(), .text = backend_->description()};
  } else {
    greeting.text = std::move(made.absent_reason);
    if (line) {
      greeting.text =
          (greeting.text.empty() ? task_.failure + ": " : greeting.text + "; ") + kWrote + *line;
    }
  }
  return link_.send(LinkMessage::Kind::kGreeting, 0, encode_greeting(greeting));
}

bool Worker::answer(const LinkMessage& message) {
  const std::optional<std::span<const std::byte>> held = link_.held_by(message);
  if (!held) return false;
  Work& work = work_[message.lane];
  if (message.kind == LinkMessage::Kind::kSubmit) {
    std::optional<std::vector<Case>> cases = decode_cases(*held, task_.ops);
    link_.forget(message.lane);
    return cases && submit(work, std::move(*cases));
  }
  return message.kind == LinkMessage::Kind::kCollect && collect(work, message.lane);
}

bool Worker::submit(Work& work, std::vector<Case> cases) {
  work.cases = std::move(cases);
  work.noise.reset();
  work.noise_is_shared = false;
  if (backend_->kind() == BackendKind::kHost) return true;
  work.submission = backend_->submit(*task_.candidate, work.cases);
  if (std::optional<std::string> line = output_.take()) work.noise = std::move(line);
  return true;
}

// A host backend gains nothing from a span, and like this it is known who wrote.
std::vector<RunResult> Worker::run_one_by_one(std::span<const Case> cases) {
  std::vector<RunResult> results;
  results.reserve(cases.size());
  for (const Case& c : cases) {
    std::vector<RunResult> result = backend_->submit(*task_.candidate, {&c, 1})->collect();
    results.push_back(std::move(result.front()));
    if (const std::optional<std::string> line = output_.take()) note_noise(*line, results.back());
  }
  return results;
}

std::vector<RunResult> Worker::collect_span(Work& work) {
  std::vector<RunResult> results = work.submission->collect();
  work.submission.reset();
  if (const std::optional<std::string> line = output_.take()) {
    work.noise = line;
    for (Work& other : work_) {
      if (other.submission == nullptr) continue;
      other.noise = line;
      other.noise_is_shared = work.noise_is_shared = true;
    }
  }
  const auto is_lost = [](const RunResult& r) { return r.status == RunStatus::kLost; };
  // What a dying device has to say is not the candidate's.
  if (!work.noise || std::any_of(results.begin(), results.end(), is_lost)) return results;
  if (results.size() == 1 && !work.noise_is_shared) {
    note_noise(*work.noise, results.front());
    return results;
  }
  // Who it was comes out when each runs by itself.
  for (RunResult& result : results) result = {.status = RunStatus::kLost, .message = *work.noise};
  return results;
}

bool Worker::collect(Work& work, size_t lane) {
  const bool one_by_one = backend_->kind() == BackendKind::kHost;
  if (!one_by_one && work.submission == nullptr) return false;
  // Not kept beside their bytes: both may be large.
  const std::vector<std::byte> bytes =
      encode_results(one_by_one ? run_one_by_one(work.cases) : collect_span(work));
  work.cases.clear();
  return link_.send(LinkMessage::Kind::kResults, lane, bytes);
}

}  // namespace

void serve_as_worker(pid_t parent, WorkerChannels& channels, const WorkerTask& task) noexcept {
  become_child(parent);
  channels.output.redirect();
  channels.words.listen(task.faults);
  Worker(channels, task).serve();
  _exit(0);
}

}  // namespace bytegate
