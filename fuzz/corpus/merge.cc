#include "fuzz/corpus/merge.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <tuple>

#include "fuzz/corpus/files.h"
#include "oracles/case_text.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

std::string key_of(const Case& c) {
  return std::string(c.op->name) + "/" + case_digest(c);
}

std::string path_in(const std::string& dir, const Case& c) {
  const std::string folder = std::string(c.op->name) + (takes_gigabytes(c) ? "/large" : "");
  return (fs::path(dir) / folder / (case_digest(c) + ".case")).string();
}

// Of two cases of one digest, the one that says more; a total order, so that none depends on which
// came first.
bool says_more(const Case& a, const Case& b) {
  const auto rank = [](const Case& c) {
    return std::tuple(c.origin.empty(), c.note.empty(), c.origin, c.note);
  };
  return rank(a) < rank(b);
}

bool folder_holds_cases(const std::string& dir) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(dir, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".case") return true;
  }
  return false;
}

}  // namespace

CaseSink::CaseSink(std::string dir, OpTable ops) : dir_(std::move(dir)), ops_(ops) {
  if (!folder_holds_cases(dir_)) return;
  errors_ = read_corpus(dir_, ops_, [&](const CorpusFile& file, const Case& c) {
    // Where the same case is there twice, the one under its own name is what is kept up to date.
    std::string& path = paths_[key_of(c)];
    if (path.empty() || file.path == path_in(dir_, c)) path = file.path;
  });
}

Added CaseSink::write(const std::string& path, const Case& c) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) {
    errors_.push_back("cannot create the folder of " + path + ": " + error.message());
    return Added::kRejected;
  }
  if (const std::optional<std::string> failure = save_case(path, c)) {
    errors_.push_back(*failure);
    return Added::kRejected;
  }
  paths_[key_of(c)] = path;
  return Added::kTaken;
}

// What is known under the same digest may say less of itself.
Added CaseSink::replace(const std::string& path, const Case& c) {
  const LoadResult there = load_case(path, ops_);
  if (there.value && says_more(c, *there.value)) return write(path, c);
  return Added::kDuplicate;
}

Added CaseSink::add(const Case& c) {
  const std::string own_path = path_in(dir_, c);
  if (const auto known = paths_.find(key_of(c)); known != paths_.end()) {
    return known->second == own_path ? replace(own_path, c) : Added::kDuplicate;
  }
  std::error_code error;
  if (fs::exists(own_path, error) || error) {
    errors_.push_back(own_path + ": the name of another content, which is left as it is");
    return Added::kRejected;
  }
  return write(own_path, c);
}

void MergeCounts::count(Added added) {
  ++(added == Added::kTaken       ? num_taken
     : added == Added::kDuplicate ? num_duplicates
                                  : num_rejected);
}

MergeOutcome merge_corpora(const std::vector<std::string>& from, const std::string& into,
                           OpTable ops) {
  MergeOutcome outcome;
  CaseSink sink(into, ops);
  for (const std::string& path : from) {
    std::vector<std::string> errors = read_corpus(
        path, ops, [&](const CorpusFile&, const Case& c) { outcome.counts.count(sink.add(c)); });
    std::move(errors.begin(), errors.end(), std::back_inserter(outcome.errors));
  }
  outcome.errors.insert(outcome.errors.end(), sink.errors().begin(), sink.errors().end());
  return outcome;
}

}  // namespace bytegate
