#include "kernels/call_frame.h"

#include <cstring>
#include <optional>

namespace bytegate {
namespace {

DLDataType dl_type(DType dtype) {
  return {.code = kDLInt, .bits = static_cast<uint8_t>(8 * dtype_bytes(dtype)), .lanes = 1};
}

// Why a call fault leaves the call as it was, or as right as it was; empty when it does not.
std::string vacuous_reason(const CallFault& fault, const CallSize& size, const Case& c) {
  if (fault.kind == CallFaultKind::kShortWorkspace && size.workspace_bytes == 0) {
    return "there is no workspace to shorten";
  }
  return idle_reason(c, fault).value_or("");
}

// Why the sections cannot be parts of a workspace; empty when they can.
std::string sections_error(const CallFrame& frame, uint64_t workspace_bytes) {
  if (frame.num_sections() > kMaxSections) {
    return "the candidate names " + std::to_string(frame.num_sections()) +
           " sections of its workspace, there is room for " + std::to_string(kMaxSections);
  }
  for (size_t i = 0; i < frame.sections().size(); ++i) {
    const bytegate_workspace_section& section = frame.sections()[i];
    if (section.name == nullptr) return "section " + std::to_string(i) + " has no name";
    if (section.offset > workspace_bytes || section.bytes > workspace_bytes - section.offset) {
      return "section " + std::string(section.name) + " at " + std::to_string(section.offset) +
             " of " + std::to_string(section.bytes) + " bytes reaches beyond the workspace of " +
             std::to_string(workspace_bytes);
    }
  }
  return "";
}

// Takes over those sections that have bytes, in ascending order.
void take_sections(const CallFrame& frame, CallSize& size) {
  size.message = sections_error(frame, size.workspace_bytes);
  if (size.message.empty()) {
    for (const bytegate_workspace_section& section : frame.sections()) {
      if (section.bytes == 0) continue;
      size.sections.push_back({section.name, section.offset, section.bytes});
    }
    std::sort(
        size.sections.begin(), size.sections.end(),
        [](const WorkspaceSection& a, const WorkspaceSection& b) { return a.offset < b.offset; });
  }
  for (size_t i = 1; i < size.sections.size(); ++i) {
    const WorkspaceSection& before = size.sections[i - 1];
    if (before.offset + before.bytes <= size.sections[i].offset) continue;
    size.message =
        "sections " + before.name + " and " + size.sections[i].name + " of the workspace overlap";
  }
  if (size.message.empty()) return;
  size.sections.clear();
  size.status = BYTEGATE_INTERNAL_ERROR;
}

}  // namespace

CallFrame::CallFrame(const Case& c, DLDevice device, void* stream) : case_(c) {
  const Op& op = *c.op;
  scalars_.reserve(op.scalars.size());
  for (size_t i = 0; i < op.scalars.size(); ++i) {
    // The names of an op are string literals, so they end with a NUL.
    scalars_.push_back({.name = op.scalars[i].name.data(), .value = c.scalars[i]});
  }
  tensors_.reserve(op.tensors.size());
  named_tensors_.reserve(op.tensors.size());
  for (size_t i = 0; i < op.tensors.size(); ++i) {
    const Tensor& tensor = c.tensors[i];
    tensors_.push_back({.data = nullptr,
                        .device = device,
                        .ndim = tensor.shape.rank(),
                        .dtype = dl_type(tensor.dtype),
                        .shape = const_cast<int64_t*>(tensor.shape.begin()),
                        .strides = const_cast<int64_t*>(tensor.strides.begin()),
                        .byte_offset = 0});
    named_tensors_.push_back(
        {.name = op.tensors[i].name.data(), .tensor = tensor.present ? &tensors_.back() : nullptr});
  }
  call_.struct_bytes = sizeof call_;
  call_.op = op.name.data();
  call_.scalars = scalars_.data();
  call_.num_scalars = scalars_.size();
  call_.tensors = named_tensors_.data();
  call_.num_tensors = named_tensors_.size();
  call_.device = device;
  call_.stream = stream;
  call_.message = message_.data();
  call_.message_bytes = message_.size();
}

void CallFrame::set_workspace(void* workspace, size_t bytes) {
  call_.workspace = bytes > 0 ? workspace : nullptr;
  call_.workspace_bytes = bytes;
}

void CallFrame::set_arena(const PlacedCase& placed, std::byte* arena) {
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    if (placed.tensors[i].bytes == 0) continue;
    set_data(static_cast<int>(i), arena + placed.tensors[i].offset);
  }
  set_workspace(arena + placed.workspace.offset, placed.workspace.bytes);
}

