// The case file format, version 1: see corpus/FORMAT.md, which is frozen. It holds everything a
// case holds and knows no operation: names, shapes and limits come from the description of the op.
//
// Reading back what was written gives an equal case, provided that the case is well formed and in
// normal form: absent tensors are as make_case() leaves them (they have no dtype, layout or values
// of their own), outputs hold no elements, a step changes a tensor at most once, and a pattern
// describes at least 7/8 of the elements (else the values are kept and the pattern is dropped).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "oracles/case.h"

namespace bytegate {

constexpr int64_t kCaseFormatVersion = 1;
// Limits of a case file; what exceeds them is refused before it is allocated.
constexpr size_t kMaxCaseFileBytes = size_t{64} << 20;
// Elements of all inputs and steps together, a GiB at most; reading allocates them. The outputs are
// allocated by whoever runs the case, and may be larger. Those of a case that is to be refused do
// not count: nobody allocates them, and the size may be what is to be refused.
constexpr int64_t kMaxCaseElements = int64_t{1} << 27;
constexpr int64_t kOutputsPerElement = 32;
constexpr int64_t kMaxCaseSteps = int64_t{1} << 16;

struct ParseError {
  int64_t line = 0;     // from 1
  std::string field;    // the name in the file: a keyword, or a scalar, dimension or tensor
  std::string message;  // what is wrong with it

  friend bool operator==(const ParseError&, const ParseError&) = default;
};
// "line 7: num_sm: duplicated"
std::string to_string(const ParseError& error);

struct ParseResult {
  std::optional<Case> value;
  ParseError error;  // stated when there is no value
};

// Reads a case of one of `ops`, whose descriptions must outlive it. Any bytes are taken. A case
// that expects bytes must be valid, one that expects to be refused must be well formed. Time and
// memory are linear in the text plus the elements, of which there may be `max_elements`. Outputs
// hold none yet; those of a case that expects bytes may have kOutputsPerElement times as many.
ParseResult read_case(std::string_view text, OpTable ops, int64_t max_elements = kMaxCaseElements);

std::string write_case(const Case& c);

// 16 hexadecimal digits, the same for cases that differ in `origin` and `note` only.
std::string case_digest(const Case& c);

struct LoadResult {
  std::optional<Case> value;
  std::string error;  // names the path, and the line when there is one
};
LoadResult load_case(const std::string& path, OpTable ops);

// Writes durably (see durable_file.h) and only what load_case would accept. Returns what went
// wrong.
std::optional<std::string> save_case(const std::string& path, const Case& c);

}  // namespace bytegate
