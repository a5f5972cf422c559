#include <filesystem>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/one_case.h"
#include "oracles/case_text.h"
#include "properties/check_relations.h"

namespace bytegate::cli {
namespace {

struct MinimizeArguments {
  Options options;
  std::string file;
  std::string out;
};

std::string default_out(const std::string& file) {
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + ".min.case")).string();
}

// Minimises on one backend and says what came of it; 0 when the case does not fail there.
int minimize_on(const MinimizeArguments& arguments, const OneCase& one) {
  const BackendKind kind = one.backend.kind();
  const MinimizeResult result = minimize(
      one.c,
      [&](const Case& simpler) {
        return check({&simpler, 1}, one.candidate, one.backend, one.properties, {}).front();
      },
      run_options(arguments.options, kind).minimize);
  if (result.verdict.kind == VerdictKind::kUntested) {
    complain(arguments.file + ": " + describe(result.verdict) + " on " +
             std::string(backend_name(kind)));
    return exit_code_of(result.verdict.kind);
  }
  if (result.verdict.passed() || says_nothing(result.verdict.kind)) {
    std::cout << describe(result.verdict) << " on " << backend_name(kind) << "\n";
    return kExitPass;
  }
  Case smallest = result.smallest;
  smallest.origin = result.verdict.origin;
  const std::string out = arguments.out.empty() ? default_out(arguments.file) : arguments.out;
  if (const auto failure = save_case(out, smallest)) {
    complain(*failure);
    return kExitUsage;
  }
  std::cout << describe(result.verdict) << "\n  case   " << summary_of(smallest)
            << (result.minimal ? "  (minimal)" : "  (the time ran out)") << "\n  tried  "
            << with_commas(result.num_tried) << " simpler cases, kept "
            << with_commas(result.num_accepted) << "\n  saved  " << out << "\n  replay "
            << replay_line(program_path(), out, arguments.options.candidate, kind) << "\n";
  return exit_code_of(result.verdict.kind);
}

int minimize_file(const MinimizeArguments& arguments) {
  const int code = on_chosen_backends(arguments.file, arguments.options, [&](const OneCase& one) {
    return minimize_on(arguments, one);
  });
  if (code == kExitPass) std::cout << arguments.file << ": nothing to minimise here\n";
  return code;
}

}  // namespace

void add_minimize(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("minimize", "make a failing case as small as it gets");
  auto arguments = std::make_shared<MinimizeArguments>();
  command->add_option("file", arguments->file, "a case file")->required();
  command->add_option("--out", arguments->out, "where to save it (default: FILE.min.case)");
  command->add_option("--minimize-seconds", arguments->options.minimize_seconds, "time limit")
      ->check(CLI::Range(0.0, 1e7).description("0 .. 10^7"))
      ->capture_default_str();
  add_candidate_options(*command, arguments->options);
  command->callback([arguments, &context] {
    context.chosen = [arguments] { return minimize_file(*arguments); };
  });
}

}  // namespace bytegate::cli
