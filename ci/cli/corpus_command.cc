#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/corpus_commands.h"
#include "ci/cli/options.h"
#include "fuzz/corpus/files.h"

namespace bytegate::cli {
namespace {

int show(const std::vector<std::string>& paths) {
  int code = kExitPass;
  for (const std::string& path : paths) {
    const auto errors = read_corpus(path, all_ops(), [](const CorpusFile& file, const Case& c) {
      std::cout << file.path << "\n" << description_of(c);
    });
    for (const std::string& error : errors) complain(error);
    if (!errors.empty()) code = kExitUsage;
  }
  return code;
}

}  // namespace

void add_corpus_show(CLI::App& corpus, Context& context) {
  CLI::App* command =
      corpus.add_subcommand("show", "cases decoded, with the expected outputs as a picture");
  auto paths = std::make_shared<std::vector<std::string>>();
  command->add_option("path", *paths, "case files, or folders of them")->required();
  command->callback([paths, &context] { context.chosen = [paths] { return show(*paths); }; });
}

void add_corpus(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("corpus", "work with saved cases");
  command->require_subcommand(1);
  add_corpus_stats(*command, context);
  add_corpus_import(*command, context);
  add_corpus_merge(*command, context);
  add_corpus_prune(*command, context);
  add_corpus_show(*command, context);
}

}  // namespace bytegate::cli
