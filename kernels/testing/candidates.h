// Candidates by name, opened, for tests.
#pragma once

#include <memory>
#include <string>

#include "kernels/candidate_handle.h"

namespace bytegate {

// A table of a host candidate without state that asks for no workspace.
bytegate_candidate host_table(const char* name, int32_t (*run)(void*, bytegate_call*));

// Each throws std::runtime_error with what is wrong. The table must outlive the candidate.
std::unique_ptr<Candidate> open_candidate(const bytegate_candidate& table);
std::unique_ptr<Candidate> open_candidate(bytegate_candidate&& table) = delete;
std::unique_ptr<Candidate> open_builtin(const std::string& name);
std::unique_ptr<Candidate> load_candidate(const std::string& path);

}  // namespace bytegate
