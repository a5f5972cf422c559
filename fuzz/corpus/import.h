// Cases of other formats, put into a corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fuzz/corpus/merge.h"
#include "properties/op_properties.h"
#include "properties/trace/batching.h"

namespace bytegate {

struct ImportCounts {
  MergeCounts cases;
  std::vector<std::string> rejected;  // each names its file, and why
};

// Case files below a folder or a file: another corpus, the findings of a gate, the state of a
// campaign.
ImportCounts import_cases(const std::string& file_or_dir, CaseSink& sink, OpTable ops);

// What coverage-guided engines keep, in the order of their names. Of an AFL++ output folder these
// are the files `id:*` in queue, crashes and hangs, of every instance; of any other folder all
// files but hidden ones, README.txt and cases. Nothing that is not a plain file is followed.
struct FoundInputs {
  std::vector<std::string> files;
  std::string error;  // of a folder that cannot be read in full
};
FoundInputs find_inputs(const std::string& file_or_dir);

using DecodeInput = std::function<Case(const Op&, std::span<const uint8_t>)>;
constexpr size_t kMaxInputBytes = size_t{1} << 20;
// Inputs of the target of an operation.
ImportCounts import_inputs(const FoundInputs& inputs, const Op& op, const DecodeInput& decode,
                           CaseSink& sink);

struct TraceImport {
  trace::BatchingOptions batching = {};
  int64_t count = 32;  // batches, of sizes from the smallest to the largest
  uint64_t seed = 1;
  std::string note;  // empty: the name of the file
};
// Decode steps of a request trace, for one operation that has them.
ImportCounts import_trace(const std::string& file, const OpProperties& properties,
                          const TraceImport& options, CaseSink& sink);

}  // namespace bytegate
