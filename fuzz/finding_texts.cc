#include "fuzz/finding_texts.h"

#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/reproducer/python_reproducer.h"
#include "kernels/builtin_candidate.h"
#include "oracles/case_text.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

constexpr int64_t kMaxListed = 200;  // differences of one output in one launch

std::string index_text(const Dims& shape, int64_t idx) {
  Dims place = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place[axis] = idx % shape[axis];
    idx /= shape[axis];
  }
  return to_string(place);
}

// One line for each wrong element, and one that counts.
std::string output_difference(const Case& at, size_t tensor, const Elements& expect,
                              const StepResult& step) {
  const std::string name(at.op->tensors[tensor].name);
  if (tensor >= step.outputs.size() || step.outputs[tensor].size() != expect.size()) {
    return "  " + name + ": nothing came out\n";
  }
  const Elements& actual = step.outputs[tensor];
  std::vector<uint8_t> stated(static_cast<size_t>(expect.size()), 1);
  if (at.op->tensors[tensor].mask != nullptr) at.op->tensors[tensor].mask(at, stated);
  std::string lines;
  int64_t num_different = 0;
  for (int64_t i = 0; i < expect.size(); ++i) {
    if (stated[static_cast<size_t>(i)] == 0 || expect.at(i) == actual.at(i)) continue;
    if (++num_different > kMaxListed) continue;
    lines += "    " + index_text(written_shape(at, static_cast<int>(tensor)), i) + ": expect " +
             std::to_string(expect.at(i)) + ", actual " + std::to_string(actual.at(i)) + "\n";
  }
  const std::string total = std::to_string(expect.size());
  if (num_different == 0) return "  " + name + ": all of " + total + " elements right\n";
  std::string text =
      "  " + name + ": " + std::to_string(num_different) + " of " + total + " differ\n" + lines;
  if (num_different > kMaxListed) {
    text += "    and " + std::to_string(num_different - kMaxListed) + " more\n";
  }
  return text;
}

std::string launch_difference(const Case& at, const StepResult& step) {
  std::string text;
  if (step.damage) {
    const int tensor = step.damage->tensor;
    const std::string name = tensor < 0
                                 ? "the workspace"
                                 : std::string(at.op->tensors[static_cast<size_t>(tensor)].name);
    text += "  a byte that nobody may change did: byte " +
            std::to_string(step.damage->byte_offset) + " of " + name + "\n";
  }
  if (at.expect != Expect::kBytes) return text;
  const Outputs expect = expected_outputs(at);
  for (size_t i = 0; i < at.tensors.size(); ++i) {
    if (at.op->tensors[i].role != Role::kOutput || !at.tensors[i].present) continue;
    text += output_difference(at, i, expect[i], step);
  }
  return text;
}

std::string file_digest(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "(cannot be read)";
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return text_digest(bytes.str());
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string line_of(const std::string& name, const std::string& value) {
  constexpr size_t kColumn = 12;
  return name + std::string(kColumn - name.size(), ' ') + value + "\n";
}

// A contract is what its description says; whoever reads the case with another one sees it here.
std::string contract_text(const Op& op) {
  std::string text;
  for (const ScalarSpec& scalar : op.scalars) {
    text += std::string(scalar.name) + " " + std::to_string(scalar.min) + ".." +
            std::to_string(scalar.max) + ", ";
  }
  for (const TensorSpec& tensor : op.tensors) {
    text += std::string(tensor.role == Role::kOutput ? "out " : "in ") + std::string(tensor.name) +
            " rank " + std::to_string(tensor.shape.size()) + ", ";
  }
  return text.substr(0, text.size() - 2);
}

std::string library_section(const std::string& candidate) {
  if (builtin_candidate(candidate) == nullptr) return "";
  return "The candidate `" + candidate +
         "` is part of bytegate. As a library it is built by\n\n"
         "    cmake --build BUILD --target bytegate_" +
         candidate +
         "\n\n"
         "which makes BUILD/kernels/" +
         candidate + ".so.\n\n";
}

}  // namespace

