// Along which axes the classes of the DSA metadata operations exclude each other, and which of
// their products a gate promises.
#pragma once

#include <string_view>
#include <vector>

#include "properties/class_axis.h"
#include "properties/dsa_facts.h"

namespace bytegate {

// The first of dsa_classes() of an op, axis by axis.
std::vector<std::string_view> dsa_axis_classes(const Op& op);
std::vector<ClassAxis> dsa_axes(const Op& op);
// Each with `possible`, which asks dsa_cell_is_possible() for this op.
std::vector<ClassProduct> dsa_products(const Op& op, bool (*possible)(int, int));
// One of dsa_axis_classes() for each of dsa_axes(), as indices.
std::vector<int> classify_dsa_axes(const DsaFacts& facts);
// Whether a valid case of the op can belong to both of two classes.
bool dsa_cell_is_possible(const Op& op, int first_class, int second_class);

}  // namespace bytegate
