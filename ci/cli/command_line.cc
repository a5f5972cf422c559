#include "ci/cli/command_line.h"

#include <memory>
#include <sstream>

#include "ci/cli/commands.h"
#include "ci/cli/options.h"

namespace bytegate::cli {
namespace {

constexpr const char* kFooter =
    "Exit codes: 0 all pass; 1 a verdict failed; 2 usage or bad file; 3 a candidate crashed or "
    "hung;\n"
    "4 a required backend is missing.";

// What a parsed command refers to.
struct Parser {
  CLI::App app{"Byte-exact gate for GPU metadata kernels", "bytegate"};
  Context context;
};

std::shared_ptr<Parser> make_parser(const std::vector<std::string>& words) {
  auto parser = std::make_shared<Parser>();
  CLI::App& app = parser->app;
  Context& context = parser->context;
  app.set_version_flag("--version", std::string("bytegate ") + BYTEGATE_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  context.command_line = "bytegate";
  for (const std::string& word : words) context.command_line += " " + word;
  add_list(app, context);
  add_doctor(app, context);
  add_gate(app, context);
  add_sweep(app, context);
  add_replay(app, context);
  add_minimize(app, context);
  add_export(app, context);
  add_fuzz(app, context);
  add_trace(app, context);
  add_run_bare(app, context);
  add_corpus(app, context);
  return parser;
}

// Of hidden options, too.
std::string name_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name(true);
}

// With those of groups, which the parser keeps as commands without a name.
void add_options(const CLI::App& app, KnownCommand& command) {
  for (const CLI::Option* option : app.get_options()) {
    command.options.push_back(
        {.name = name_of(*option), .takes_value = option->get_items_expected_max() > 0});
  }
  for (const CLI::App* below : app.get_subcommands({})) {
    if (below->get_name().empty()) add_options(*below, command);
  }
}

void add_known(const CLI::App& app, const std::vector<std::string>& words,
               std::vector<KnownCommand>& known) {
  add_options(app, known.emplace_back(KnownCommand{.words = words, .options = {}}));
  for (const CLI::App* below : app.get_subcommands({})) {
    if (below->get_name().empty()) continue;
    std::vector<std::string> deeper = words;
    deeper.push_back(below->get_name());
    add_known(*below, deeper, known);
  }
}

}  // namespace

ParsedLine parse_command_line(const std::vector<std::string>& words) {
  const std::shared_ptr<Parser> parser = make_parser(words);
  ParsedLine line;
  try {
    // The parser takes words from the back.
    parser->app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    line.exit_code = parser->app.exit(error, out, err) == 0 ? kExitPass : kExitUsage;
    line.out = out.str();
    line.err = err.str();
    return line;
  }
  if (parser->context.chosen == nullptr) {
    line.exit_code = kExitUsage;
    line.err = "bytegate: no command was given\n";
    return line;
  }
  line.run = [parser] { return parser->context.chosen(); };
  return line;
}

std::vector<KnownCommand> known_commands() {
  std::vector<KnownCommand> known;
  add_known(make_parser({})->app, {}, known);
  return known;
}

}  // namespace bytegate::cli
