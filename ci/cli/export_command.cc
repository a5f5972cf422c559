#include <filesystem>
#include <iostream>

#include "ci/cli/commands.h"
#include "ci/cli/one_case.h"
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
  std::string path = arguments.to + "/" + stem + ".case";
  if (const auto failure = save_case(path, c)) {
    complain(*failure);
    return "";
  }
  return path;
}

int export_on(const ExportArguments& arguments, const OneCase& one) {
  Finding finding;
  finding.op = one.c.op->name;
  finding.backend = one.backend.kind();
  finding.source = "exported";
  finding.kept = one.c;
  finding.verdict = check({&one.c, 1}, one.candidate, one.backend, one.properties, {}).front();
  if (finding.verdict.kind == VerdictKind::kUntested || says_nothing(finding.verdict.kind)) {
    complain(arguments.file + ": " + describe(finding.verdict));
    return kExitFailed;
  }
  finding.file = copy_case(arguments, one.c);
  if (finding.file.empty()) return kExitUsage;
  const FindingContext context = {.candidate = arguments.options.candidate,
                                  .backend_description = one.backend_description,
                                  .program_version = BYTEGATE_VERSION,
                                  .backend_options = backend_options(arguments.options)};
  if (const auto failure = write_finding_folder(finding, one.properties, context)) {
    complain(*failure);
    return kExitUsage;
  }
  std::cout << describe(finding.verdict) << "\n  case   " << finding.file << "\n  folder "
            << finding_folder_path(finding.file) << "\n";
  return exit_code_of(finding.verdict.kind);
}

// One folder is of one backend: the first that the case fails on, else the last.
int export_file(const ExportArguments& arguments) {
  return on_chosen_backends(arguments.file, arguments.options,
                            [&](const OneCase& one) { return export_on(arguments, one); });
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
