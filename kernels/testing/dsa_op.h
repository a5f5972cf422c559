// Calls of the DSA metadata operations for tests that may not know their oracles.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/call_frame.h"
#include "oracles/case.h"
#include "oracles/dsa_metadata_contract.h"

namespace bytegate {

// The sizes of a call. Values of inputs are inside the contract as long as R > 0: seq_lens are 5,
// all of pool row 0, and req_to_token counts up.
struct DsaTestCall {
  DsaMode mode = DsaMode::kDecode;
  DsaEntry entry = DsaEntry::kMetadata;
  int64_t num_requests = 2;
  int64_t num_pool_rows = 3;
  int64_t num_columns = 8;
  int64_t max_len = 6;
  int64_t page_size = 4;
  int64_t next_n = 2;
  DsaExtendForm form = DsaExtendForm::kRagged;
  int64_t extend_len = 2;  // of each request, in both forms
  int64_t num_sm = 3;
  std::string_view forced_path = {};
};

// A case of a description that has names and a dimension for every extent, but no oracle: so every
// shape can be made wrong by itself.
Case make_dsa_call(const DsaTestCall& call);

int64_t& scalar_of(Case& c, std::string_view scalar);
int64_t& dim_of(Case& c, std::string_view dim);
Tensor& tensor_of(Case& c, std::string_view tensor);

// Such a call of `production` on the host, with buffers of its own between bytes of a known value.
class DsaFrontDoor {
 public:
  explicit DsaFrontDoor(Case c);

  // Where a tensor's elements are, until it is moved.
  std::byte* data(std::string_view tensor);
  size_t bytes(std::string_view tensor);
  void move(std::string_view tensor, void* data);
  // Of the size that was asked for, or of none when the query was refused.
  std::byte* workspace() { return workspace_; }
  size_t workspace_bytes() const { return workspace_bytes_; }
  void set_workspace(void* workspace, size_t bytes) { frame_.set_workspace(workspace, bytes); }
  // 4 KiB of room that nothing else uses, aligned to 16 bytes.
  std::byte* room() { return room_; }

  // What the refusal says; or, in capitals, that the call was not refused, or what it still did.
  std::string refusal();
  // The path that the call took; or, in capitals, why it did not run.
  std::string path_taken();
  // The elements of an output after the call.
  std::vector<int32_t> values(std::string_view tensor);

 private:
  struct Place {
    size_t begin = 0;
    size_t bytes = 0;
  };
  Place place(size_t bytes);
  void write_input(size_t tensor);

  std::unique_ptr<Candidate> candidate_;
  Case case_;
  CallFrame frame_;
  std::vector<int64_t> arena_;
  size_t next_ = 0;
  std::vector<Place> places_;
  std::byte* workspace_ = nullptr;
  size_t workspace_bytes_ = 0;
  std::byte* room_ = nullptr;
};

}  // namespace bytegate
