// The ways to make a case simpler, from the op's description alone. Each returns a well-formed case
// or nothing; whether it is valid and still fails is for the search to find out.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/case.h"

namespace bytegate {

// Removes `count` rows from `first` on along a free dimension, from every tensor that has it.
std::optional<Case> cut_dim(const Case& c, int dim, int64_t first, int64_t count);

// Sets a scalar; tensors whose shape follows from it keep the elements that both shapes have.
std::optional<Case> set_scalar(const Case& c, int scalar, int64_t value);

// Sets `count` elements of an input from `first` on to `transform(element)`.
std::optional<Case> change_elements(const Case& c, int tensor, int64_t first, int64_t count,
                                    int64_t (*transform)(int64_t value, int64_t simplest,
                                                         int shift),
                                    int shift);

std::optional<Case> make_compact(const Case& c, int tensor);
// Gives a tensor the first dtype of its spec, when all its values have a place there.
std::optional<Case> narrow_dtype(const Case& c, int tensor);
std::optional<Case> leave_out(const Case& c, int tensor);
std::optional<Case> drop_steps(const Case& c, size_t first, size_t count);
// Begins with the inputs of a later step.
std::optional<Case> begin_with_step(const Case& c, size_t step);
// Plain mode, natural order, no forced path, any backend: each by itself.
std::optional<Case> plain_mode(const Case& c);
std::optional<Case> natural_order(const Case& c);
std::optional<Case> unforced_path(const Case& c);

}  // namespace bytegate
