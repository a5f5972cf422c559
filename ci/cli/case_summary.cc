#include "ci/cli/case_summary.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzz/corpus/files.h"
#include "properties/op_properties.h"

namespace bytegate::cli {
namespace {

constexpr int64_t kMaxListed = 12;
constexpr int64_t kMaxRows = 24;
constexpr size_t kMaxSteps = 4;

std::string scalar_text(const ScalarSpec& spec, int64_t value) {
  const int64_t symbol = value - spec.min;
  if (symbol >= 0 && symbol < static_cast<int64_t>(spec.symbols.size())) {
    return std::string(spec.symbols[static_cast<size_t>(symbol)]);
  }
  return std::to_string(value);
}

// Values of which a contract may leave some open; those are shown as *.
struct Shown {
  const Elements& elements;
  std::vector<uint8_t> stated = {};  // empty: every one

  [[nodiscard]] std::string at(int64_t idx) const {
    const bool open = !stated.empty() && stated[static_cast<size_t>(idx)] == 0;
    return open ? "*" : std::to_string(elements.at(idx));
  }
};

std::string values_text(const Shown& values, int64_t first, int64_t count) {
  std::string text = "[";
  for (int64_t i = 0; i < std::min(count, kMaxListed); ++i) {
    text += (i > 0 ? ", " : "") + values.at(first + i);
  }
  if (count > kMaxListed) text += ", .. " + with_commas(count) + " in all";
  return text + "]";
}

// Rows of the last axis, one a line.
std::string rows_text(const Dims& shape, const Shown& values) {
  const int64_t width = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  const int64_t size = values.elements.size();
  const int64_t num_rows = width == 0 ? 0 : size / width;
  if (shape.rank() < 2) return "    " + values_text(values, 0, size) + "\n";
  std::string text;
  for (int64_t row = 0; row < std::min(num_rows, kMaxRows); ++row) {
    text +=
        "    row " + std::to_string(row) + ": " + values_text(values, row * width, width) + "\n";
  }
  if (num_rows > kMaxRows) text += "    .. " + with_commas(num_rows) + " rows in all\n";
  return text;
}

std::string layout_text(const Tensor& tensor) {
  std::string text = std::string(dtype_name(tensor.dtype)) + " " + to_string(tensor.shape);
  if (!is_compact(tensor)) text += ", strides " + to_string(tensor.strides);
  return text;
}

std::string output_text(const Case& c, size_t tensor, const Elements& expect) {
  const TensorSpec& spec = c.op->tensors[tensor];
  const Dims written = written_shape(c, static_cast<int>(tensor));
  Shown values = {.elements = expect};
  if (spec.mask != nullptr) {
    values.stated.assign(static_cast<size_t>(expect.size()), 1);
    spec.mask(c, values.stated);
  }
  std::string text = std::string(spec.name) + ": " + layout_text(c.tensors[tensor]);
  if (spec.columns_written != nullptr) {
    text += ", columns written " + std::to_string(written[written.rank() - 1]);
  }
  return text + "\n" + rows_text(written, values);
}

// What a launch is to write: each output, and the operation's own picture of them.
std::string step_text(const Case& c, size_t step_idx) {
  const Case step = at_step(c, step_idx);
  std::string text;
  if (!c.later_steps.empty()) {
    text += "  step     " + std::to_string(step_idx) + "\n";
  }
  if (step_idx > 0) {
    for (const Step::Change& change : c.later_steps[step_idx - 1].changes) {
      const size_t tensor = static_cast<size_t>(change.tensor);
      text += "  changed  " + std::string(c.op->tensors[tensor].name) + "\n" +
              rows_text(c.tensors[tensor].shape, {change.elements});
    }
  }
  const Outputs outputs = expected_outputs(step);
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kOutput || !c.tensors[i].present) continue;
    text += "  expect   " + output_text(step, i, outputs[i]);
  }
  const OpProperties* properties = find_properties(all_properties(), *c.op);
  if (properties == nullptr || properties->picture == nullptr) return text;
  return text + properties->picture(step, outputs);
}

std::string fault_text(const Case& c, const CallFault& fault) {
  const auto name = [&](int tensor) {
    return std::string(c.op->tensors[static_cast<size_t>(tensor)].name);
  };
  if (fault.kind == CallFaultKind::kShortWorkspace) return "the workspace is one byte short";
  if (fault.kind == CallFaultKind::kNull) return name(fault.tensor) + " is null";
  return name(fault.tensor) + " is at the address of " + name(fault.other);
}

const char* expectation(Expect expect) {
  if (expect == Expect::kBytes) return "these bytes";
  return expect == Expect::kRefused ? "to be refused" : "to be survived";
}

}  // namespace

std::string with_commas(int64_t number) {
  std::string text = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t place = text.size(); place > first + 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string summary_of(const Case& c) {
  std::string text;
  for (size_t i = 0; i < c.dims.size(); ++i) {
    text += std::string(c.op->dims[i].name) + "=" + std::to_string(c.dims[i]) + " ";
  }
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    const ScalarSpec& spec = c.op->scalars[i];
    text += std::string(spec.name) + "=" + scalar_text(spec, c.scalars[i]) + " ";
  }
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kInput || !c.tensors[i].present) continue;
    const Elements& elements = c.tensors[i].elements;
    text += std::string(c.op->tensors[i].name) + "=" + values_text({elements}, 0, elements.size()) +
            " ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::string description_of(const Case& c) {
  std::string text = std::string(c.op->name) + ", expects " + expectation(c.expect) + "\n";
  if (!c.origin.empty()) text += "  origin   " + c.origin + "\n";
  if (!c.note.empty()) text += "  note     " + c.note + "\n";
  text += "  launch   " + std::string(mode_name(c.mode)) + " on " +
          std::string(backend_name(c.backend)) + ", " +
          (c.forced_path.empty() ? "any path" : "path " + c.forced_path) + ", order seed " +
          std::to_string(c.seed) + "\n";
  for (size_t i = 0; i < c.dims.size(); ++i) {
    text +=
        "  dim      " + std::string(c.op->dims[i].name) + " = " + std::to_string(c.dims[i]) + "\n";
  }
  for (size_t i = 0; i < c.scalars.size(); ++i) {
    const ScalarSpec& spec = c.op->scalars[i];
    text += "  scalar   " + std::string(spec.name) + " = " + scalar_text(spec, c.scalars[i]) + "\n";
  }
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (c.op->tensors[i].role != Role::kInput) continue;
    text += "  input    " + std::string(c.op->tensors[i].name) + ": ";
    if (!c.tensors[i].present) {
      text += "left out\n";
      continue;
    }
    text +=
        layout_text(c.tensors[i]) + "\n" + rows_text(c.tensors[i].shape, {c.tensors[i].elements});
  }
  if (!c.later_steps.empty()) {
    text += "  steps    " + std::to_string(c.later_steps.size() + 1) + "\n";
  }
  if (takes_gigabytes(c)) return text + "  what it expects is left out: it takes gigabytes\n";
  for (const CallFault& fault : c.call_faults) text += "  fault    " + fault_text(c, fault) + "\n";
  if (invalid_reason(c)) return text + "  outside the contract: " + *invalid_reason(c) + "\n";
  for (size_t step_idx = 0; step_idx <= c.later_steps.size(); ++step_idx) {
    if (step_idx == kMaxSteps) {
      return text + "  .. " + with_commas(static_cast<int64_t>(c.later_steps.size() + 1)) +
             " steps in all\n";
    }
    text += step_text(c, step_idx);
  }
  return text;
}

}  // namespace bytegate::cli
