#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "fuzz/sources.h"
#include "kernels/builtin_candidate.h"
#include "oracles/case_text.h"

namespace bytegate::cli {
namespace {

std::string range_text(const ScalarSpec& scalar) {
  std::string text;
  for (const std::string_view symbol : scalar.symbols) {
    text += (text.empty() ? "" : " | ") + std::string(symbol);
  }
  if (!text.empty()) return text;
  if (scalar.min == scalar.max) return std::to_string(scalar.min);
  return std::to_string(scalar.min) + " .. " + std::to_string(scalar.max);
}

void list_op(const OpProperties& properties) {
  const Op& op = *properties.op;
  std::cout << op.name << ": " << op.summary << "\n";
  for (const ScalarSpec& scalar : op.scalars) {
    std::cout << "  scalar  " << scalar.name << "  " << range_text(scalar) << "\n";
  }
  for (const DimSpec& dim : op.dims) {
    std::cout << "  dim     " << dim.name << "  " << dim.min << " .. " << dim.max << "\n";
  }
  for (const TensorSpec& tensor : op.tensors) {
    std::cout << "  " << (tensor.role == Role::kInput ? "input   " : "output  ") << tensor.name
              << " ";
    for (const DType dtype : tensor.dtypes) std::cout << " " << dtype_name(dtype);
    std::cout << ", rank " << tensor.shape.size() << "\n";
  }
  std::cout << "  paths  ";
  for (const std::string_view path : op.paths) std::cout << " " << path;
  std::cout << "\n  classes";
  for (size_t i = 0; i < properties.classes.size(); ++i) {
    std::cout << (i > 0 ? ", " : " ") << properties.classes[i];
  }
  std::cout << "\n";
}

int list() {
  for (const OpProperties& properties : all_properties()) list_op(properties);
  std::cout << "candidates: " << production_candidate().name << ", " << baseline_candidate().name
            << ", or the path of a shared library\nbackends: host, cuda\n";
  return kExitPass;
}

int doctor(bool require_gpu) {
  std::cout << "bytegate " << BYTEGATE_VERSION << ", compiled with " << __VERSION__ << "\n";
  const BackendResult host = open_backend(BackendKind::kHost, "production", {});
  std::cout << "host  ready: " << host.backend->description() << "\n";
  const BackendResult cuda = open_backend(BackendKind::kCuda, "production", {});
  if (cuda.backend != nullptr) {
    std::cout << "cuda  ready: " << cuda.backend->description() << "\n";
    return kExitPass;
  }
  std::cout << "cuda  missing: " << cuda.absent_reason << "\n";
  return require_gpu ? kExitNoBackend : kExitPass;
}

int show(const std::vector<std::string>& paths) {
  int code = kExitPass;
  for (const std::string& path : paths) {
    const CaseFiles found = find_case_files(path);
    if (!found.error.empty()) {
      complain(found.error);
      code = kExitUsage;
    }
    for (const std::string& file : found.paths) {
      const LoadResult loaded = load_case(file, all_ops());
      if (!loaded.value) {
        complain(loaded.error);
        code = kExitUsage;
        continue;
      }
      std::cout << file << "\n" << description_of(*loaded.value);
    }
  }
  return code;
}

}  // namespace

void add_list(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", "operations, their contracts, and candidates");
  command->callback([&context] { context.chosen = list; });
}

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "what can run here, and why something cannot");
  auto require_gpu = std::make_shared<bool>(false);
  command->add_flag("--require-gpu", *require_gpu, "a missing cuda backend is an error (exit 4)");
  command->callback(
      [require_gpu, &context] { context.chosen = [require_gpu] { return doctor(*require_gpu); }; });
}

void add_corpus(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("corpus", "work with saved cases");
  command->require_subcommand(1);
  CLI::App* shown = command->add_subcommand("show", "cases decoded, with the expected outputs");
  auto paths = std::make_shared<std::vector<std::string>>();
  shown->add_option("path", *paths, "case files, or folders of them")->required();
  shown->callback([paths, &context] { context.chosen = [paths] { return show(*paths); }; });
}

}  // namespace bytegate::cli
