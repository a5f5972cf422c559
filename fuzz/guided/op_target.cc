#include "fuzz/guided/op_target.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "fuzz/guided/case_bytes.h"
#include "kernels/builtin_candidate.h"
#include "kernels/host_backend.h"
#include "oracles/case_text.h"
#include "oracles/durable_file.h"

namespace bytegate {
namespace {

// Inputs are small: what takes so many lane switches never ends.
constexpr uint64_t kMaxSwitches = uint64_t{1} << 26;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

OpTargetOptions OpTargetOptions::of_environment() {
  return {.candidate = variable("BYTEGATE_FUZZ_CANDIDATE"),
          .failures = variable("BYTEGATE_FUZZ_FAILURES"),
          .report = variable("BYTEGATE_FUZZ_REPORT"),
          .last_input = variable("BYTEGATE_FUZZ_LAST_INPUT")};
}

OpTarget::OpTarget(const OpProperties& properties, OpTargetOptions options,
                   std::span<uint8_t> counters)
    : properties_(properties),
      options_(std::move(options)),
      backend_(make_guarded_host_backend({.max_switches = kMaxSwitches}, faults_)),
      report_(properties),
      feedback_(properties, counters) {}

OpTarget::Result OpTarget::make(const OpProperties& properties, OpTargetOptions options,
                                std::span<uint8_t> counters) {
  std::unique_ptr<OpTarget> target(new OpTarget(properties, std::move(options), counters));
  const OpTargetOptions& own = target->options_;
  Candidate::Result opened = own.candidate.empty() ? Candidate::open(production_candidate())
                                                   : Candidate::load(own.candidate);
  if (opened.candidate == nullptr) return {nullptr, opened.error};
  target->candidate_ = std::move(opened.candidate);
  if (!target->candidate_->runs_on(BackendKind::kHost)) {
    return {nullptr, own.candidate + ": does not run on the host"};
  }
  if (!own.failures.empty() && !std::filesystem::is_directory(own.failures)) {
    return {nullptr, "BYTEGATE_FUZZ_FAILURES: " + own.failures + " is no folder"};
  }
  if (!own.last_input.empty()) {
    if (auto error = target->last_input_.open(own.last_input)) return {nullptr, *error};
  }
  return {std::move(target), ""};
}

std::optional<std::string> OpTarget::run(std::span<const uint8_t> input) {
  if (!last_input_.set(input)) return "no room for the last input in " + options_.last_input;
  const Case c = case_of_bytes(*properties_.op, input);
  CheckedRun run =
      std::move(PendingCheck({&c, 1}, *candidate_, *backend_, properties_).collect_runs().front());
  report_.count(c, run.verdict);
  feedback_.note_launch(c, run.verdict);
  if (c.expect == Expect::kBytes) {
    const std::vector<int> classes = properties_.classify(c);
    for (const int one : classes) ++report_.classes[static_cast<size_t>(one)];
    feedback_.note_classes(classes);
    if (run.verdict.passed() && properties_.walk_states != nullptr) {
      const std::vector<int> states = properties_.walk_states(c, run.outputs);
      for (const int one : states) ++report_.states[static_cast<size_t>(one)];
      feedback_.note_states(states);
    }
  }
  if (run.verdict.passed()) return std::nullopt;
  // Ours takes every case, and no input is to be one that says nothing of it.
  if (says_nothing(run.verdict.kind) && !options_.candidate.empty()) return std::nullopt;
  return keep_failure(c, run.verdict);
}

std::optional<std::string> OpTarget::keep_failure(Case c, const Verdict& verdict) {
  c.origin = verdict.origin;
  if (options_.failures.empty()) return describe(verdict) + "\n" + write_case(c);
  if (report_.origins[verdict.origin] > 1) return std::nullopt;
  const std::string path = options_.failures + "/" + case_digest(c) + ".case";
  return write_durably(path, write_case(c));
}

std::optional<std::string> OpTarget::finish() const {
  if (options_.report.empty()) return std::nullopt;
  return write_durably(options_.report, report_.json(properties_));
}

}  // namespace bytegate
