// Inputs of guided slices, as cases in the state.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/campaign/state_folder.h"
#include "oracles/case.h"
#include "oracles/case_text.h"

namespace bytegate {

// Keeps a case by its digest, without its origin and note. What went wrong, or nothing.
struct KeptInput {
  std::string digest;
  std::optional<std::string> error;
};
KeptInput keep_input(const StateFolder& state, Case c);

// The case that the state keeps by this digest. One that is damaged is set aside; the error says
// so, and names it.
LoadResult load_input(const StateFolder& state, const Op& op, const std::string& digest);

// Those of `cases` that a target can be given.
std::vector<std::string> keep_start_cases(const StateFolder& state, const std::vector<Case>& cases);

// Writes inputs of the state, as bytes, as the files 0, 1, .. of a folder, and a list of them that
// the engine reads, in this order. An error names an input that is missing or damaged.
std::optional<std::string> lay_out_inputs(const StateFolder& state, const Op& op,
                                          const std::vector<std::string>& digests,
                                          const std::string& folder, const std::string& list);

// Keeps the files of a folder, whatever is in them, but for those that `known` names; gives their
// digests, ascending, and adds those that could not be kept to `errors`.
std::vector<std::string> take_in_inputs(const StateFolder& state, const Op& op,
                                        const std::string& folder,
                                        const std::set<std::string>& known,
                                        std::vector<std::string>& errors);

std::vector<uint8_t> as_bytes(const std::string& text);

}  // namespace bytegate
