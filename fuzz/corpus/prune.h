// The fewest cases of a corpus that are good for the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fuzz/corpus/files.h"
#include "fuzz/corpus/set_cover.h"
#include "properties/op_properties.h"

namespace bytegate {

// What others know of the cases: edges that they cover, faults that they kill. Cases are named as
// CorpusFile::name.
struct Evidence {
  std::string source;  // the file that it is of
  std::map<std::string, std::vector<std::string>> features = {};
  std::set<std::string> known = {};  // cases that were looked at
};

struct PruneOptions {
  bool all = false;  // hand-written files, too
  // Digests that somebody refers to; such files stay, unless `all`.
  std::set<std::string> referred = {};
  std::vector<Evidence> evidence = {};
  CoverLimits limits = {};
};

struct PrunedFile {
  CorpusFile file;
  bool kept = false;
  std::string rule = {};  // why it stays whatever it covers; empty: for what follows
  std::vector<std::string> only_here = {};  // of what is kept, what no other file has
};

struct PruneOutcome {
  std::vector<PrunedFile> files;  // in the order of their names
  size_t num_features = 0;        // of all files; the kept ones have each of them
  bool smallest = false;          // no smaller choice has all of them
  std::vector<std::string> errors;
};
// Runs each case on the host. Writes nothing.
//
// Whatever they cover, these stay: cases that cannot be run here or that an evidence does not know;
// and, unless options.all, those with a name of their own (not made of a digest) and those that are
// referred to.
PruneOutcome prune_corpus(const std::string& dir, OpTable ops, const PruneOptions& options);

// Every word of 16 hexadecimal digits in the texts below a folder or in a file: digests of cases
// that they may refer to. Leaves out hidden and build folders, cases, and files of a MiB or more.
struct NamedDigests {
  std::set<std::string> digests;
  std::string error;  // names what cannot be read in full; empty: all was
};
NamedDigests digests_named_in(const std::string& file_or_dir);

}  // namespace bytegate