std::string difference_text(const Finding& finding, const CasePlan& plan, const RunResult& result) {
  std::string text = describe(finding.verdict) + "\n";
  if (!result.message.empty()) text += "the candidate said: " + result.message + "\n";
  const std::vector<size_t> steps = launched_steps(plan.c);
  for (size_t launch = 0; launch < result.steps.size() && launch < steps.size(); ++launch) {
    text += "\nlaunch " + std::to_string(launch) + ", step " + std::to_string(steps[launch]) +
            "\n" + launch_difference(at_step(plan.c, steps[launch]), result.steps[launch]);
  }
  if (result.steps.empty()) text += "\nno launch came to an end\n";
  return text;
}

std::string versions_text(const Finding& finding, const FindingContext& context,
                          const std::string& candidate_name, const std::string& candidate_version) {
  utsname system = {};
  uname(&system);
  const Op& op = *finding.kept.op;
  std::string text = line_of("bytegate", context.program_version);
  text += line_of("compiler", __VERSION__);
  text += line_of("candidate", candidate_name + " " + candidate_version);
  if (builtin_candidate(context.candidate) == nullptr) {
    text += line_of("library", candidate_identity(context.candidate));
    text += line_of("digest", file_digest(context.candidate) + " (XXH3_64)");
  }
  text += line_of("backend",
                  std::string(backend_name(finding.backend)) + ", " + context.backend_description);
  text +=
      line_of("system", std::string(system.sysname) + " " + system.release + " " + system.machine);
  const std::string driver = first_line("/proc/driver/nvidia/version");
  if (finding.backend == BackendKind::kCuda && !driver.empty()) text += line_of("driver", driver);
  text += line_of("operation", std::string(op.name) + ": " + std::string(op.summary));
  text += line_of("contract", contract_text(op));
  return text + line_of("case format", " version " + std::to_string(kCaseFormatVersion));
}

std::string finding_readme(const Finding& finding, const FindingContext& context,
                           const CasePlan& plan) {
  const bool cuda = finding.backend == BackendKind::kCuda;
  const std::string stem = std::filesystem::path(finding.file).stem().string();
  std::string text =
      "# " + finding.verdict.origin + " in " + std::string(finding.kept.op->name) + "\n\n" +
      describe(finding.verdict) + "\n\nThe case is `" + stem + ".case`, beside this folder" +
      (finding.minimal ? "; no simpler one fails alike.\n\n" : ".\n\n") +
      "- `difference.txt`: what came out, and what should have\n"
      "- `versions-*.txt`: what was tested, and by what; one for each that saw it\n\n## Replay it, "
      "from here\n\n    " +
      replay_line("bytegate", "../" + stem + ".case", context.candidate, finding.backend) + "\n\n";
  text += "## Without bytegate\n\n";
  if (!plan.error.empty()) {
    return text + "There is no stand-alone reproducer: " + plan.error + ".\n";
  }
  text +=
      std::string("    ") + (cuda ? "nvcc" : "g++") +
      " -std=c++17 -O0 -o reproducer reproducer.cc -ldl && ./reproducer LIBRARY.so\n"
      "    python3 reproducer.py LIBRARY.so        # needs PyTorch\n\n" +
      "LIBRARY.so is the library that holds the candidate" +
      (plan.candidate.empty() ? "" : "; if it is not given, `" + plan.candidate + "`") +
      ".\nExit codes: 1 it fails as the finding says, 0 it passes, 2 it could not run, 3 it fails "
      "in\nanother way.\n\n" +
      library_section(context.candidate);
  const std::vector<std::string> notes = python_notes(plan);
  if (!notes.empty()) text += "What they do not do as the run did that found this:\n\n";
  for (const std::string& note : notes) text += "- " + note + "\n";
  if (!notes.empty()) text += "\n";
  return text +
         "## Report it\n\nTo whom the kernel belongs: in both reproducers the body of one "
         "function,\n"
         "`call_kernel`, is all that knows of this candidate. Put a call of the kernel's own API\n"
         "there, give `-` as the library, and send the file with `difference.txt` and\n"
         "`versions-*.txt`.\n";
}

}  // namespace bytegate
