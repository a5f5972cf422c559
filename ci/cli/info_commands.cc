#include <algorithm>
#include <iostream>

#include "ci/cli/case_summary.h"
#include "ci/cli/commands.h"
#include "ci/cli/options.h"
#include "ci/cli/sanitizer_tool.h"
#include "kernels/builtin_candidate.h"

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

// What the contract lets a caller choose about a tensor.
std::string freedom_of(const TensorSpec& tensor) {
  std::string text;
  for (const DType dtype : tensor.dtypes) {
    text += (text.empty() ? "" : " or ") + std::string(dtype_name(dtype));
  }
  text += ", rank " + std::to_string(tensor.shape.size());
  for (size_t axis = 0; axis < tensor.strided.size(); ++axis) {
    if (tensor.strided[axis]) text += ", any stride of axis " + std::to_string(axis);
  }
  if (tensor.columns_written != nullptr) text += ", may be wider than what is written";
  if (tensor.presence != nullptr) text += ", not always there";
  return text;
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
              << "  " << freedom_of(tensor) << "\n";
  }
  std::cout << "  paths  ";
  for (const std::string_view path : op.paths) std::cout << " " << path;
  std::cout << "\n  classes";
  for (size_t i = 0; i < properties.classes.size(); ++i) {
    std::cout << (i > 0 ? ", " : " ") << properties.classes[i];
  }
  std::cout << "\n";
  for (const CaseList& list : properties.lists) {
    std::cout << "  list    " << list.name << ": " << list.source << "\n";
  }
  for (const World& world : properties.worlds) {
    std::cout << "  world   " << world.name << "  " << with_commas(world.num_cases)
              << (world.large ? " cases (large): " : " cases: ") << world.holds << "\n";
  }
}

std::string worlds_text() {
  int64_t num_worlds = 0;
  int64_t num_cases = 0;
  int64_t num_large = 0;
  for (const OpProperties& properties : all_properties()) {
    for (const World& world : properties.worlds) {
      ++(world.large ? num_large : num_worlds);
      num_cases += world.large ? 0 : world.num_cases;
    }
  }
  return with_commas(num_worlds) + " with " + with_commas(num_cases) + " cases, and " +
         with_commas(num_large) + " large ones";
}

int list_all() {
  size_t width = 0;
  for (const Op* op : all_ops()) width = std::max(width, op->name.size());
  for (const Op* op : all_ops()) {
    std::cout << op->name << std::string(width + 2 - op->name.size(), ' ') << op->summary << "\n";
  }
  std::cout << "candidates: " << production_candidate().name << ", " << baseline_candidate().name
            << ", or the path of a shared library\nbackends: host, cuda\n"
            << "worlds that `sweep` checks in full: " << worlds_text() << "\n"
            << "the whole of an operation: " << program_path() << " list NAME\n";
  return kExitPass;
}

int list(const std::vector<std::string>& names) {
  if (names.empty()) return list_all();
  int code = kExitPass;
  for (const std::string& name : names) {
    const Op* op = find_op(all_ops(), name);
    if (op == nullptr) {
      complain("there is no operation " + name);
      code = kExitUsage;
      continue;
    }
    list_op(*find_properties(all_properties(), *op));
  }
  return code;
}

int doctor(bool require_gpu) {
  std::cout << "bytegate " << BYTEGATE_VERSION << ", compiled with " << __VERSION__ << "\n";
  const BackendResult host = open_backend(BackendKind::kHost, {});
  if (host.backend == nullptr) {
    std::cout << "host  missing: " << host.absent_reason << "\n";
    return kExitNoBackend;
  }
  std::cout << "host  ready: " << host.backend->description() << "\n";
  const FoundTool tool = find_tool("");
  std::cout << "gate --sanitizer  "
            << (tool.path.empty() ? "missing: no compute-sanitizer in PATH or a CUDA toolkit"
                                  : "ready: " + tool.path)
            << "\n";
  const BackendResult cuda = open_backend(BackendKind::kCuda, {});
  if (cuda.backend != nullptr) {
    std::cout << "cuda  ready: " << cuda.backend->description() << "\n";
    return kExitPass;
  }
  std::cout << "cuda  missing: " << cuda.absent_reason << "\n";
  return require_gpu ? kExitNoBackend : kExitPass;
}

}  // namespace

void add_list(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", "operations, their contracts, and candidates");
  auto names = std::make_shared<std::vector<std::string>>();
  command->add_option("name", *names, "operations to describe in full");
  command->callback([names, &context] { context.chosen = [names] { return list(*names); }; });
}

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "what can run here, and why something cannot");
  auto require_gpu = std::make_shared<bool>(false);
  command->add_flag("--require-gpu", *require_gpu, "a missing cuda backend is an error (exit 4)");
  command->callback(
      [require_gpu, &context] { context.chosen = [require_gpu] { return doctor(*require_gpu); }; });
}

}  // namespace bytegate::cli
