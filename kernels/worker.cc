#include "kernels/worker.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/candidate_handle.h"
#include "kernels/wire.h"

namespace bytegate {
namespace {

void leave_at_once(int status, void*) {
  _exit(status);
}

void become_worker(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have gone before it was asked for.
  if (getppid() != parent) _exit(0);
  // Crashes are expected here: they leave no core, and what they are is for the parent to say.
  constexpr rlimit kNoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &kNoCore);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    std::signal(crash, SIG_DFL);
  }
  // What a terminal sends to all processes of a group is meant for the parent, which ends this one.
  for (const int meant_for_parent : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    std::signal(meant_for_parent, SIG_IGN);
  }
  // Runs before all handlers of exit() that the parent has, since it is the newest.
  on_exit(leave_at_once, nullptr);
}

class Worker {
 public:
  Worker(ProcessLink& link, const WorkerTask& task) : link_(link), task_(task) {}
  void serve();

 private:
  struct Work {
    std::vector<Case> cases;
    std::unique_ptr<Submission> submission;
  };
  // False: the parent is gone, or talks nonsense.
  bool greet();
  bool answer(const LinkMessage& message);
  bool submit(Work& work, std::span<const std::byte> bytes);
  bool collect(Work& work, size_t lane);

  ProcessLink& link_;
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
  WorkerGreeting greeting;
  if (backend_ == nullptr) {
    greeting.text = std::move(made.absent_reason);
  } else {
    greeting = {.kind = backend_->kind(), .text = backend_->description()};
  }
  return link_.send(LinkMessage::Kind::kGreeting, 0, encode_greeting(greeting));
}

bool Worker::answer(const LinkMessage& message) {
  const std::optional<std::span<const std::byte>> held = link_.held_by(message);
  if (!held) return false;
  Work& work = work_[message.lane];
  if (message.kind == LinkMessage::Kind::kSubmit) return submit(work, *held);
  return message.kind == LinkMessage::Kind::kCollect && collect(work, message.lane);
}

bool Worker::submit(Work& work, std::span<const std::byte> bytes) {
  std::optional<std::vector<Case>> cases = decode_cases(bytes, task_.ops);
  if (!cases) return false;
  work.cases = std::move(*cases);
  work.submission = backend_->submit(*task_.candidate, work.cases);
  return true;
}

bool Worker::collect(Work& work, size_t lane) {
  if (work.submission == nullptr) return false;
  const std::vector<RunResult> results = work.submission->collect();
  work.submission.reset();
  // What a candidate printed.
  std::fflush(stdout);
  return link_.send(LinkMessage::Kind::kResults, lane, encode_results(results));
}

}  // namespace

void serve_as_worker(pid_t parent, ProcessLink& link, const WorkerTask& task) noexcept {
  become_worker(parent);
  Worker(link, task).serve();
  _exit(0);
}

}  // namespace bytegate
