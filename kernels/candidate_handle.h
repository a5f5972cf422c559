// A candidate that is ready to be called: built in, or loaded from a shared library.
#pragma once

#include <memory>
#include <string>

#include "kernels/candidate.h"
#include "oracles/case.h"

namespace bytegate {

// Owns the candidate's state and, for a loaded one, the library. One per thread.
class Candidate {
 public:
  struct Result {
    std::unique_ptr<Candidate> candidate;  // null on error
    std::string error;
  };
  // Of a table that is linked in.
  static Result open(const bytegate_candidate& table);
  static Result open(bytegate_candidate&& table) = delete;  // the table outlives the candidate
  // From a shared library; every way in which it may be unusable has its own message: not found or
  // not loadable, no entry point, a null table, another interface version, no run function.
  static Result load(const std::string& path);

  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;
  ~Candidate();

  [[nodiscard]] const bytegate_candidate& table() const { return *table_; }
  [[nodiscard]] std::string name() const { return table_->name; }
  [[nodiscard]] bool runs_on(BackendKind backend) const;
  [[nodiscard]] void* state() const { return state_; }

 private:
  Candidate() = default;
  void* library_ = nullptr;
  const bytegate_candidate* table_ = nullptr;
  void* state_ = nullptr;
};

}  // namespace bytegate
