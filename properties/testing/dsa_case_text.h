// A case of a DSA operation and what is wrong with it, in one line each, for tests that state both.
#pragma once

#include <string>

#include "oracles/case.h"
#include "properties/verdict.h"

namespace bytegate {

// Three or more of a kind are counted: "0 x2048 1".
inline std::string values_text(const Elements& values) {
  std::string text;
  for (int64_t i = 0, end = 0; i < values.size(); i = end) {
    while (end < values.size() && values.at(end) == values.at(i)) ++end;
    text += (i > 0 ? " " : "") + std::to_string(values.at(i));
    if (end - i == 2) text += " " + std::to_string(values.at(i));
    if (end - i > 2) text += " x" + std::to_string(end - i);
  }
  return text;
}

// Later steps, by what changes there.
inline std::string steps_text(const Case& c) {
  std::string text;
  for (size_t i = 0; i < c.later_steps.size(); ++i) {
    const Case before = at_step(c, i);
    std::string changes;
    for (const Step::Change& change : c.later_steps[i].changes) {
      const size_t tensor = static_cast<size_t>(change.tensor);
      if (change.elements == before.tensors[tensor].elements) continue;
      changes += (changes.empty() ? "" : " and ") + std::string(c.op->tensors[tensor].name) +
                 " = " + values_text(change.elements);
    }
    text += ", then " + (changes.empty() ? "the same" : changes);
  }
  return text;
}

inline std::string tensor_text(const TensorSpec& spec, const Tensor& tensor) {
  const Elements& values = tensor.elements;
  std::string text;
  if (!is_compact(tensor)) text += " stride " + to_string(tensor.strides);
  if (tensor.present && tensor.dtype != spec.dtypes.front()) text += " int64";
  for (int64_t i = 0; i < values.size(); ++i) {
    if (values.at(i) == spec.simplest) continue;
    text += " = " + values_text(values);
    break;
  }
  return text.empty() ? "" : ", " + std::string(spec.name) + text;
}

// What differs from the simplest case of its operation.
inline std::string text_of(const Case& c) {
  const Op& op = *c.op;
  std::string text;
  for (size_t i = 0; i < op.dims.size(); ++i) {
    if (c.dims[i] == op.dims[i].min) continue;
    text += ", " + std::string(op.dims[i].name) + " " + std::to_string(c.dims[i]);
  }
  for (size_t i = 0; i < op.scalars.size(); ++i) {
    const ScalarSpec& spec = op.scalars[i];
    if (c.scalars[i] == spec.simplest) continue;
    const std::string value = spec.symbols.empty()
                                  ? std::to_string(c.scalars[i])
                                  : std::string(spec.symbols[static_cast<size_t>(c.scalars[i])]);
    text += ", " + std::string(spec.name) + " " + value;
  }
  for (size_t i = 0; i < op.tensors.size(); ++i) text += tensor_text(op.tensors[i], c.tensors[i]);
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    if (presence_of(op.tensors[i], c) != Presence::kOptional || !c.tensors[i].present) continue;
    text += ", with " + std::string(op.tensors[i].name);
  }
  if (c.mode != Mode::kPlain) text += ", graph";
  if (c.seed != 0) text += ", seed " + std::to_string(c.seed);
  if (!c.forced_path.empty()) text += ", path " + c.forced_path;
  text += steps_text(c);
  return text.empty() ? text : text.substr(2);
}

// Where the first wrong element is and what is there; poison differs from build to build.
inline std::string found_text(const Verdict& verdict) {
  if (!verdict.difference) {
    const size_t at = verdict.message.rfind("byte ");
    return at == std::string::npos ? verdict.message : verdict.message.substr(at);
  }
  const Difference& difference = *verdict.difference;
  const std::string actual =
      verdict.kind == VerdictKind::kUnwritten ? "not written" : "actual " + difference.actual;
  return difference.field + difference.index + ": expect " + difference.expect + ", " + actual;
}

}  // namespace bytegate
