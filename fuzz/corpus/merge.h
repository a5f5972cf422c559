// A folder of cases as a set: what is added is named by its content, so that adding the same cases
// in any order, any number of times, leaves the same files with the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

enum class Added : uint8_t {
  kTaken,      // written
  kDuplicate,  // the folder has the case already
  kRejected,   // not written; see CaseSink::errors()
};

// <dir>/<op>/<digest>.case, written anew as save_case() does; cases that take gigabytes in a folder
// `large` in between. Cases that the folder holds under another name are left where they are.
//
// The digest leaves out origin and note. Of cases that differ in nothing else, the one with an
// origin is kept, then the one with a note, then the smallest text: whatever came first.
class CaseSink {
 public:
  // What cannot be read in the folder, which need not be there, is among the errors.
  CaseSink(std::string dir, OpTable ops);

  Added add(const Case& c);
  // Each names its file: damaged ones, and those whose name belongs to another content.
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 private:
  Added replace(const std::string& path, const Case& c);
  Added write(const std::string& path, const Case& c);

  std::string dir_;
  OpTable ops_;
  std::map<std::string, std::string> paths_;  // by operation and digest
  std::vector<std::string> errors_;
};

struct MergeCounts {
  int64_t num_taken = 0;
  int64_t num_duplicates = 0;
  int64_t num_rejected = 0;

  void count(Added added);
};

struct MergeOutcome {
  MergeCounts counts;
  std::vector<std::string> errors;
};
// Adds the cases of all folders or files to `into`; damaged ones are skipped and named.
MergeOutcome merge_corpora(const std::vector<std::string>& from, const std::string& into,
                           OpTable ops);

}  // namespace bytegate
