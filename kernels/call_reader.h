// Reads a bytegate_call by the names of the contract. The first thing that is not as the contract
// has it is kept as an error, and what is read after it is empty; so a launcher reads everything
// and then asks once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/candidate.h"

namespace bytegate {

class CallReader {
 public:
  explicit CallReader(bytegate_call& call) : call_(call) {}

  [[nodiscard]] const bytegate_call& call() const { return call_; }
  // The value of a scalar that must be there.
  int64_t scalar(std::string_view name);
  // A tensor that must be there, of this rank and integer width.
  const DLTensor* tensor(std::string_view name, int rank, int bits);
  // The same where both int32 and int64 will do.
  const DLTensor* integer_tensor(std::string_view name, int rank);
  // One that may be left out.
  const DLTensor* optional_tensor(std::string_view name, int rank, int bits);
  // Data of a vector of contiguous int32; null when there is an error.
  int32_t* contiguous_int32(const DLTensor* tensor, std::string_view name);
  // The same for a vector that must have `count` elements.
  int32_t* contiguous_int32(const DLTensor* tensor, std::string_view name, int64_t count);
  // Records an error unless one is there already.
  void fail(std::string message);

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  // Writes `message` where the caller wants it and returns `status`.
  int32_t report(int32_t status, std::string_view message);
  // The same with the recorded error.
  int32_t report_invalid();
  void set_path(const char* path) { call_.path_taken = path; }
  // Names a section of the workspace, where the caller has asked for them. With more than it has
  // room for none is named.
  void add_section(const bytegate_workspace_section& section);

 private:
  [[nodiscard]] const DLTensor* find(std::string_view name) const;
  const DLTensor* checked(const DLTensor* tensor, std::string_view name, int rank, int bits);

  bytegate_call& call_;
  std::optional<std::string> error_;
};

}  // namespace bytegate
