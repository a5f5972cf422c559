// The description of an operation: named scalars, dimensions and tensors, what is valid, and the
// oracle. Everything generic (case text, buffers, guards, poison, compare, shrinking, command line)
// works from this list alone, so a new operation changes none of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/elements.h"

namespace bytegate {

struct Case;

enum class Role : uint8_t { kInput, kOutput };
enum class Presence : uint8_t { kRequired, kOptional, kAbsent };

struct ScalarSpec {
  std::string_view name;
  int64_t min = 0;  // inclusive
  int64_t max = 0;  // inclusive
  // What shrinking moves towards.
  int64_t simplest = 0;
  // Names of the values min, min + 1, ... where a value is a choice (a contract variant); else
  // empty.
  std::vector<std::string_view> symbols = {};
};

// A free dimension: not computed from anything, so that rows of it can be removed.
struct DimSpec {
  std::string_view name;
  int64_t min = 0;
  int64_t max = INT32_MAX;
};

// One axis of a tensor: a free dimension, or a function of the case.
struct Extent {
  int dim = -1;  // index into Op::dims, or -1
  // Used when dim is -1. Must take any scalars: a case that is to be refused may hold any.
  int64_t (*compute)(const Case&) = nullptr;
};

struct TensorSpec {
  std::string_view name;
  Role role = Role::kInput;
  std::vector<DType> dtypes = {DType::kInt32};
  std::vector<Extent> shape;
  // Which axes may have a stride of the caller's choice; the others are row-major without gaps
  // below them. Empty: none.
  std::vector<bool> strided = {};
  // Range that the contract allows an input's elements to have, and the value shrinking prefers.
  int64_t min_value = INT64_MIN;
  int64_t max_value = INT64_MAX;
  int64_t simplest = 0;
  // Absent: required.
  Presence (*presence)(const Case&) = nullptr;
  // Outputs only: how many columns of the last axis belong to the output; what lies beyond them
  // must keep its bytes. Taken as no more than there are. Absent: all do.
  int64_t (*columns_written)(const Case&) = nullptr;
  // Outputs only: sets to 0 what the contract leaves open among the elements of written_shape(),
  // in row-major order; `stated` arrives as all ones. Absent: every one is stated.
  void (*mask)(const Case&, std::span<uint8_t> stated) = nullptr;
};

// Output values by tensor index; entries of inputs and of absent tensors stay empty.
using Outputs = std::vector<Elements>;

struct Op {
  std::string_view name;
  std::string_view summary;
  std::vector<ScalarSpec> scalars;
  std::vector<DimSpec> dims;
  std::vector<TensorSpec> tensors;
  // Names of the dispatch paths of the production implementation, in ascending size.
  std::vector<std::string_view> paths;
  // Relations beyond the ranges above that the host can see in a call; called only for a case that
  // is in range, and must look at no element.
  std::optional<std::string> (*validate)(const Case&) = nullptr;
  // Relations of the elements, which no host can check; called for the inputs of each step, once
  // `validate` is content.
  std::optional<std::string> (*validate_data)(const Case&) = nullptr;
  // Makes true again what follows from something else (a sum of elements that is also a scalar).
  // Shrinking calls it on every changed case before asking whether it is valid.
  void (*settle)(Case&) = nullptr;
  // Fills the outputs of a valid case; `outputs` arrives zeroed, in the sizes of written_shape().
  void (*oracle)(const Case&, Outputs&) = nullptr;

  [[nodiscard]] int scalar_index(std::string_view scalar) const;  // -1: no such name
  [[nodiscard]] int tensor_index(std::string_view tensor) const;  // -1: no such name
  [[nodiscard]] int dim_index(std::string_view dim) const;        // -1: no such name
};

// The operations that a reader of case files knows, found by name.
using OpTable = std::span<const Op* const>;
const Op* find_op(OpTable ops, std::string_view name);

Presence presence_of(const TensorSpec& spec, const Case& c);

}  // namespace bytegate
