// How large a case is, and how it is made small enough for thousands of runs a second.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/guided/case_bytes.h"
#include "oracles/case.h"

namespace bytegate {

// Elements of all present inputs and of all present outputs by the description alone, whatever the
// tensors themselves say; an axis of none counts as one. Saturated at 2^62.
struct CaseSize {
  int64_t inputs = 0;
  int64_t outputs = 0;
};
CaseSize size_of(const Case& c);
bool fits(const CaseSize& size, const CaseBytesLimits& limits);
// Of inputs and outputs in all steps: about what a run of it takes. Saturated, too.
int64_t cost_of(const Case& c);

// Of each dimension the output whose last axis it is and which says how much of that axis it needs:
// nothing else wants the dimension to be larger. -1: it is not of that kind.
std::vector<int> outputs_that_need(const Op& op);

// Sets the dimensions above to what is needed and `spare[dim]` more, if that is not negative.
void widen_dims(Case& c, const std::vector<int>& needed_by, const std::vector<int64_t>& spare);

// Moves scalars and dimensions halfway to their simplest values, whichever brings most, until the
// case fits. Tensors are left to fit_tensors().
void shrink_to_limits(Case& c, const std::vector<int>& needed_by, std::vector<int64_t>& spare,
                      const CaseBytesLimits& limits);

// The same for outputs whose sizes follow from elements: moves those, and settles.
void shrink_elements_to_limits(Case& c, const CaseBytesLimits& limits);

// Strides whose reach is too long to copy become compact, unless few elements are to be mapped.
void bound_reach(Tensor& tensor, const CaseBytesLimits& limits);  // however few elements there are
void bound_strides(Tensor& tensor, const CaseBytesLimits& limits);

// Elements that share an address take the value of the first of them.
void unify_aliases(const Tensor& layout, Elements& elements);

}  // namespace bytegate
