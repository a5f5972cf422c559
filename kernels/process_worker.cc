#include "kernels/process_worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

namespace bytegate {
namespace {

// Several workers may wait for the same driver.
constexpr std::chrono::milliseconds kStartLimit = std::chrono::seconds(30);
// A lock that another thread holds at the fork stays locked in the worker. It is not ours, and not
// likely, but a worker that needs it says nothing for ever.
constexpr int kMaxStarts = 2;

constexpr const char* kSpoiled = "the worker's answer is none: its memory is spoiled";

// A worker that is forked while another's link is open at both ends would keep that open.
std::mutex& fork_mutex() {
  static std::mutex mutex;
  return mutex;
}

// What became of a worker that ended by itself.
WorkerAnswer judge_end(const std::optional<int>& wait_status) {
  if (wait_status && WIFEXITED(*wait_status)) {
    return {.results = std::nullopt,
            .status = RunStatus::kExited,
            .text = "exited with code " + std::to_string(WEXITSTATUS(*wait_status))};
  }
  if (wait_status && WIFSIGNALED(*wait_status)) {
    const int signal = WTERMSIG(*wait_status);
    return {.results = std::nullopt,
            .status = RunStatus::kFault,
            .text = "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"};
  }
  return {.results = std::nullopt, .status = RunStatus::kFault, .text = "the process is gone"};
}

}  // namespace

ProcessWorker::Result ProcessWorker::start(const WorkerTask& task) {
  std::string error;
  for (int start_idx = 0; start_idx < kMaxStarts; ++start_idx) {
    // What stands in the buffer would be written twice.
    std::fflush(stdout);
    const pid_t parent = getpid();
    std::unique_ptr<ProcessWorker> worker;
    {
      const std::scoped_lock lock(fork_mutex());
      ProcessLink::Result opened = ProcessLink::open();
      if (opened.link == nullptr) return {nullptr, opened.error};
      worker.reset(new ProcessWorker(std::move(opened.link)));
      worker->pid_ = fork();
      if (worker->pid_ == 0) {
        worker->link_->keep(ProcessLink::End::kWorker);
        serve_as_worker(parent, *worker->link_, task);
      }
      if (worker->pid_ < 0) return {nullptr, std::string("fork: ") + std::strerror(errno)};
      worker->link_->keep(ProcessLink::End::kParent);
    }
    WorkerAnswer lost;
    const auto held = worker->await(LinkMessage::Kind::kGreeting, kStartLimit, lost);
    if (!held) {
      error = "a worker did not start: " + lost.text;
      if (lost.status == RunStatus::kHung) continue;
      return {nullptr, error};
    }
    std::optional<WorkerGreeting> greeting = decode_greeting(*held);
    if (!greeting) return {nullptr, "a worker did not start: its greeting is none"};
    if (greeting->kind == BackendKind::kAny) return {nullptr, greeting->text};
    worker->greeting_ = std::move(*greeting);
    return {std::move(worker), ""};
  }
  return {nullptr, error};
}

size_t ProcessWorker::num_free_lanes() const {
  return static_cast<size_t>(std::count(lane_taken_.begin(), lane_taken_.end(), false));
}

std::optional<size_t> ProcessWorker::submit(std::span<const std::byte> cases) {
  const auto free_lane = std::find(lane_taken_.begin(), lane_taken_.end(), false);
  if (pid_ < 0 || free_lane == lane_taken_.end()) return std::nullopt;
  const size_t lane = static_cast<size_t>(free_lane - lane_taken_.begin());
  if (!link_->send(LinkMessage::Kind::kSubmit, lane, cases)) return std::nullopt;
  *free_lane = true;
  ++num_submitted_;
  return lane;
}

WorkerAnswer ProcessWorker::collect(size_t lane, std::chrono::milliseconds limit) {
  lane_taken_[lane] = false;
  WorkerAnswer answer;
  // A worker that is gone will be found to be.
  static_cast<void>(link_->send(LinkMessage::Kind::kCollect, lane, {}));
  const auto held = await(LinkMessage::Kind::kResults, limit, answer);
  if (!held) return answer;
  answer.results = decode_results(*held);
  if (!answer.results) {
    end();
    answer.status = RunStatus::kFault;
    answer.text = kSpoiled;
  }
  return answer;
}

std::optional<std::span<const std::byte>> ProcessWorker::await(LinkMessage::Kind kind,
                                                               std::chrono::milliseconds limit,
                                                               WorkerAnswer& lost) {
  LinkMessage message;
  switch (link_->receive(message, std::chrono::steady_clock::now() + limit)) {
    case ProcessLink::Received::kMessage: {
      const std::optional<std::span<const std::byte>> held = link_->held_by(message);
      if (held && message.kind == kind) return held;
      end();
      lost = {.results = std::nullopt, .status = RunStatus::kFault, .text = kSpoiled};
      break;
    }
    case ProcessLink::Received::kClosed:
      lost = judge_end(end());
      break;
    case ProcessLink::Received::kNothing:
      end();
      lost = {.results = std::nullopt,
              .status = RunStatus::kHung,
              .text = "no result within " + std::to_string(limit.count()) + " ms"};
      break;
  }
  return std::nullopt;
}

std::optional<int> ProcessWorker::end() {
  if (pid_ < 0) return std::nullopt;
  const pid_t pid = std::exchange(pid_, -1);
  // Does nothing to one that is ending already: how it ends is settled by then.
  kill(pid, SIGKILL);
  int wait_status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(pid, &wait_status, 0);
  } while (waited < 0 && errno == EINTR);
  if (waited != pid) return std::nullopt;
  return wait_status;
}

}  // namespace bytegate
