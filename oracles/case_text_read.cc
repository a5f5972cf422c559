#include "oracles/case_text.h"
#include "oracles/case_text_reader.h"

namespace bytegate {
namespace {

template <typename Specs>
std::string names_of(const Specs& specs) {
  std::string names;
  for (const auto& spec : specs) {
    if (!names.empty()) names += ", ";
    names += spec.name;
  }
  return names.empty() ? "none" : names;
}

// The value among `values` whose name is `word`.
template <typename Value, size_t kCount>
std::optional<Value> find_named(std::string_view word, const Value (&values)[kCount],
                                std::string_view (*name)(Value)) {
  for (const Value value : values) {
    if (name(value) == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::span<const CaseReader::Field> CaseReader::fields() {
  static constexpr Field kFields[] = {
      {.keyword = "op", .read = &CaseReader::read_op, .repeatable = false},
      {.keyword = "expect", .read = &CaseReader::read_expect, .repeatable = false},
      {.keyword = "mode", .read = &CaseReader::read_mode, .repeatable = false},
      {.keyword = "backend", .read = &CaseReader::read_backend, .repeatable = false},
      {.keyword = "path", .read = &CaseReader::read_path, .repeatable = false},
      {.keyword = "seed", .read = &CaseReader::read_seed, .repeatable = false},
      {.keyword = "fault", .read = &CaseReader::read_fault, .repeatable = true},
      {.keyword = "origin", .read = &CaseReader::read_origin, .repeatable = false},
      {.keyword = "note", .read = &CaseReader::read_note, .repeatable = false},
      {.keyword = "scalar", .read = &CaseReader::read_scalar, .repeatable = true},
      {.keyword = "dim", .read = &CaseReader::read_dim, .repeatable = true},
      {.keyword = "tensor", .read = &CaseReader::read_tensor, .repeatable = true},
      {.keyword = "step", .read = &CaseReader::read_step, .repeatable = true},
  };
  static_assert(std::size(kFields) == kMaxFields);
  return kFields;
}

std::optional<ParseError> CaseReader::read() {
  if (auto error = read_first_line()) return error;
  bool ended = false;
  while (!ended) {
    const std::optional<Line> line = lines_.next();
    line_ = lines_.number();
    if (!line) return fail("end", "missing: the file is cut short");
    Words words(line->text);
    ended = !line->indented && words.next() == "end";
    if (auto error = ended ? expect_line_end(words, "end") : read_line(*line)) return error;
  }
  if (case_.op == nullptr) return fail("op", "missing");
  if (auto error = check_complete()) return error;
  if (auto error = read_after_end()) return error;
  return check_contract();
}

CaseReader::Error CaseReader::read_first_line() {
  const std::optional<Line> line = lines_.next();
  line_ = 1;
  Words words(line && line->number == 1 ? line->text : std::string_view());
  if (words.next() != "bytegate-case") {
    return fail("bytegate-case", "not a case file: its first line is no `bytegate-case VERSION`");
  }
  const std::string_view version = words.next();
  if (parse_int64(version) == kCaseFormatVersion) return expect_line_end(words, "bytegate-case");
  return fail("bytegate-case", "the file is of version " + quoted(version) +
                                   "; this program reads version " +
                                   std::to_string(kCaseFormatVersion));
}

CaseReader::Error CaseReader::read_line(const Line& line) {
  Words words(line.text);
  const std::string_view keyword = words.next();
  if (line.indented) {
    return fail(quoted(keyword), "an indented line continues values, but none come before it");
  }
  for (size_t i = 0; i < fields().size(); ++i) {
    const Field& field = fields()[i];
    if (field.keyword != keyword) continue;
    if (case_.op == nullptr && field.read != &CaseReader::read_op) {
      return fail(keyword, "comes before `op`");
    }
    if (!case_.later_steps.empty() && keyword != "tensor" && keyword != "step") {
      return fail(keyword, "comes after a `step`, which holds tensors only");
    }
    if (!field.repeatable && field_lines_[i] != 0) {
      return fail(keyword, "duplicated; first in line " + std::to_string(field_lines_[i]));
    }
    field_lines_[i] = line_;
    return (this->*field.read)(words);
  }
  return fail(quoted(keyword), "unknown field");
}

CaseReader::Error CaseReader::read_after_end() {
  const std::optional<Line> line = lines_.next();
  if (!line) return std::nullopt;
  line_ = line->number;
  return fail(quoted(Words(line->text).next()), "comes after `end`");
}

CaseReader::Error CaseReader::expect_line_end(Words& words, std::string_view field) const {
  const std::string_view rest = words.take_rest();
  if (rest.empty()) return std::nullopt;
  return fail(field, "unexpected " + quoted(rest) + " at the end of the line");
}

CaseReader::Error CaseReader::read_op(Words& words) {
  const std::string_view name = words.next();
  case_.op = find_op(ops_, name);
  if (case_.op == nullptr) {
    std::string known;
    for (const Op* op : ops_) known += (known.empty() ? "" : ", ") + std::string(op->name);
    return fail("op", "unknown operation " + quoted(name) + "; known: " + known);
  }
  case_.scalars.resize(case_.op->scalars.size());
  case_.dims.resize(case_.op->dims.size());
  case_.tensors.resize(case_.op->tensors.size());
  scalar_lines_.resize(case_.scalars.size());
  dim_lines_.resize(case_.dims.size());
  tensor_lines_.resize(case_.tensors.size());
  return expect_line_end(words, "op");
}

CaseReader::Error CaseReader::read_expect(Words& words) {
  const std::string_view word = words.next();
  const auto value =
      find_named(word, {Expect::kBytes, Expect::kRefused, Expect::kSurvived}, expect_name);
  if (!value) return fail("expect", quoted(word) + " is none of bytes, refused, survived");
  case_.expect = *value;
  return expect_line_end(words, "expect");
}

CaseReader::Error CaseReader::read_mode(Words& words) {
  const std::string_view word = words.next();
  for (const ModeSpec& spec : kModes) {
    if (spec.name != word) continue;
    case_.mode = spec.mode;
    return expect_line_end(words, "mode");
  }
  std::string names;
  for (const ModeSpec& spec : kModes) names += (names.empty() ? "" : ", ") + std::string(spec.name);
  return fail("mode", quoted(word) + " is none of " + names);
}

CaseReader::Error CaseReader::read_backend(Words& words) {
  const std::string_view word = words.next();
  const auto value =
      find_named(word, {BackendKind::kAny, BackendKind::kHost, BackendKind::kCuda}, backend_name);
  if (!value) return fail("backend", quoted(word) + " is none of any, host, cuda");
  case_.backend = *value;
  return expect_line_end(words, "backend");
}

CaseReader::Error CaseReader::read_text(Words& words, std::string_view keyword, std::string& text) {
  const std::string_view raw = words.take_rest();
  if (raw.empty()) return fail(keyword, "has no text");
  std::optional<std::string> plain = unescape_text(raw);
  if (!plain) return fail(keyword, "a backslash is written \\\\, another byte \\xHH");
  text = std::move(*plain);
  return std::nullopt;
}

CaseReader::Error CaseReader::read_path(Words& words) {
  return read_text(words, "path", case_.forced_path);
}
CaseReader::Error CaseReader::read_origin(Words& words) {
  return read_text(words, "origin", case_.origin);
}
CaseReader::Error CaseReader::read_note(Words& words) {
  return read_text(words, "note", case_.note);
}

CaseReader::Error CaseReader::read_seed(Words& words) {
  const std::string_view word = words.next();
  const std::optional<uint64_t> seed = parse_uint64(word);
  if (!seed) return fail("seed", quoted(word) + " is outside 0 .. 18446744073709551615");
  case_.seed = *seed;
  return expect_line_end(words, "seed");
}

CaseReader::Error CaseReader::read_fault_tensor(Words& words, int& tensor) {
  const std::string_view name = words.next();
  tensor = case_.op->tensor_index(name);
  if (tensor >= 0) return std::nullopt;
  return fail("fault",
              "unknown tensor " + quoted(name) + "; known: " + names_of(case_.op->tensors));
}

CaseReader::Error CaseReader::read_fault(Words& words) {
  if (fault_line_ == 0) fault_line_ = line_;
  const std::string_view kind = words.next();
  CallFault fault;
  if (kind == "null") {
    if (auto error = read_fault_tensor(words, fault.tensor)) return error;
  } else if (kind == "overlap") {
    fault.kind = CallFaultKind::kOverlap;
    if (auto error = read_fault_tensor(words, fault.tensor)) return error;
    if (auto error = read_fault_tensor(words, fault.other)) return error;
  } else if (kind == "short_workspace") {
    fault.kind = CallFaultKind::kShortWorkspace;
  } else {
    return fail("fault", quoted(kind) + " is none of null, overlap, short_workspace");
  }
  case_.call_faults.push_back(fault);
  return expect_line_end(words, "fault");
}

CaseReader::Error CaseReader::read_scalar(Words& words) {
  const std::string_view name = words.next();
  const int idx = case_.op->scalar_index(name);
  if (idx < 0) {
    return fail(quoted(name), "unknown scalar; known: " + names_of(case_.op->scalars));
  }
  const auto at = static_cast<size_t>(idx);
  if (scalar_lines_[at] != 0) {
    return fail(name, "duplicated; first in line " + std::to_string(scalar_lines_[at]));
  }
  scalar_lines_[at] = line_;
  const ScalarSpec& spec = case_.op->scalars[at];
  const std::string_view word = words.next();
  std::optional<int64_t> value = parse_int64(word);
  std::string symbols;
  for (size_t i = 0; i < spec.symbols.size(); ++i) {
    if (spec.symbols[i] == word) value = spec.min + static_cast<int64_t>(i);
    symbols += std::string(i == 0 ? ", and none of " : ", ") + std::string(spec.symbols[i]);
  }
  if (!value) return fail(name, quoted(word) + " is no 64-bit integer" + symbols);
  case_.scalars[at] = *value;
  return expect_line_end(words, name);
}

CaseReader::Error CaseReader::read_dim(Words& words) {
  const std::string_view name = words.next();
  const int idx = case_.op->dim_index(name);
  if (idx < 0) {
    return fail(quoted(name), "unknown dimension; known: " + names_of(case_.op->dims));
  }
  const auto at = static_cast<size_t>(idx);
  if (dim_lines_[at] != 0) {
    return fail(name, "duplicated; first in line " + std::to_string(dim_lines_[at]));
  }
  dim_lines_[at] = line_;
  const std::string_view word = words.next();
  const std::optional<int64_t> value = parse_int64(word);
  if (!value) return fail(name, quoted(word) + " is no 64-bit integer");
  case_.dims[at] = *value;
  return expect_line_end(words, name);
}

ParseResult read_case(std::string_view text, OpTable ops, int64_t max_elements) {
  CaseReader reader(text, ops, max_elements);
  ParseResult result;
  if (auto error = reader.read()) {
    result.error = std::move(*error);
  } else {
    result.value = reader.take();
  }
  return result;
}

}  // namespace bytegate
