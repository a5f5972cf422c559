#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "ci/cli/case_summary.h"
#include "ci/cli/corpus_commands.h"
#include "ci/cli/evidence.h"
#include "ci/cli/options.h"
#include "fuzz/corpus/prune.h"
#include "oracles/case_text.h"

namespace bytegate::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFeaturesShown = 4;

struct PruneArguments {
  std::string dir;
  std::string into;
  bool remove = false;
  bool all = false;
  bool verbose = false;
  std::string coverage;
  std::string kills;
  std::vector<std::string> referred_in;
};

// The folder above the corpus, if that is of a project.
std::vector<std::string> default_referrers(const std::string& dir) {
  std::error_code error;
  const fs::path above = fs::weakly_canonical(dir, error).parent_path();
  if (error || !fs::exists(above / "README.md", error)) return {};
  return {above.string()};
}

// False after a complaint.
bool add_evidence(const PruneArguments& arguments, PruneOptions& options) {
  std::vector<ReadEvidence> read;
  if (!arguments.coverage.empty()) read.push_back(read_coverage(arguments.coverage, arguments.dir));
  if (!arguments.kills.empty()) read.push_back(read_kills(arguments.kills, arguments.dir));
  bool readable = true;
  for (ReadEvidence& entry : read) {
    if (!entry.error.empty()) {
      complain(entry.error);
      readable = false;
    }
    options.evidence.push_back(std::move(entry.evidence));
  }
  return readable;
}

void print_file(const PrunedFile& pruned) {
  if (!pruned.kept) {
    std::cout << "drop  " << pruned.file.name << "\n";
    return;
  }
  std::cout << "keep  " << pruned.file.name;
  if (!pruned.rule.empty()) std::cout << " (" << pruned.rule << ")";
  std::cout << "\n";
  const std::vector<std::string>& features = pruned.only_here;
  for (size_t i = 0; i < std::min(features.size(), kFeaturesShown); ++i) {
    std::cout << "        " << features[i] << "\n";
  }
  if (features.size() > kFeaturesShown) {
    std::cout << "        .. and " << features.size() - kFeaturesShown
              << " more that no other has\n";
  }
}

// The case under the same name in another folder; what went wrong, or nothing.
std::optional<std::string> copy_case(const CorpusFile& file, const std::string& into) {
  const fs::path target = fs::path(into) / file.name;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) return "cannot create the folder of " + target.string() + ": " + error.message();
  const LoadResult loaded = load_case(file.path, all_ops());
  if (!loaded.value) return loaded.error;
  return save_case(target.string(), *loaded.value);
}

std::optional<std::string> remove_case(const CorpusFile& file) {
  std::error_code error;
  if (fs::remove(file.path, error) && !error) return std::nullopt;
  return file.path + ": cannot be removed" + (error ? ": " + error.message() : "");
}

// Does what was asked for with the files; returns the exit code.
int settle(const PruneArguments& arguments, const PruneOutcome& outcome) {
  int code = kExitPass;
  for (const PrunedFile& pruned : outcome.files) {
    std::optional<std::string> failure;
    if (!arguments.into.empty() && pruned.kept) failure = copy_case(pruned.file, arguments.into);
    if (arguments.remove && !pruned.kept) failure = remove_case(pruned.file);
    if (!failure) continue;
    complain(*failure);
    code = kExitUsage;
  }
  return code;
}

int prune(const PruneArguments& arguments) {
  std::error_code error;
  if (!arguments.into.empty() && fs::exists(arguments.into, error) &&
      !fs::is_empty(arguments.into, error)) {
    complain("--into " + arguments.into + ": is there and not empty");
    return kExitUsage;
  }
  PruneOptions options{.all = arguments.all};
  if (!add_evidence(arguments, options)) return kExitUsage;
  const std::vector<std::string> referrers =
      arguments.referred_in.empty() ? default_referrers(arguments.dir) : arguments.referred_in;
  for (const std::string& path : referrers) {
    if (!fs::exists(path, error)) {
      complain("--referred-in " + path + ": no such file or folder");
      return kExitUsage;
    }
    NamedDigests named = digests_named_in(path);
    if (!named.error.empty()) {
      complain("--referred-in " + named.error);
      return kExitUsage;
    }
    options.referred.merge(named.digests);
  }
  const PruneOutcome outcome = prune_corpus(arguments.dir, all_ops(), options);
  for (const std::string& damaged : outcome.errors) complain(damaged);
  if (!outcome.errors.empty()) {
    complain("nothing is pruned of a folder that cannot be read in full");
    return kExitUsage;
  }
  int64_t num_kept = 0;
  for (const PrunedFile& pruned : outcome.files) {
    num_kept += pruned.kept ? 1 : 0;
    if (arguments.verbose || !pruned.kept) print_file(pruned);
  }
  const int code = settle(arguments, outcome);
  std::cout << with_commas(num_kept) << " of "
            << with_commas(static_cast<int64_t>(outcome.files.size())) << " cases have all "
            << with_commas(static_cast<int64_t>(outcome.num_features)) << " features"
            << (outcome.smallest ? "; no fewer do, of those that may go"
                                 : "; whether fewer do is not known")
            << "\n";
  if (arguments.into.empty() && !arguments.remove) {
    std::cout << "nothing was written: --into DIR or --delete does\n";
  }
  return code;
}

}  // namespace

void add_corpus_prune(CLI::App& corpus, Context& context) {
  CLI::App* command = corpus.add_subcommand(
      "prune",
      "the fewest cases with the same classes, cells, paths, modes, layouts, types and failures");
  auto arguments = std::make_shared<PruneArguments>();
  command->add_option("dir", arguments->dir, "folder of case files")->required();
  CLI::Option* into =
      command->add_option("--into", arguments->into, "write what stays to this new folder");
  command->add_flag("--delete", arguments->remove, "remove what does not stay")->excludes(into);
  command->add_flag("--all", arguments->all,
                    "hand-written cases may go, too: those whose name is not made of a digest, and "
                    "those that texts refer to");
  command->add_option("--referred-in", arguments->referred_in,
                      "texts, or folders of them, whose cases stay (default: the folder above, if "
                      "it holds a README.md)");
  command->add_option("--coverage", arguments->coverage,
                      "JSON of `ci/case_coverage`: the edges that each case covers, to be kept");
  command->add_option("--kills", arguments->kills,
                      "JSON of `ci/faults --kills`: the faults that each case kills, to be kept");
  command->add_flag("--verbose", arguments->verbose, "what each case is kept for");
  command->callback(
      [arguments, &context] { context.chosen = [arguments] { return prune(*arguments); }; });
}

}  // namespace bytegate::cli
