#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "ci/cli/case_summary.h"
#include "ci/cli/corpus_commands.h"
#include "ci/cli/options.h"
#include "fuzz/corpus/import.h"
#include "fuzz/guided/case_bytes.h"

namespace bytegate::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReasonsShown = 16;

struct ImportArguments {
  Options options;
  TraceImport trace;
  std::vector<std::string> paths;
  std::string into;
  std::string kind = "auto";
};

class Import {
 public:
  explicit Import(const ImportArguments& arguments)
      : arguments_(arguments), sink_(arguments.into, all_ops()), problems_(sink_.errors()) {}

  void take(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
      problems_.push_back(path + ": no such file or folder");
    } else if (arguments_.kind != "auto") {
      take_as(arguments_.kind, path);
    } else if (fs::is_directory(path, error)) {
      take_folder(path);
    } else {
      const fs::path extension = fs::path(path).extension();
      const bool is_trace = extension == ".csv" || extension == ".jsonl";
      take_as(is_trace ? "trace" : extension == ".case" ? "case" : "input", path);
    }
  }

  int report() const {
    for (size_t i = 0; i < std::min(problems_.size(), kReasonsShown); ++i) complain(problems_[i]);
    if (problems_.size() > kReasonsShown) {
      complain(".. and " + std::to_string(problems_.size() - kReasonsShown) + " more");
    }
    std::cout << with_commas(total_.num_taken) << " cases taken, "
              << with_commas(total_.num_duplicates) << " were there already, "
              << with_commas(total_.num_rejected) << " rejected; in " << arguments_.into << "\n";
    return problems_.empty() ? kExitPass : kExitUsage;
  }

 private:
  // Cases by their extension; what else there is are inputs.
  void take_folder(const std::string& path) {
    std::error_code error;
    bool has_cases = false;
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      has_cases = has_cases || entry->path().extension() == ".case";
    }
    if (has_cases) take_as("case", path);
    // A folder of findings holds more than cases, and no inputs.
    if (!has_cases || !arguments_.options.op.empty()) take_as("input", path);
  }

  void take_as(const std::string& kind, const std::string& path) {
    if (kind == "case") {
      count("case files", path, import_cases(path, sink_, all_ops()));
    } else if (kind == "trace") {
      take_trace(path);
    } else {
      take_inputs(path);
    }
  }

  void take_trace(const std::string& path) {
    for (const OpProperties* properties : chosen_ops(arguments_.options)) {
      if (properties->of_batch == nullptr) continue;
      count("trace, " + std::string(properties->op->name), path,
            import_trace(path, *properties, arguments_.trace, sink_));
    }
  }

  void take_inputs(const std::string& path) {
    const Op* op = find_op(all_ops(), arguments_.options.op);
    if (op == nullptr) {
      problems_.push_back(path +
                          ": neither a case nor a trace; inputs of the target of an operation "
                          "need its --op");
      return;
    }
    const DecodeInput decode = [](const Op& of, std::span<const uint8_t> bytes) {
      return case_of_bytes(of, bytes);
    };
    count("inputs", path, import_inputs(find_inputs(path), *op, decode, sink_));
  }

  void count(const std::string& kind, const std::string& path, const ImportCounts& counts) {
    const MergeCounts& cases = counts.cases;
    std::cout << path << " (" << kind << "): " << cases.num_taken << " taken, "
              << cases.num_duplicates << " there already, " << cases.num_rejected << " rejected\n";
    total_.num_taken += cases.num_taken;
    total_.num_duplicates += cases.num_duplicates;
    total_.num_rejected += cases.num_rejected;
    problems_.insert(problems_.end(), counts.rejected.begin(), counts.rejected.end());
  }

  const ImportArguments& arguments_;
  CaseSink sink_;
  std::vector<std::string> problems_;
  MergeCounts total_;
};

int import(const ImportArguments& arguments) {
  if (chosen_ops(arguments.options).empty()) return kExitUsage;
  Import run(arguments);
  for (const std::string& path : arguments.paths) run.take(path);
  return run.report();
}

}  // namespace

void add_corpus_import(CLI::App& corpus, Context& context) {
  CLI::App* command = corpus.add_subcommand(
      "import", "cases of fuzzers' inputs, request traces and findings, into a corpus");
  auto arguments = std::make_shared<ImportArguments>();
  command
      ->add_option("path", arguments->paths,
                   "case files, inputs that libFuzzer or AFL++ kept, traces (.csv, .jsonl), or "
                   "folders of cases or inputs")
      ->required();
  command->add_option("--into", arguments->into, "folder of the result: OP/DIGEST.case")
      ->required();
  command->add_option("--kind", arguments->kind, "what the files are, where that is not to be seen")
      ->check(CLI::IsMember({"auto", "case", "input", "trace"}))
      ->capture_default_str();
  command->add_option("--op", arguments->options.op,
                      "whose inputs they are; of a trace: one operation (default: all)");
  command->add_option("--count", arguments->trace.count, "of a trace: how many batches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seed", arguments->trace.seed, "of a trace: what it does not say")
      ->capture_default_str();
  command
      ->add_option("--speedup", arguments->trace.batching.speedup,
                   "of a trace: divides arrival times")
      ->capture_default_str();
  command->add_option("--max-batch", arguments->trace.batching.max_batch, "of a trace: slots")
      ->capture_default_str();
  command->add_option("--note", arguments->trace.note,
                      "of a trace: its source, kept in every case");
  command->callback(
      [arguments, &context] { context.chosen = [arguments] { return import(*arguments); }; });
}

}  // namespace bytegate::cli
