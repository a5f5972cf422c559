#include <exception>
#include <iostream>

#include "ci/cli/commands.h"
#include "ci/cli/options.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 all pass; 1 a verdict failed; 2 usage or bad file; 3 a candidate crashed or "
    "hung;\n"
    "4 a required backend is missing.";

std::string joined(int argc, char** argv) {
  std::string line = "bytegate";
  for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
  return line;
}

int run(int argc, char** argv) {
  CLI::App app("Byte-exact gate for GPU metadata kernels", "bytegate");
  app.set_version_flag("--version", std::string("bytegate ") + BYTEGATE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  bytegate::cli::Context context;
  context.command_line = joined(argc, argv);
  bytegate::cli::add_list(app, context);
  bytegate::cli::add_doctor(app, context);
  bytegate::cli::add_gate(app, context);
  bytegate::cli::add_sweep(app, context);
  bytegate::cli::add_replay(app, context);
  bytegate::cli::add_minimize(app, context);
  bytegate::cli::add_trace(app, context);
  bytegate::cli::add_run_bare(app, context);
  bytegate::cli::add_fuzz(app, context);
  bytegate::cli::add_corpus(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? bytegate::kExitPass : bytegate::kExitUsage;
  }
  return context.chosen == nullptr ? int{bytegate::kExitUsage} : context.chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bytegate: " << error.what() << "\n";
    return bytegate::kExitUsage;
  }
}
