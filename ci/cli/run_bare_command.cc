// The program under a checking tool: runs cases one at a time, each buffer an allocation of its
// own, and says before and after each which it is. Not for people; `gate --sanitizer` starts it.
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "fuzz/bare_cases.h"
#include "fuzz/bare_marks.h"
#include "oracles/case_text.h"
#include "properties/check.h"

namespace bytegate::cli {
namespace {

struct BareArguments {
  Options options;
  std::string file;  // empty: the cases of the corpus and of the generator
  int64_t first = 0;
  bool leave_unwritten = false;
};

// The one place where the backend is chosen. On cuda it must be in this very process, so that the
// tool sees it; `leave_unwritten`: outputs and workspace are not filled before the launch.
MadeBackend open_bare_backend(const BareArguments& arguments) {
  if (arguments.options.sanitizer.bare_backend == "host") return {make_host_backend({}), ""};
  return make_bare_cuda_backend(arguments.leave_unwritten);
}

// At once and whole: the tool writes to the same pipe. Whether it could.
bool say(const BareMark& mark) {
  const std::string line = line_of(mark);
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(STDOUT_FILENO, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

// After these the device may be lost, and what comes next would be blamed for it.
bool may_end_the_device(VerdictKind kind) {
  return kind == VerdictKind::kCrashed || kind == VerdictKind::kUntested;
}

// The exit code, and whether anything can run after it.
struct BareEnd {
  int exit_code = kExitPass;
  bool go_on = true;
};
BareEnd run_case(const Case& c, int64_t number, const OpProperties& properties,
                 Candidate& candidate, Backend& backend) {
  BareEnd end;
  end.go_on = say({.kind = BareMark::Kind::kCase, .number = number});
  if (!end.go_on) return end;
  const Verdict verdict = check({&c, 1}, candidate, backend, properties).front();
  end.go_on = say({.kind = BareMark::Kind::kVerdict,
                   .number = number,
                   .verdict = verdict,
                   .text = verdict.passed() ? "" : describe(verdict)});
  if (!verdict.passed()) end.exit_code = exit_code_of(verdict.kind);
  if (may_end_the_device(verdict.kind)) {
    say({.kind = BareMark::Kind::kStop, .number = number});
    end.go_on = false;
  }
  return end;
}

int run_cases(const BareArguments& arguments, const LoadedCases& loaded,
              const OpProperties& properties, Candidate& candidate, Backend& backend) {
  const bool one_file = !arguments.file.empty();
  BareCases cases(properties, loaded, backend.kind(), arguments.options.seed);
  const int64_t first = one_file ? 0 : arguments.first;
  const int64_t count = one_file ? 1 : arguments.options.num_cases.value_or(1);
  if (one_file && cases.num_kept() == 0) {
    complain(arguments.file + ": for another backend only, or too large to run bare");
    return kExitUsage;
  }
  int exit_code = kExitPass;
  for (int64_t number = first; number < first + count; ++number) {
    const BareEnd end = run_case(cases.at(number).value, number, properties, candidate, backend);
    exit_code = std::max(exit_code, end.exit_code);
    if (!end.go_on) return std::max<int>(exit_code, kExitCrashed);
  }
  say({.kind = BareMark::Kind::kDone, .number = count});
  return exit_code;
}

LoadedCases load_kept(const BareArguments& arguments) {
  if (!arguments.file.empty()) return load_case_files({arguments.file}, all_ops());
  if (arguments.options.corpus.empty()) return {};
  CaseFiles found = find_case_files(arguments.options.corpus);
  std::erase_if(found.paths, is_large_case);
  return load_case_files(found.paths, all_ops());
}

int run_bare(const BareArguments& arguments) {
  const LoadedCases loaded = load_kept(arguments);
  const OpProperties* properties = nullptr;
  if (!arguments.file.empty()) {
    if (loaded.cases.empty()) {
      complain(loaded.errors.front());
      return kExitUsage;
    }
    properties = find_properties(all_properties(), *loaded.cases.front().op);
  } else {
    const std::vector<const OpProperties*> ops = chosen_ops(arguments.options);
    if (ops.size() == 1) properties = ops.front();
  }
  if (properties == nullptr) {
    complain("run-bare: --op or --file must name one operation");
    return kExitUsage;
  }
  const std::unique_ptr<Candidate> candidate = chosen_candidate(arguments.options);
  if (candidate == nullptr) return kExitUsage;
  MadeBackend made = open_bare_backend(arguments);
  if (made.backend == nullptr) {
    say({.kind = BareMark::Kind::kAbsent, .text = made.absent_reason});
    return kExitNoBackend;
  }
  say({.kind = BareMark::Kind::kBegin, .text = made.backend->description()});
  return run_cases(arguments, loaded, *properties, *candidate, *made.backend);
}

}  // namespace

void add_run_bare(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("run-bare", "run cases one at a time, each buffer an exact allocation");
  command->group("");
  auto arguments = std::make_shared<BareArguments>();
  Options& options = arguments->options;
  command->add_option("--candidate", options.candidate);
  command->add_option("--op", options.op);
  command->add_option("--seed", options.seed);
  command->add_option("--corpus", options.corpus);
  command->add_option("--file", arguments->file);
  command->add_option("--first", arguments->first)->check(CLI::Range(int64_t{0}, kMaxCases));
  command->add_option("--cases", options.num_cases)->check(CLI::Range(int64_t{0}, kMaxCases));
  command->add_option("--bare-backend", options.sanitizer.bare_backend)
      ->check(CLI::IsMember({"cuda", "host"}));
  command->add_flag("--leave-unwritten", arguments->leave_unwritten);
  command->callback(
      [arguments, &context] { context.chosen = [arguments] { return run_bare(*arguments); }; });
}

}  // namespace bytegate::cli