void CallFrame::apply_call_faults() {
  for (const CallFault& fault : case_.call_faults) {
    switch (fault.kind) {
      case CallFaultKind::kNull:
        set_data(fault.tensor, nullptr);
        break;
      case CallFaultKind::kOverlap:
        set_data(fault.tensor, tensors_[static_cast<size_t>(fault.other)].data);
        break;
      case CallFaultKind::kShortWorkspace:
        --call_.workspace_bytes;
        break;
    }
  }
}

void CallFrame::force_path(const Candidate& candidate) {
  const bool forced = !case_.forced_path.empty() && candidate.table().paths != nullptr;
  call_.forced_path = forced ? case_.forced_path.c_str() : nullptr;
}

int32_t CallFrame::supports(const Candidate& candidate) {
  force_path(candidate);
  const auto function = candidate.table().supports;
  return function == nullptr ? int32_t{BYTEGATE_OK} : function(candidate.state(), &call_);
}

int32_t CallFrame::workspace_bytes(const Candidate& candidate, uint64_t& bytes) {
  bytes = 0;
  force_path(candidate);
  const auto function = candidate.table().workspace_bytes;
  if (function == nullptr) return BYTEGATE_OK;
  call_.sections = sections_.data();
  call_.max_sections = sections_.size();
  call_.num_sections = 0;
  const int32_t status = function(candidate.state(), &call_, &bytes);
  call_.sections = nullptr;
  call_.max_sections = 0;
  return status;
}

int32_t CallFrame::run(const Candidate& candidate) {
  call_.path_taken = nullptr;
  force_path(candidate);
  message_.front() = '\0';
  return candidate.table().run(candidate.state(), &call_);
}

std::string CallFrame::message() const {
  // A candidate may have left out the NUL.
  return {message_.data(), strnlen(message_.data(), message_.size())};
}

std::string CallFrame::path() const {
  return call_.path_taken == nullptr ? "" : call_.path_taken;
}

CallSize query_call(const Candidate& candidate, const Case& c, DLDevice device) {
  CallFrame frame(c, device, nullptr);
  CallSize size;
  if (c.expect == Expect::kRefused && !c.forced_path.empty() &&
      candidate.table().paths == nullptr) {
    // The path may be all that is wrong with the call.
    size.status = BYTEGATE_UNSUPPORTED;
    size.message = "the candidate lists no dispatch paths";
    return size;
  }
  size.status = frame.supports(candidate);
  if (size.status == BYTEGATE_OK) {
    size.status = frame.workspace_bytes(candidate, size.workspace_bytes);
  }
  if (size.status != BYTEGATE_OK) {
    size.message = frame.message();
  } else {
    take_sections(frame, size);
  }
  return size;
}

RunStatus run_status(int32_t status) {
  switch (status) {
    case BYTEGATE_OK:
      return RunStatus::kDone;
    case BYTEGATE_FAULT:
      return RunStatus::kFault;
    case BYTEGATE_HUNG:
      return RunStatus::kHung;
    case BYTEGATE_INVALID_ARGUMENT:
      return RunStatus::kRefused;
    default:
      return RunStatus::kFailed;
  }
}

std::optional<RunResult> settled_by_query(const CallSize& size, const Case& c) {
  RunResult result;
  result.message = size.message;
  if (size.status == BYTEGATE_UNSUPPORTED) {
    result.status = RunStatus::kUnsupported;
    return result;
  }
  if (size.status != BYTEGATE_OK) {
    result.status = run_status(size.status);
    return result;
  }
  for (const CallFault& fault : c.call_faults) {
    result.message = vacuous_reason(fault, size, c);
    if (result.message.empty()) continue;
    result.status = RunStatus::kVacuous;
    return result;
  }
  return std::nullopt;
}

}  // namespace bytegate
