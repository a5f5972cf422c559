#include "fuzz/reproducer/python_reproducer.h"

#include "fuzz/reproducer/cpp_reproducer.h"
#include "fuzz/reproducer/templates.h"

namespace bytegate {
namespace {

std::string flag(bool value) {
  return value ? "True" : "False";
}

std::string constant(const std::string& name, const std::string& value) {
  return name + " = " + value + "\n";
}

std::string text_constant(const std::string& name, std::string_view value) {
  return constant(name, quoted_text(std::string(value)));
}

std::string_view place_of(const CasePlan& plan) {
  switch (mode_spec(plan.c.mode).plan.placing) {
    case Placing::kGuardBefore:
      return "begin";
    case Placing::kElementAligned:
      return "unaligned";
    default:
      return "end";
  }
}

std::string switches(const CasePlan& plan) {
  const LaunchPlan& launch = mode_spec(plan.c.mode).plan;
  const bool cuda = plan.backend == BackendKind::kCuda;
  const Case& c = plan.c;
  std::string text = "# ---- The case ----\n";
  text += text_constant("OP", c.op->name);
  text += text_constant("FLAW", plan.flaw);
  text += text_constant("LIBRARY", plan.candidate);
  text += text_constant("DEVICE", cuda ? "cuda" : "cpu");
  text += text_constant("FORCED_PATH", c.forced_path);
  text += text_constant("EXPECT", expect_name(c.expect));
  text += text_constant("PLACE", place_of(plan));
  text += constant("GRAPH", flag(launch.captured));
  text += constant("SHORT_WORKSPACE_FIRST",
                   flag(launch.short_workspace && c.expect != Expect::kRefused));
  text += constant("HOLD_STREAM", flag(cuda && (launch.other_stream || launch.two_at_once)));
  text += constant("OVERWRITE_INPUTS", flag(cuda && launch.inputs_overwritten));
  text += constant("BREAKS_INVARIANT", flag(plan.breaks_invariant));
  text += constant("LIMIT_SECONDS", "120");
  text += constant("SALT", std::to_string(plan.salt));
  text += constant("WORKSPACE_SKEW", std::to_string(plan.workspace_skew));
  text += "# For builds that stand on bytegate's executor; others ignore them.\n";
  return text + constant("SEED", std::to_string(c.seed)) +
         constant("ARCH", std::to_string(plan.arch));
}

std::string_view fault_name(CallFaultKind kind) {
  switch (kind) {
    case CallFaultKind::kNull:
      return "null";
    case CallFaultKind::kOverlap:
      return "overlap";
    case CallFaultKind::kShortWorkspace:
      break;
  }
  return "short_workspace";
}

std::string arguments(const CasePlan& plan) {
  const Case& c = plan.c;
  std::string text = "SCALARS = [";
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    text += "(" + quoted_text(std::string(c.op->scalars[i].name)) + ", " +
            std::to_string(c.scalars[i]) + "), ";
  }
  text +=
      "]\n# name, output, present, bits, shape, strides, part that is written, skew\nTENSORS = [\n";
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const Tensor& tensor = c.tensors[i];
    const bool output = c.op->tensors[i].role == Role::kOutput;
    const Dims written =
        output && tensor.present ? written_shape(c, static_cast<int>(i)) : tensor.shape;
    text += "    (" + quoted_text(std::string(c.op->tensors[i].name)) + ", " + flag(output) + ", " +
            flag(tensor.present) + ", " + std::to_string(8 * dtype_bytes(tensor.dtype)) + ", " +
            to_string(tensor.shape) + ", " + to_string(tensor.strides) + ", " + to_string(written) +
            ", " + std::to_string(plan.skews[i]) + "),\n";
  }
  text += "]\n# kind, tensor, other tensor\nCALL_FAULTS = [";
  for (const CallFault& fault : c.call_faults) {
    text += "(" + quoted_text(std::string(fault_name(fault.kind))) + ", " +
            std::to_string(fault.tensor) + ", " + std::to_string(fault.other) + "), ";
  }
  text += "]\n# step, and whether it finds what the launch before it has left\nLAUNCHES = [";
  for (const PlannedLaunch& launch : plan.launches) {
    text += "(" + std::to_string(launch.step) + ", " + flag(launch.stale) + "), ";
  }
  return text + "]\n";
}

std::string values(const CasePlan& plan) {
  std::string text =
      "# step, tensor, pattern (seed, lowest, highest), runs (begin, count, value, step)\n"
      "VALUES = [\n";
  for (const PlannedValues& one : plan.values) {
    text += "    # " + std::string(plan.c.op->tensors[static_cast<size_t>(one.tensor)].name) +
            "\n    (" + std::to_string(one.step) + ", " + std::to_string(one.tensor) + ", ";
    if (one.pattern) {
      text += "(" + std::to_string(one.pattern->seed) + ", " + std::to_string(one.pattern->low) +
              ", " + std::to_string(one.pattern->high) + ")";
    } else {
      text += "None";
    }
    text += ", [";
    for (const ValueRun& run : one.runs) {
      text += "\n        (" + std::to_string(run.begin) + ", " + std::to_string(run.count) + ", " +
              std::to_string(run.value) + ", " + std::to_string(run.step) + "),";
    }
    text += "]),\n";
  }
  return text + "]\n";
}

}  // namespace

std::vector<std::string> python_notes(const CasePlan& plan) {
  std::vector<std::string> notes = plan.notes;
  if (plan.backend == BackendKind::kHost) {
    notes.push_back(
        "In Python no buffer stands at an unmapped page: a store beside one is seen by red zones, "
        "a load is not.");
  }
  return notes;
}

std::string python_reproducer(const CasePlan& plan) {
  namespace part = reproducer_template;
  std::string text;
  for (const std::string& line :
       reproducer_heading(plan, "  python3 reproducer.py LIBRARY.so", python_notes(plan))) {
    text += line.empty() ? "#\n" : "# " + line + "\n";
  }
  text += switches(plan) + arguments(plan) + values(plan);
  text += part::call_py;
  text += part::checks_py;
  return text;
}

}  // namespace bytegate
