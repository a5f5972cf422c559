// What the cases of a corpus are good for: run once each with the production kernels, and counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/corpus/files.h"
#include "fuzz/tally.h"
#include "kernels/backend.h"
#include "kernels/candidate_handle.h"

namespace bytegate {

// Runs kept cases in a worker on the host.
class CorpusJudge {
 public:
  CorpusJudge();
  // Why nothing can be run; empty when it can.
  [[nodiscard]] const std::string& error() const { return error_; }
  // Cases that take gigabytes, or are for another backend, are `unsupported`: nobody looked.
  Verdict judge(const CorpusFile& file, const Case& c);

 private:
  std::unique_ptr<Candidate> candidate_;
  std::unique_ptr<Backend> backend_;
  std::string error_;
};

// The files of one operation.
struct OpSurvey {
  explicit OpSurvey(const OpProperties& op_properties)
      : properties(&op_properties), tally(op_properties) {}

  const OpProperties* properties = nullptr;
  Tally tally;
  int64_t num_files = 0;
  int64_t num_bytes = 0;
  int64_t num_duplicates = 0;  // files whose case another one holds, too
  int64_t num_not_run = 0;
  std::map<std::string, int64_t> by_expect = {};
  std::map<std::string, int64_t> by_origin = {};  // its kind: "mismatch"; "none"
  std::map<int64_t, int64_t> by_steps = {};       // how many launches
  std::set<std::string> digests = {};
};

struct CorpusSurvey {
  std::vector<OpSurvey> ops;        // all operations, in their order
  std::vector<std::string> errors;  // of files that could not be read, or of everything
};
CorpusSurvey survey_corpus(const std::vector<std::string>& files_or_dirs, PropertyTable table,
                           OpTable ops);

}  // namespace bytegate
