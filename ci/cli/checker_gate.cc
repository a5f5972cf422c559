#include "ci/cli/checker_gate.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "ci/cli/progress.h"
#include "fuzz/interrupt.h"
#include "kernels/builtin_candidate.h"

namespace bytegate::cli {
namespace {

constexpr int kMaxRestarts = 16;
constexpr int kMaxHalved = 64;
constexpr size_t kMaxCheckerFindings = 16;  // origins that are kept

}  // namespace

CheckerGate::CheckerGate(const OpProperties& properties, const LoadedCases& corpus,
                         const Options& options, const FoundTool& tool)
    : properties_(properties),
      options_(options),
      checker_(*checker_of_name(options.sanitizer.checker)),
      tool_(tool_command(tool.path, checker_)),
      cases_(properties, corpus, BackendKind::kCuda, options.seed),
      row_({.properties = &properties,
            .backend = BackendKind::kCuda,
            .backend_description = "",
            .outcome = RunOutcome(properties)}) {
  row_.checker.emplace();
  row_.checker->tool = checker_.name;
  row_.checker->version = tool.version;
  row_.checker->command = shell_line(tool_);
  row_.checker->num_asked = cases_.num_kept() + options.num_cases.value_or(kCheckerCases);
}

void CheckerGate::complain_of(const std::string& problem) {
  if (std::find(problems_.begin(), problems_.end(), problem) == problems_.end()) {
    problems_.push_back(problem);
  }
}

// The program under the tool, up to which cases it runs.
std::vector<std::string> CheckerGate::program(const std::string& name) const {
  std::vector<std::string> words = {name, "run-bare"};
  if (options_.candidate != "production") {
    words.insert(words.end(), {"--candidate", options_.candidate});
  }
  if (options_.sanitizer.bare_backend != "cuda") {
    words.insert(words.end(), {"--bare-backend", options_.sanitizer.bare_backend});
  }
  if (checker_.needs_unwritten) words.emplace_back("--leave-unwritten");
  return words;
}

SanitizerRun CheckerGate::launch(const Span& span) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> words = tool_;
  const std::vector<std::string> bare = program(error ? "bytegate" : self.string());
  words.insert(words.end(), bare.begin(), bare.end());
  const std::string corpus = corpus_dir(options_);
  if (!corpus.empty()) words.insert(words.end(), {"--corpus", corpus});
  words.insert(words.end(),
               {"--op", std::string(properties_.op->name), "--seed", std::to_string(options_.seed),
                "--first", std::to_string(span.first), "--cases", std::to_string(span.count)});
  SanitizerLog log(std::string(checker_.name));
  const auto limit =
      std::chrono::milliseconds(static_cast<int64_t>(options_.sanitizer.case_seconds * 1000));
  end_ = run_child(words, limit, [&](std::string_view bytes) {
    const int64_t before = log.num_marks();
    log.feed(bytes);
    return log.num_marks() > before;
  });
  ++row_.checker->num_processes;
  return log.finish();
}

// A case that started and has no verdict is the one that ended the process.
void CheckerGate::end_last_case(SanitizerRun& run) {
  if (run.cases.empty() || run.cases.back().verdict) return;
  Verdict verdict = {.kind = VerdictKind::kCrashed};
  verdict.message = "the program " + end_.how + " while the case ran";
  if (end_.too_slow) {
    verdict = {.kind = VerdictKind::kHung};
    verdict.message = "no end within " +
                      std::to_string(static_cast<int64_t>(options_.sanitizer.case_seconds)) + " s";
  } else if (end_.exit_code == 0) {
    verdict.kind = VerdictKind::kExited;
  }
  verdict.origin = std::string(verdict_name(verdict.kind)) + ":" + std::string(checker_.name);
  run.cases.back().verdict = verdict;
}

// Why there is no use in going on; empty: there is.
std::string CheckerGate::hopeless(const SanitizerRun& run, const Span& span) {
  if (!end_.started) return "the tool could not be started: " + end_.how;
  if (!run.absent_reason.empty()) {
    backend_is_absent_ = true;
    return "no backend under the tool: " + run.absent_reason;
  }
  if (run.cases.empty()) return "the program " + end_.how + " before its first case";
  int64_t number = span.first;
  const bool in_order = std::all_of(run.cases.begin(), run.cases.end(),
                                    [&](const CaseLog& log) { return log.idx == number++; });
  if (!in_order || number > span.first + span.count) {
    return "the program ran other cases than it was to";
  }
  return "";
}

