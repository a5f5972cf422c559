#include "fuzz/reproducer/cpp_reproducer.h"

#include "fuzz/reproducer/templates.h"

namespace bytegate {
namespace {

// The smallest value has no literal of its own.
std::string number(int64_t value) {
  return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
}

std::string list_of(const Dims& dims) {
  std::string text = "{";
  for (int axis = 0; axis < dims.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += number(dims[axis]);
  }
  return text + "}";
}

std::string flag(bool value) {
  return value ? "true" : "false";
}

std::string constant(const std::string& type, const std::string& name, const std::string& value) {
  return "const " + type + " " + name + " = " + value + ";\n";
}

std::string includes(const CasePlan& plan) {
  std::string text;
  if (plan.backend == BackendKind::kCuda) text += "#include <cuda_runtime_api.h>\n";
  for (const char* header : {"dlfcn.h", "poll.h", "sys/mman.h", "sys/wait.h", "ucontext.h",
                             "unistd.h", "algorithm", "array", "chrono", "csignal", "cstdint",
                             "cstdio", "cstring", "functional", "string", "vector"}) {
    text += "#include <" + std::string(header) + ">\n";
  }
  return text + "\n";
}

std::string_view place_of(const CasePlan& plan) {
  switch (mode_spec(plan.c.mode).plan.placing) {
    case Placing::kGuardBefore:
      return "Place::kBeginsAtPage";
    case Placing::kElementAligned:
      return "Place::kUnaligned";
    default:
      return "Place::kEndsAtPage";
  }
}

std::string_view expect_text(const Case& c) {
  switch (c.expect) {
    case Expect::kRefused:
      return "Expect::kRefused";
    case Expect::kSurvived:
      return "Expect::kSurvived";
    default:
      return "Expect::kBytes";
  }
}

std::string switches(const CasePlan& plan) {
  const LaunchPlan& launch = mode_spec(plan.c.mode).plan;
  const bool cuda = plan.backend == BackendKind::kCuda;
  const Case& c = plan.c;
  std::string text = "// ---- The case ----\n";
  text += constant("char* const", "kOp", quoted_text(std::string(c.op->name)));
  text += constant("char* const", "kFlaw", quoted_text(plan.flaw));
  text += constant("char* const", "kDefaultLibrary", quoted_text(plan.candidate));
  text += constant("char* const", "kForcedPath",
                   c.forced_path.empty() ? "nullptr" : quoted_text(c.forced_path));
  text += constant("Expect", "kExpect", std::string(expect_text(c)));
  text += constant("Place", "kPlace", std::string(place_of(plan)));
  text += constant("bool", "kOnHost", flag(!cuda));
  text += constant("bool", "kGraph", flag(launch.captured));
  text += constant("bool", "kShortWorkspaceFirst",
                   flag(launch.short_workspace && c.expect != Expect::kRefused));
  text += "[[maybe_unused]] " + constant("bool", "kHoldStream",
                                         flag(cuda && (launch.other_stream || launch.two_at_once)));
  text += constant("bool", "kOverwriteInputs", flag(cuda && launch.inputs_overwritten));
  text += constant("bool", "kBreaksInvariant", flag(plan.breaks_invariant));
  text += constant("int", "kLimitSeconds", "60");
  text += constant("uint64_t", "kSalt", std::to_string(plan.salt) + "u");
  text += constant("size_t", "kWorkspaceSkew", std::to_string(plan.workspace_skew));
  text += "// For builds that stand on bytegate's executor; others ignore it.\n" +
          constant("ExecutorOptions", "kExecutor",
                   "{" + std::to_string(c.seed) + "u, 0, uint64_t{1} << 30, " +
                       std::to_string(plan.arch) + ", 0}");
  return text;
}

std::string call_faults(const Case& c) {
  std::string text = "const std::vector<CallFault> kCallFaults = {";
  for (const CallFault& fault : c.call_faults) {
    const char* kind = fault.kind == CallFaultKind::kNull      ? "kNull"
                       : fault.kind == CallFaultKind::kOverlap ? "kOverlap"
                                                               : "kShortWorkspace";
    text += "{FaultKind::" + std::string(kind) + ", " + std::to_string(fault.tensor) + ", " +
            std::to_string(fault.other) + "},";
  }
  return text + "};\n";
}

std::string arguments(const CasePlan& plan) {
  const Case& c = plan.c;
  std::string text = "const std::vector<NamedScalar> kScalars = {\n";
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    text += "    {" + quoted_text(std::string(c.op->scalars[i].name)) + ", " +
            number(c.scalars[i]) + "},\n";
  }
  text +=
      "};\n// name, output, present, mostly gaps, bits, shape, strides, part that is written, "
      "skew\n"
      "const std::vector<Tensor> kTensors = {\n";
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const Tensor& tensor = c.tensors[i];
    const bool output = c.op->tensors[i].role == Role::kOutput;
    const Dims written =
        output && tensor.present ? written_shape(c, static_cast<int>(i)) : tensor.shape;
    text += "    {" + quoted_text(std::string(c.op->tensors[i].name)) + ", " + flag(output) + ", " +
            flag(tensor.present) + ", " + flag(plan.sparse[i]) + ", " +
            std::to_string(8 * dtype_bytes(tensor.dtype)) + ", " + list_of(tensor.shape) + ", " +
            list_of(tensor.strides) + ", " + list_of(written) + ", " +
            std::to_string(plan.skews[i]) + "},\n";
  }
  text += "};\n" + call_faults(c) + "const std::vector<Launch> kLaunches = {";
  for (const PlannedLaunch& launch : plan.launches) {
    text += "{" + std::to_string(launch.step) + ", " + flag(launch.stale) + "}, ";
  }
  return text + "};\n";
}

