#include <filesystem>
#include <iostream>

#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "fuzz/finding_folder.h"
#include "oracles/case_text.h"
#include "oracles/durable_file.h"
#include "properties/check_relations.h"

namespace bytegate::cli {
namespace {

struct ExportArguments {
  Options options;
  std::string file;
  std::string to;
};

// Copies the case, so that the folder and it can be sent together. Its place, or empty after a
// complaint.
std::string copy_case(const ExportArguments& arguments, const Case& c) {
  std::error_code error;
  std::filesystem::create_directories(arguments.to, error);
  if (error) {
    complain("cannot create " + arguments.to + ": " + error.message());
    return "";
  }
  const std::filesystem::path source(arguments.file);
  std::string stem = source.stem().string();
  // Where the case and its folder would have one name.
  if (source.extension() != ".case") stem = source.filename().string() + "-case";
  const std::string path = arguments.to + "/" + stem + ".case";
  if (const auto failure = save_case(path, c)) {
    complain(*failure);
    return "";
  }
  return path;
}

int export_on(const ExportArguments& arguments, const Case& c, Candidate& candidate,
              const ChosenBackends::Entry& entry) {
  const OpProperties& properties = *find_properties(all_properties(), *c.op);
  const BackendResult backend = open_backend(entry.kind, backend_options(arguments.options));
  if (backend.backend == nullptr) {
    complain(backend.absent_reason);
    return kExitNoBackend;
  }
  Finding finding;
  finding.op = c.op->name;
  finding.backend = entry.kind;
  finding.source = "exported";
  finding.kept = c;
  finding.verdict = check({&c, 1}, candidate, *backend.backend, properties, {}).front();
  if (finding.verdict.kind == VerdictKind::kUntested || says_nothing(finding.verdict.kind)) {
    complain(arguments.file + ": " + describe(finding.verdict));
    return kExitFailed;
  }
  finding.file = copy_case(arguments, c);
  if (finding.file.empty()) return kExitUsage;
  const FindingContext context = {.candidate = arguments.options.candidate,
                                  .backend_description = entry.description,
                                  .program_version = BYTEGATE_VERSION,
                                  .backend_options = backend_options(arguments.options)};
  if (const auto failure = write_finding_folder(finding, properties, context)) {
    complain(*failure);
    return kExitUsage;
  }
  std::cout << describe(finding.verdict) << "\n  case   " << finding.file << "\n  folder "
            << finding_folder_path(finding.file) << "\n";
  return exit_code_of(finding.verdict.kind);
}

int export_file(const ExportArguments& arguments) {
  const std::unique_ptr<Candidate> candidate = chosen_candidate(arguments.options);
  if (candidate == nullptr) return kExitUsage;
  const ChosenBackends backends = chosen_backends(arguments.options, *candidate);
  if (backends.exit_code != kExitPass) return backends.exit_code;
  const LoadResult loaded = load_case(arguments.file, all_ops());
  if (!loaded.value) {
    complain(loaded.error);
    return kExitUsage;
  }
  const BackendKind wanted = loaded.value->backend;
  // One folder is of one backend: the first that the case fails on, else the last.
  std::optional<ChosenBackends::Entry> last;
  for (const ChosenBackends::Entry& entry : backends.entries) {
    if (wanted == BackendKind::kAny || wanted == entry.kind) last = entry;
  }
  if (!last) {
    complain(arguments.file + " is for " + std::string(backend_name(wanted)) +
             " only, which is not here");
    return kExitNoBackend;
  }
  for (const ChosenBackends::Entry& entry : backends.entries) {
    if (wanted != BackendKind::kAny && wanted != entry.kind) continue;
    const int code = export_on(arguments, *loaded.value, *candidate, entry);
    if (code != kExitPass || entry.kind == last->kind) return code;
  }
  return kExitPass;
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("export", "write what somebody without bytegate needs to see a case fail");
  auto arguments = std::make_shared<ExportArguments>();
  command->add_option("file", arguments->file, "a case file")->required();
  command->add_option("--to", arguments->to, "the folder for the case and its folder")->required();
  add_candidate_options(*command, arguments->options);
  command->callback(
      [arguments, &context] { context.chosen = [arguments] { return export_file(*arguments); }; });
}

}  // namespace bytegate::cli
