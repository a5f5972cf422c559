// Whether two failures are of one flaw, whatever launch of whatever mode showed it.
#pragma once

#include <string_view>

#include "oracles/case.h"
#include "properties/verdict.h"

namespace bytegate {

// A mismatch is called unstable where a launch before it, with the same inputs, was right.
bool is_same_flaw(std::string_view origin, std::string_view other);

// Whether it may be an earlier launch that brings the failure about, and not what is launched.
bool follows_a_launch(const Verdict& verdict);

// What failed, launched twice and nothing before it.
Case launched_again(const Case& c, const Verdict& verdict);

}  // namespace bytegate