std::string values(const CasePlan& plan) {
  std::string runs = "// begin, count, value, step\nconst std::vector<Run> kRuns = {\n";
  std::string all =
      "// step, tensor, first run, number of runs, has a pattern, its seed, lowest, highest\n"
      "const std::vector<Values> kValues = {\n";
  size_t num_runs = 0;
  for (const PlannedValues& one : plan.values) {
    const Pattern pattern = one.pattern.value_or(Pattern{});
    all += "    {" + std::to_string(one.step) + ", " + std::to_string(one.tensor) + ", " +
           std::to_string(num_runs) + ", " + std::to_string(one.runs.size()) + ", " +
           flag(one.pattern.has_value()) + ", " + std::to_string(pattern.seed) + "u, " +
           number(pattern.low) + ", " + number(pattern.high) + "},\n";
    runs += "    // " + std::string(plan.c.op->tensors[static_cast<size_t>(one.tensor)].name) +
            ", step " + std::to_string(one.step) + "\n";
    for (const ValueRun& run : one.runs) {
      runs += "    {" + number(run.begin) + ", " + number(run.count) + ", " + number(run.value) +
              ", " + number(run.step) + "},\n";
    }
    num_runs += one.runs.size();
  }
  return runs + "};\n" + all + "};\n";
}

}  // namespace

std::string quoted_text(const std::string& text) {
  constexpr std::string_view kDigits = "01234567";
  std::string quoted = "\"";
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if (ch == '"' || ch == '\\') {
      quoted += std::string("\\") + ch;
    } else if (byte < 0x20 || byte >= 0x7f || ch == '?') {
      quoted += {'\\', kDigits[byte >> 6], kDigits[byte >> 3 & 7], kDigits[byte & 7]};
    } else {
      quoted += ch;
    }
  }
  return quoted + "\"";
}

std::vector<std::string> reproducer_heading(const CasePlan& plan, const std::string& how_to_run,
                                            const std::vector<std::string>& notes) {
  std::vector<std::string> lines = {"Shows by itself: " + plan.origin,
                                    "of " + std::string(plan.c.op->name) + " on " +
                                        std::string(backend_name(plan.backend)) + ", mode " +
                                        std::string(mode_name(plan.c.mode)),
                                    "", how_to_run};
  lines.insert(lines.end(),
               {"", "Exit codes: 1 it fails as above, 0 it passes, 2 it could not run,",
                "3 it fails in another way."});
  if (!notes.empty()) lines.insert(lines.end(), {"", "Not as in the run that found it:"});
  for (const std::string& note : notes) lines.push_back("- " + note);
  return lines;
}

std::string cpp_reproducer(const CasePlan& plan) {
  namespace part = reproducer_template;
  const bool cuda = plan.backend == BackendKind::kCuda;
  std::string text;
  const std::string compile =
      cuda ? "  nvcc -std=c++17 -O0 -o reproducer reproducer.cc -ldl && ./reproducer LIBRARY.so"
           : "  g++ -std=c++17 -O0 -o reproducer reproducer.cc -ldl && ./reproducer LIBRARY.so";
  for (const std::string& line : reproducer_heading(plan, compile, plan.notes)) {
    text += line.empty() ? "//\n" : "// " + line + "\n";
  }
  text += includes(plan);
  text += part::interface_cc;
  text += "\n" + switches(plan) + arguments(plan) + values(plan);
  text += part::report_cc;
  text += part::kernel_cc;
  text += cuda ? part::cuda_cc : part::host_cc;
  text += part::buffers_cc;
  text += part::checks_cc;
  text += part::process_cc;
  return text;
}

}  // namespace bytegate
