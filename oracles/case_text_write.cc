#include <array>

#include "oracles/case_text.h"
#include "oracles/case_text_values.h"
#include "oracles/text_cursor.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

enum class Remarks : uint8_t { kWrite, kOmit };  // `origin` and `note`

void write_field(std::string& text, std::string_view keyword, std::string_view value) {
  text += keyword;
  text += ' ';
  text += value;
  text += '\n';
}

std::string scalar_text(const ScalarSpec& spec, int64_t value) {
  const bool is_named = value >= spec.min && value <= spec.max &&
                        static_cast<uint64_t>(value) - spec.min < spec.symbols.size();
  return is_named ? std::string(spec.symbols[static_cast<size_t>(value - spec.min)])
                  : std::to_string(value);
}

void write_fault(std::string& text, const Op& op, const CallFault& fault) {
  const auto name = [&](int tensor) {
    return std::string(op.tensors[static_cast<size_t>(tensor)].name);
  };
  switch (fault.kind) {
    case CallFaultKind::kNull:
      write_field(text, "fault", "null " + name(fault.tensor));
      return;
    case CallFaultKind::kOverlap:
      write_field(text, "fault", "overlap " + name(fault.tensor) + " " + name(fault.other));
      return;
    case CallFaultKind::kShortWorkspace:
      write_field(text, "fault", "short_workspace");
      return;
  }
}

// What has a default is written only when it differs from it.
void write_launch(std::string& text, const Case& c, Remarks remarks) {
  if (c.expect != Expect::kBytes) write_field(text, "expect", expect_name(c.expect));
  if (c.mode != Mode::kPlain) write_field(text, "mode", mode_name(c.mode));
  if (c.backend != BackendKind::kAny) write_field(text, "backend", backend_name(c.backend));
  if (!c.forced_path.empty()) write_field(text, "path", escape_text(c.forced_path));
  if (c.seed != 0) write_field(text, "seed", std::to_string(c.seed));
  for (const CallFault& fault : c.call_faults) write_fault(text, *c.op, fault);
  if (remarks == Remarks::kOmit) return;
  if (!c.origin.empty()) write_field(text, "origin", escape_text(c.origin));
  if (!c.note.empty()) write_field(text, "note", escape_text(c.note));
}

void write_tensor(std::string& text, const TensorSpec& spec, const Tensor& tensor) {
  text += "tensor ";
  text += spec.name;
  if (!tensor.present) {
    text += " absent\n";
    return;
  }
  text += ' ';
  text += dtype_name(tensor.dtype);
  text += ' ';
  text += to_string(tensor.shape);
  if (!is_compact(tensor)) text += " stride " + to_string(tensor.strides);
  if (spec.role == Role::kInput) {
    text += " =";
    write_values(text, tensor.elements, tensor.pattern);
  }
  text += '\n';
}

void write_step(std::string& text, const Op& op, const Step& step) {
  text += "step\n";
  for (const Step::Change& change : step.changes) {
    text += "tensor ";
    text += op.tensors[static_cast<size_t>(change.tensor)].name;
    text += " =";
    write_values(text, change.elements, std::nullopt);
    text += '\n';
  }
}

std::string write_text(const Case& c, Remarks remarks) {
  const Op& op = *c.op;
  std::string text;
  write_field(text, "bytegate-case", std::to_string(kCaseFormatVersion));
  write_field(text, "op", op.name);
  write_launch(text, c, remarks);
  for (size_t i = 0; i < op.scalars.size(); ++i) {
    write_field(text, "scalar",
                std::string(op.scalars[i].name) + " " + scalar_text(op.scalars[i], c.scalars[i]));
  }
  for (size_t i = 0; i < op.dims.size(); ++i) {
    write_field(text, "dim", std::string(op.dims[i].name) + " " + std::to_string(c.dims[i]));
  }
  for (size_t i = 0; i < op.tensors.size(); ++i) write_tensor(text, op.tensors[i], c.tensors[i]);
  for (const Step& step : c.later_steps) write_step(text, op, step);
  text += "end\n";
  return text;
}

}  // namespace

std::string write_case(const Case& c) {
  return write_text(c, Remarks::kWrite);
}

std::string case_digest(const Case& c) {
  return text_digest(write_text(c, Remarks::kOmit));
}

std::string to_string(const ParseError& error) {
  return "line " + std::to_string(error.line) + ": " + error.field + ": " + error.message;
}

}  // namespace bytegate
