// A case in a few lines for a person.
#pragma once

#include <string>

#include "oracles/case.h"

namespace bytegate::cli {

// "num_sm=2 remainder=last B=1 context_lens=[1]"; long tensors are cut.
std::string summary_of(const Case& c);

// Everything that is set, one line a field, and the outputs that the contract states.
std::string description_of(const Case& c);

// "1,234,567"
std::string with_commas(int64_t number);

}  // namespace bytegate::cli
