// Case files of a corpus, read one after the other: a corpus may hold more than fits into memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

struct CorpusFile {
  std::string path;
  std::string name;    // the path from the folder that was asked for
  std::string digest;  // case_digest()
  int64_t num_bytes = 0;
};

// Calls `visit` with each case below a folder, or with the one of a file, in the order of their
// names. Work folders of running campaigns and gates (`running`, `.running`) are left out. Returns
// what could not be read; each error names its file.
using VisitCase = std::function<void(const CorpusFile& file, Case& c)>;
std::vector<std::string> read_corpus(const std::string& file_or_dir, OpTable ops,
                                     const VisitCase& visit);

// Whether the name was made by a machine: its stem is a digest, or ends in "-" and one.
bool is_machine_name(const std::string& path);

// Whether running it takes gigabytes, by its content alone: inputs and outputs together.
bool takes_gigabytes(const Case& c);

}  // namespace bytegate
