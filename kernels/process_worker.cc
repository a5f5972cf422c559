#include "kernels/process_worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

namespace bytegate {
namespace {

using Clock = std::chrono::steady_clock;

// Results mostly come long before the first look at how much the worker holds.
constexpr std::chrono::milliseconds kFirstLook{20};
constexpr std::chrono::milliseconds kNextLook{25};
// What it may take from closing the link, which a process that ends does, to the end.
constexpr std::chrono::milliseconds kEndLimit{1000};

constexpr const char* kSpoiled = "the worker's answer is none: its memory is spoiled";

// A worker that is forked while another's link is open at both ends would keep that open.
std::mutex& fork_mutex() {
  static std::mutex mutex;
  return mutex;
}

WorkerAnswer fault(std::string text) {
  return {.status = RunStatus::kFault, .text = std::move(text)};
}

}  // namespace

ProcessWorker::Result ProcessWorker::start(const WorkerTask& task) {
  std::string error;
  for (int start_idx = 0; start_idx < task.max_starts; ++start_idx) {
    std::unique_ptr<ProcessWorker> worker(new ProcessWorker());
    if (std::optional<std::string> failed = worker->fork_with(task)) return {nullptr, *failed};
    WorkerAnswer lost;
    const auto held = worker->await(LinkMessage::Kind::kGreeting, 0,
                                    {.time = task.start_limit, .memory_bytes = UINT64_MAX}, lost);
    if (!held) {
      error = task.failure + ": " + lost.text;
      if (lost.status == RunStatus::kHung || lost.killed) continue;
      return {nullptr, error};
    }
    std::optional<WorkerGreeting> greeting = decode_greeting(*held);
    if (!greeting) return {nullptr, task.failure + ": its greeting is none"};
    if (greeting->kind == BackendKind::kAny) return {nullptr, greeting->text};
    worker->greeting_ = std::move(*greeting);
    worker->bytes_at_start_ = resident_bytes(worker->pid_);
    return {std::move(worker), ""};
  }
  return {nullptr, error};
}

std::optional<std::string> ProcessWorker::fork_with(const WorkerTask& task) {
  // What stands in a buffer would be written twice.
  std::fflush(stdout);
  std::cout.flush();
  give_up_ = task.give_up;
  const pid_t parent = getpid();
  const std::scoped_lock lock(fork_mutex());
  ProcessLink::Result opened = ProcessLink::open();
  if (opened.link == nullptr) return opened.error;
  channels_.link = std::move(opened.link);
  if (!channels_.output.open() || !channels_.words.open()) {
    return std::string("no memory to share with a worker: ") + std::strerror(errno);
  }
  pid_ = fork();
  if (pid_ == 0) {
    channels_.link->keep(ProcessLink::End::kWorker);
    serve_as_worker(parent, channels_, task);
  }
  if (pid_ < 0) return std::string("fork: ") + std::strerror(errno);
  channels_.link->keep(ProcessLink::End::kParent);
  return std::nullopt;
}

size_t ProcessWorker::num_free_lanes() const {
  return static_cast<size_t>(std::count(lane_taken_.begin(), lane_taken_.end(), false));
}

std::optional<size_t> ProcessWorker::submit(std::span<const std::byte> cases) {
  const auto free_lane = std::find(lane_taken_.begin(), lane_taken_.end(), false);
  if (pid_ < 0 || free_lane == lane_taken_.end()) return std::nullopt;
  const size_t lane = static_cast<size_t>(free_lane - lane_taken_.begin());
  if (!channels_.link->send(LinkMessage::Kind::kSubmit, lane, cases)) return std::nullopt;
  *free_lane = true;
  ++num_submitted_;
  return lane;
}

WorkerAnswer ProcessWorker::collect(size_t lane, const WorkerLimits& limits) {
  lane_taken_[lane] = false;
  WorkerAnswer answer;
  // A worker that is gone will be found to be.
  static_cast<void>(channels_.link->send(LinkMessage::Kind::kCollect, lane, {}));
  const auto held = await(LinkMessage::Kind::kResults, lane, limits, answer);
  if (!held) return answer;
  answer.results = decode_results(*held);
  channels_.link->forget(lane);
  if (!answer.results) {
    end();
    return fault(kSpoiled);
  }
  return answer;
}

std::optional<std::span<const std::byte>> ProcessWorker::await(LinkMessage::Kind kind, size_t lane,
                                                               const WorkerLimits& limits,
                                                               WorkerAnswer& lost) {
  LinkMessage message;
  switch (receive(message, limits, lost)) {
    case ProcessLink::Received::kMessage: {
      const std::optional<std::span<const std::byte>> held = channels_.link->held_by(message);
      if (held && message.kind == kind && message.lane == lane) return held;
      end();
      lost = fault(kSpoiled);
      break;
    }
    case ProcessLink::Received::kClosed:
      lost = judge_end();
      break;
    case ProcessLink::Received::kNothing:
      end();
      break;
  }
  return std::nullopt;
}

ProcessLink::Received ProcessWorker::receive(LinkMessage& message, const WorkerLimits& limits,
                                             WorkerAnswer& lost) {
  const Clock::time_point start = Clock::now();
  const Clock::time_point deadline = start + limits.time;
  for (Clock::time_point look = start + kFirstLook;; look = Clock::now() + kNextLook) {
    const auto received = channels_.link->receive(message, std::min(look, deadline));
    if (received != ProcessLink::Received::kNothing) return received;
    const uint64_t bytes = resident_bytes(pid_);
    const uint64_t more = bytes - std::min(bytes, bytes_at_start_);
    if (more > limits.memory_bytes) {
      lost = {.status = RunStatus::kExhausted,
              .text = "the worker held " + std::to_string(more) +
                      " bytes, more than the limit of " + std::to_string(limits.memory_bytes)};
      return received;
    }
    if (give_up_ && give_up_()) {
      lost = {.text = "not waited for: the run was told to end", .given_up = true};
      return received;
    }
    if (Clock::now() >= deadline) {
      lost = {.status = RunStatus::kHung,
              .text = "no result within " + std::to_string(limits.time.count()) + " ms"};
      return received;
    }
  }
}

bool ProcessWorker::ends_by_itself() const {
  const Clock::time_point deadline = Clock::now() + kEndLimit;
  for (;;) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return errno != EINTR;
    }
    if (ended.si_pid == pid_) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

WorkerAnswer ProcessWorker::judge_end() {
  const bool ended = ends_by_itself();
  const std::optional<int> wait_status = end();
  if (!ended && wait_status && WIFSIGNALED(*wait_status) && WTERMSIG(*wait_status) == SIGKILL) {
    return fault("closed all that it had open, and went on");
  }
  WorkerAnswer answer = fault("the process is gone");
  if (wait_status && WIFEXITED(*wait_status)) {
    answer.status = RunStatus::kExited;
    answer.text = "exited with code " + std::to_string(WEXITSTATUS(*wait_status));
  } else if (wait_status && WIFSIGNALED(*wait_status)) {
    answer = judge_signal(WTERMSIG(*wait_status));
  }
  if (const std::optional<std::string> line = channels_.output.take_written()) {
    answer.text += ", having written: " + *line;
  }
  return answer;
}

WorkerAnswer ProcessWorker::judge_signal(int signal) const {
  WorkerAnswer answer =
      fault("killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")");
  answer.killed = signal == SIGKILL;
  if (signal != SIGSEGV && signal != SIGBUS) return answer;
  if (std::optional<LastWord> word = channels_.words.heard()) {
    if (!word->text.empty()) answer.text += ": " + word->text;
    answer.trespass = word->trespass;
  }
  return answer;
}

std::optional<int> ProcessWorker::end() {
  if (pid_ < 0) return std::nullopt;
  const pid_t pid = std::exchange(pid_, -1);
  // Does nothing to one that is ending already: how it ends is settled by then. What the candidate
  // forked goes with it.
  kill(pid, SIGKILL);
  kill(-pid, SIGKILL);
  int wait_status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(pid, &wait_status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited != pid) return std::nullopt;
  return wait_status;
}

}  // namespace bytegate
