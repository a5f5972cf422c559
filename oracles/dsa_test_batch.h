// Small batches of the DSA metadata operations, written down by hand in tests.
#pragma once

#include <string_view>
#include <vector>

#include "oracles/case.h"
#include "oracles/dsa_metadata_contract.h"

namespace bytegate {

struct DsaTestBatch {
  const Op* op = nullptr;
  std::vector<int64_t> seq_lens = {};
  std::vector<int64_t> req_pool_indices = {};
  std::vector<std::vector<int32_t>> req_to_token = {};  // rows of one length; none: R = C = 0
  DType dtype = DType::kInt32;                          // of seq_lens and req_pool_indices
  int64_t max_len = 0;
  int64_t topk = 2048;
  int64_t page_size = 1;
  DsaTail tail = DsaTail::kFull;
  DsaExpandedMin expanded_min = DsaExpandedMin::kNone;
  int64_t next_n = 1;
  std::vector<int32_t> extend_seq_lens = {};  // the ragged form, unless `form` says otherwise
  DsaExtendForm form = DsaExtendForm::kRagged;
  int64_t extend_len = 0;
  int64_t num_sm = 1;
  int64_t remainder = 0;
  bool with_page_table = true;
  bool with_ctx_lens = true;
};

// Tables are as wide as what is written; total_len follows from the rest.
Case make_dsa_test_case(const DsaTestBatch& batch);

int64_t& scalar_of(Case& c, std::string_view scalar);
int64_t& dim_of(Case& c, std::string_view dim);
Tensor& tensor_of(Case& c, std::string_view tensor);

// A batch for every operation and for what is special about one: negative slots and lengths, rows
// of one request in several requests, requests without rows, open columns, each optional tensor.
std::vector<DsaTestBatch> varied_dsa_test_batches();

}  // namespace bytegate