// What one process said of its cases; how many of them ran, or nothing: there is no use.
std::optional<int64_t> CheckerGate::settle_all(SanitizerRun& run, const Span& span) {
  CheckerRow& checker = *row_.checker;
  for (const std::string& flaw : flaws_of(run)) complain_of(flaw);
  const std::string reason = hopeless(run, span);
  if (!reason.empty()) {
    complain_of(reason);
    return std::nullopt;
  }
  if (!run.finished && !run.stopped) {
    complain_of("the program " + end_.how + (end_.too_slow ? ", killed," : "") +
                " before it was done");
  }
  end_last_case(run);
  row_.backend_description = run.backend;
  checker.num_findings += run.num_found;
  if (checker.notes.empty()) checker.notes = run.notes;
  for (const CaseLog& log : run.cases) settle(log, span.count == 1);
  return static_cast<int64_t>(run.cases.size());
}

void CheckerGate::run() {
  const auto begin = std::chrono::steady_clock::now();
  Progress progress(std::string(properties_.op->name) + " under " + std::string(checker_.name));
  progress_ = progress.callback();
  CheckerRow& checker = *row_.checker;
  std::vector<Span> left = {{.first = 0, .count = checker.num_asked}};
  int num_halved = 0;
  for (int num_restarts = 0; !left.empty() && left.back().count > 0 && !interrupted();) {
    const Span span = left.back();
    left.pop_back();
    SanitizerRun run = launch(span);
    if (interrupted() && !run.cases.empty() && !run.cases.back().verdict) run.cases.pop_back();
    if (span.count == 1) give_to_only_case(run);
    // Whose the tool's last words are is found by halves.
    if (!run.behind.findings.empty() && span.count > 1 && num_halved++ < kMaxHalved) {
      const int64_t half = span.count / 2;
      left.push_back({.first = span.first + half, .count = span.count - half});
      left.push_back({.first = span.first, .count = half});
      continue;
    }
    const std::optional<int64_t> num_settled = settle_all(run, span);
    if (!num_settled) break;
    if (*num_settled == span.count) continue;
    if (num_restarts++ == kMaxRestarts) {
      complain_of("given up after " + std::to_string(kMaxRestarts) + " restarts");
      break;
    }
    left.push_back({.first = span.first + *num_settled, .count = span.count - *num_settled});
  }
  if (checker.num_run < checker.num_asked) {
    complain_of("only " + std::to_string(checker.num_run) + " of " +
                std::to_string(checker.num_asked) + " cases ran");
  }
  row_.outcome.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void CheckerGate::settle(const CaseLog& log, bool alone) {
  const Verdict verdict = verdict_of(log);
  BareCases::Numbered numbered = cases_.at(log.idx);
  row_.outcome.tally.add(properties_, numbered.value, verdict, numbered.source, row_.backend);
  ++row_.checker->num_run;
  if (progress_ != nullptr) progress_(row_.checker->num_run, row_.outcome.tally.all.failed);
  if (verdict.passed()) return;
  if (says_nothing(verdict.kind) && !takes_every_case(options_.candidate)) return;
  const auto known = finding_of_origin_.find(verdict.origin);
  if (known != finding_of_origin_.end()) {
    ++row_.outcome.findings[known->second].num_failures;
  } else if (row_.outcome.findings.size() >= kMaxCheckerFindings) {
    ++row_.outcome.num_unkept;
  } else {
    fail(log, verdict, std::move(numbered), alone);
  }
}

bool CheckerGate::shows_alone(int64_t number, const std::string& origin) {
  SanitizerRun run = launch({.first = number, .count = 1});
  give_to_only_case(run);
  return run.cases.size() == 1 && run.cases.front().idx == number &&
         verdict_of(run.cases.front()).origin == origin;
}

// The tool and the program are two processes that write to one pipe. Whether a report belongs to
// the case that it stands at is therefore looked at once more, with the case by itself.
void CheckerGate::fail(const CaseLog& log, const Verdict& verdict, BareCases::Numbered numbered,
                       bool alone) {
  std::string note = "found with candidate " + options_.candidate + " under compute-sanitizer " +
                     std::string(checker_.name);
  if (!alone && !log.findings.empty() && !shows_alone(log.idx, verdict.origin)) {
    if (log.idx > 0 && shows_alone(log.idx - 1, verdict.origin)) {
      numbered = cases_.at(log.idx - 1);
    } else {
      note += "; not seen when the case is run alone";
    }
  }
  Finding finding;
  finding.op = properties_.op->name;
  finding.backend = row_.backend;
  finding.source = numbered.source;
  finding.verdict = verdict;
  finding.file = numbered.file;
  finding.kept = std::move(numbered.value);
  if (finding.file.empty()) {
    SavedFinding saved = save_finding(findings_dir(options_), finding.kept, verdict.origin, note);
    finding.file = saved.path;
    finding.save_error = saved.error;
  }
  if (!finding.file.empty()) {
    std::vector<std::string> words = tool_;
    const std::vector<std::string> bare = program(program_path());
    words.insert(words.end(), bare.begin(), bare.end());
    words.insert(words.end(), {"--file", finding.file});
    finding.replay = shell_line(words);
  }
  finding_of_origin_[verdict.origin] = row_.outcome.findings.size();
  row_.outcome.findings.push_back(std::move(finding));
}

}  // namespace bytegate::cli
