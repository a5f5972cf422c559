// The C call of one case: names, scalars and DLTensors, built from the op's description.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "kernels/arena.h"
#include "kernels/backend.h"
#include "kernels/candidate.h"
#include "kernels/candidate_handle.h"
#include "oracles/case.h"

namespace bytegate {

// More than this many sections of a workspace are not asked for.
constexpr size_t kMaxSections = 64;

// Holds what a bytegate_call points to. The case must outlive it; it must not move once built.
class CallFrame {
 public:
  // Shapes, strides and scalars of the case; data pointers null.
  CallFrame(const Case& c, DLDevice device, void* stream);
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  void set_data(int tensor, void* data) { tensors_[static_cast<size_t>(tensor)].data = data; }
  void set_workspace(void* workspace, size_t bytes);
  // Points tensors and workspace at the case's part of an arena; sparse tensors stay null.
  void set_arena(const PlacedCase& placed, std::byte* arena);
  void set_executor(const bytegate_executor_options* options) { call_.executor = options; }
  // Says that the workspace ends so many bytes earlier than it does.
  void shorten_workspace(int64_t bytes) { call_.workspace_bytes -= static_cast<uint64_t>(bytes); }
  // Applies the case's call faults to the pointers set so far.
  void apply_call_faults();

  // Each returns the candidate's status; `message()` and `path()` then hold what it said.
  int32_t supports(const Candidate& candidate);
  int32_t workspace_bytes(const Candidate& candidate, uint64_t& bytes);
  // The sections that workspace_bytes() named; how many it says may be any number.
  [[nodiscard]] uint64_t num_sections() const { return call_.num_sections; }
  [[nodiscard]] std::span<const bytegate_workspace_section> sections() const {
    return {sections_.data(), std::min<size_t>(call_.num_sections, sections_.size())};
  }
  int32_t run(const Candidate& candidate);

  [[nodiscard]] std::string message() const;
  [[nodiscard]] std::string path() const;

 private:
  // Forces the path that the case asks for, where the candidate has paths to choose from.
  void force_path(const Candidate& candidate);

  const Case& case_;
  std::vector<bytegate_scalar> scalars_;
  std::vector<DLTensor> tensors_;
  std::vector<bytegate_tensor> named_tensors_;
  std::array<char, 512> message_{};
  std::array<bytegate_workspace_section, kMaxSections> sections_{};
  bytegate_call call_{};
};

// Whether a case may run at all: the shape part of `supports` and the workspace it asks for.
struct CallSize {
  int32_t status = BYTEGATE_OK;
  std::string message;
  uint64_t workspace_bytes = 0;
  std::vector<WorkspaceSection> sections = {};  // ascending; empty: all of the workspace is one
};
CallSize query_call(const Candidate& candidate, const Case& c, DLDevice device);
// The result of a case that needs no launch: refused by the query, or a fault without a meaning.
std::optional<RunResult> settled_by_query(const CallSize& size, const Case& c);
// What a status of `run` means. There it is too late to declare a case unsupported.
RunStatus run_status(int32_t status);

}  // namespace bytegate
