// The commands of `bytegate`. Each adds itself to the parser; what it returns when it is run is the
// exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace bytegate::cli {

struct Context {
  std::string command_line;               // as typed, for reports
  std::function<int()> chosen = nullptr;  // the command that was given
};

void add_list(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_gate(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_replay(CLI::App& app, Context& context);
void add_minimize(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_run_bare(CLI::App& app, Context& context);
void add_fuzz(CLI::App& app, Context& context);
void add_corpus(CLI::App& app, Context& context);

}  // namespace bytegate::cli
