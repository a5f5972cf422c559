// The commands of `bytegate corpus`. Each adds itself to it.
#pragma once

#include "ci/cli/commands.h"

namespace bytegate::cli {

void add_corpus_import(CLI::App& corpus, Context& context);
void add_corpus_merge(CLI::App& corpus, Context& context);
void add_corpus_prune(CLI::App& corpus, Context& context);
void add_corpus_show(CLI::App& corpus, Context& context);
void add_corpus_stats(CLI::App& corpus, Context& context);

}  // namespace bytegate::cli
