#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

std::string picture_of(const Case& c) {
  return find_properties(all_properties(), *c.op)->picture(c, expected_outputs(c));
}

std::string schedule_of(std::vector<int32_t> context_lens, int64_t num_sm) {
  return picture_of(make_paged_mqa_metadata_case(std::move(context_lens), num_sm));
}

constexpr const char* kDecode =
    "tensor seq_lens int32 [2] = 3 1\ntensor req_pool_indices int32 [2] = 1 0\n"
    "tensor req_to_token int32 [2, 6] = 8 9 20 21 21 -1 0+1*4 7 9\n"
    "scalar max_len 6\nscalar topk 2\nscalar page_size 2\n"
    "dim B 2\ndim R 2\ndim C 6\ndim page_table_width 6\ndim real_page_table_width 3\n"
    "tensor cache_seqlens int32 [2]\ntensor cu_seqlens_k int32 [3]\n"
    "tensor page_table int32 [2, 6]\ntensor dsa_cache_seqlens int32 [2]\n"
    "tensor dsa_cu_seqlens_k int32 [3]\ntensor real_page_table int32 [2, 3]\n";

std::string decode_picture(const std::string& op, const std::string& fields) {
  const ParseResult read =
      read_case("bytegate-case 1\nop " + op + "\n" + kDecode + fields + "end\n", all_ops());
  return read.value ? picture_of(*read.value) : to_string(read.error);
}

int64_t num_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(SchedulePicture, EachSmShowsTheSplitsItAttendsTo) {
  EXPECT_EQ(schedule_of({257, 0, 513}, 3),
            "  schedule 5 splits of 3 requests over 3 SMs, 1 request without any; a letter is a "
            "split, then request:splits\n"
            "    SM 0  1  a   0:0\n"
            "    SM 1  2  ac  0:1 2:0\n"
            "    SM 2  2  cc  2:1..2\n");
}

TEST(SchedulePicture, SmsOfOneRequestAndIdleOnesAreFolded) {
  EXPECT_EQ(schedule_of({1}, 1024),
            "  schedule 1 split of 1 request over 1024 SMs; a letter is a split, then "
            "request:splits\n"
            "    SM 0..1022  0     no work\n"
            "    SM 1023     1  a  0:0\n");
  EXPECT_EQ(schedule_of({256 * 10, 1}, 4),
            "  schedule 11 splits of 2 requests over 4 SMs; a letter is a split, then "
            "request:splits\n"
            "    SM 0..2  2..3  aaa  0:0..7\n"
            "    SM 3     3     aab  0:8..9 1:0\n");
}

TEST(SchedulePicture, WithoutWorkItIsOneLine) {
  EXPECT_EQ(schedule_of({}, 1),
            "  schedule 0 splits of 0 requests over 1 SM\n    SM 0  0    no work\n");
}

TEST(SchedulePicture, StaysReadableHoweverMuchThereIs) {
  const std::string text = schedule_of(std::vector<int32_t>(131072, INT32_MAX), 1024);
  EXPECT_EQ(num_lines(text), 34);
  EXPECT_NE(text.find("a letter is 33554432 splits"), std::string::npos) << text;
  EXPECT_NE(text.find("      .. 992 SMs\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0:0..8388607 .. 126 requests .. 127:0..8388607"), std::string::npos) << text;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 120U);
    start = end + 1;
  }
}

TEST(DsaPicture, PageTablesAreRowsOfRuns) {
  EXPECT_EQ(decode_picture("dsa_decode_metadata", "scalar tail full\n"),
            "  tables   2 rows of 2 requests, pages of 2 tokens\n"
            "    row 0  request 0, pool row 1: 3 tokens, of which 2 attended\n"
            "      page_table  0..3 7 9\n"
            "      real_page_table  0..1 3\n"
            "    row 1  request 1, pool row 0: 1 token, of which 1 attended\n"
            "      page_table  8..9 20..21 21 -1\n"
            "      real_page_table  4 10*2\n");
}

TEST(DsaPicture, WhatTheContractLeavesOpenIsSaidToBe) {
  EXPECT_EQ(decode_picture("dsa_decode_metadata", "scalar tail live\n"),
            "  tables   2 rows of 2 requests, pages of 2 tokens\n"
            "    row 0  request 0, pool row 1: 3 tokens, of which 2 attended\n"
            "      page_table  0..2 open*3\n"
            "      real_page_table  0..1 open*1\n"
            "    row 1  request 1, pool row 0: 1 token, of which 1 attended\n"
            "      page_table  8 open*5\n"
            "      real_page_table  4 open*2\n");
}

TEST(DsaPicture, ARefreshEndsWithItsSchedule) {
  const std::string text =
      decode_picture("dsa_decode_refresh",
                     "scalar tail full\nscalar num_sm 2\nscalar remainder last\n"
                     "tensor schedule_metadata int32 [3, 2]\n");
  EXPECT_NE(text.find("  schedule 2 splits of 2 requests over 2 SMs; a letter is a split, then "
                      "request:splits\n    SM 0  1  a  0:0\n    SM 1  1  b  1:0\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace bytegate
