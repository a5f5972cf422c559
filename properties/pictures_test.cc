#include <gtest/gtest.h>

#include <algorithm>

#include "oracles/paged_mqa_metadata.h"
#include "properties/op_properties.h"
#include "properties/testing/dsa_case_text.h"

namespace bytegate {
namespace {

std::string picture_of(const Case& c) {
  return find_properties(all_properties(), *c.op)->picture(c, expected_outputs(c));
}

std::string schedule_of(std::vector<int32_t> context_lens, int64_t num_sm) {
  return picture_of(make_paged_mqa_metadata_case(std::move(context_lens), num_sm));
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

}  // namespace
}  // namespace bytegate
