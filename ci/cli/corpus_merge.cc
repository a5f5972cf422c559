#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/corpus_commands.h"
#include "ci/cli/options.h"
#include "fuzz/corpus/merge.h"

namespace bytegate::cli {
namespace {

int merge(const std::vector<std::string>& from, const std::string& into) {
  const MergeOutcome outcome = merge_corpora(from, into, all_ops());
  for (const std::string& error : outcome.errors) complain(error);
  const MergeCounts& counts = outcome.counts;
  std::cout << with_commas(counts.num_taken) << " cases taken, "
            << with_commas(counts.num_duplicates) << " were there already, "
            << with_commas(static_cast<int64_t>(outcome.errors.size())) << " errors; in " << into
            << "\n";
  return outcome.errors.empty() ? kExitPass : kExitUsage;
}

}  // namespace

void add_corpus_merge(CLI::App& corpus, Context& context) {
  CLI::App* command = corpus.add_subcommand(
      "merge", "put cases together: the same files come of any order, any number of times");
  auto from = std::make_shared<std::vector<std::string>>();
  auto into = std::make_shared<std::string>();
  command->add_option("from", *from, "case files, or folders of them")->required();
  command->add_option("--into", *into, "folder of the result: OP/DIGEST.case")->required();
  command->callback(
      [from, into, &context] { context.chosen = [from, into] { return merge(*from, *into); }; });
}

}  // namespace bytegate::cli
