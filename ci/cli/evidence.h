// What other programs found out about the cases of a corpus, in JSON. Cases are named by their path
// from the corpus, or by their digest.
//
//   coverage  {"format": "bytegate-coverage 1", "cases": {"OP/NAME.case": [1, 17, 23], ..}}
//             the edges that each case covers, numbered in any way
//   kills     {"format": "bytegate-kills 1", "cases": ["OP/NAME.case", ..],
//              "faults": {"FAULT": ["OP/NAME.case", ..], ..}}
//             the cases that were tried, and of each fault those that do not pass with it
#pragma once

#include <string>

#include "fuzz/corpus/prune.h"

namespace bytegate::cli {

struct ReadEvidence {
  Evidence evidence;
  std::string error;  // names the file
};
// Of the corpus in `dir`; a case that it does not hold is an error: the file is of another corpus.
ReadEvidence read_coverage(const std::string& path, const std::string& dir);
ReadEvidence read_kills(const std::string& path, const std::string& dir);

}  // namespace bytegate::cli
