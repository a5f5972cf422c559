// As formats_test.cc, for what the state of a campaign keeps.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "fuzz/campaign/start.h"
#include "fuzz/campaign/state_folder.h"
#include "oracles/testing/temp_folder.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

CampaignStart kept_start() {
  return {.build = "0123456789abcdef-fedcba9876543210",
          .seed = UINT64_MAX,
          .slice_runs = 15000,
          .slice_cases = 2000,
          .arch = 90,
          .targets = {{"an_op", "00112233445566ff"}},
          .inputs = {{"an_op", {"0000000000000001", "ffffffffffffffff"}}, {"other_op", {}}}};
}

SliceRecord kept_guided_slice() {
  return {.campaign = "89abcdef01234567",
          .chain = {.kind = SliceKind::kGuided, .op = "an_op", .stream = 3},
          .idx = 7,
          .end = SliceEnd::kCrashed,
          .passed = int64_t{1} << 40,
          .failed = 2,
          .set_aside = 1,
          .expects = {{"bytes", 5}, {"refused", 6}, {"survived", 7}},
          .verdicts = {{"mismatch", 2}},
          .paths = {{"tiny", 8}},
          .classes = {{"no row", 9}, {"1 SM", 1}},
          .states = {{"owner", 3}},
          .origins = {{"mismatch:out@graph", 2}},
          .coverage = 1234,
          .inputs = {"0000000000000001"}};
}

SliceRecord kept_drawn_slice() {
  SliceRecord record;
  record.campaign = "89abcdef01234567";
  record.chain = {.kind = SliceKind::kDrawn, .op = "an_op", .backend = BackendKind::kCuda};
  record.passed = 2000;
  return record;
}

class StateFormat : public TempFolder {
 protected:
  static std::string kept(const std::string& name) {
    const auto bytes = file_bytes(std::string(BYTEGATE_FORMATS) + "/" + name);
    EXPECT_TRUE(bytes) << name;
    return bytes.value_or("");
  }
  void place(const std::string& name, const std::string& where) {
    const std::string to = path("state/" + where);
    fs::create_directories(fs::path(to).parent_path());
    fs::copy_file(std::string(BYTEGATE_FORMATS) + "/" + name, to);
  }
  StateFolder open() {
    place("state-1-folder", "FORMAT");
    const OpenedState opened = StateFolder::open(path("state"));
    EXPECT_TRUE(opened.state) << opened.error;
    return opened.state.value();
  }
};

TEST_F(StateFormat, OfVersion1StartsACampaignWhereItWas) {
  place("state-1-start.json", "campaigns/" + text_digest(kept("state-1-start.json")) + "/start");
  CampaignStart wanted = kept_start();
  wanted.inputs.clear();
  const ChosenStart chosen = choose_start(open(), wanted);
  EXPECT_FALSE(chosen.is_new);
  EXPECT_THAT(chosen.damaged, IsEmpty());
  EXPECT_EQ(chosen.start, kept_start());
}

TEST_F(StateFormat, OfVersion1HoldsItsSlices) {
  const std::string campaign = "89abcdef01234567";
  for (const SliceRecord& record : {kept_guided_slice(), kept_drawn_slice()}) {
    const std::string name = record.chain.kind == SliceKind::kGuided ? "guided" : "drawn";
    const std::string file = "state-1-" + name + ".json";
    place(file, "slices/" + campaign + "/" + slice_file_name(record.chain, record.idx, kept(file)));
  }
  const LoadedSlices loaded = load_slices(open(), campaign);
  EXPECT_THAT(loaded.damaged, IsEmpty());
  EXPECT_THAT(loaded.doubles, IsEmpty());
  ASSERT_EQ(loaded.by_chain.size(), 2U);
  EXPECT_EQ(loaded.by_chain.at("guided.an_op.s3").at(7), kept_guided_slice());
  EXPECT_EQ(loaded.by_chain.at("drawn.an_op.cuda.s0").at(0), kept_drawn_slice());
}

TEST_F(StateFormat, IsWrittenTodayAsItIsKept) {
  EXPECT_EQ(kStateFormat, kept("state-1-folder"));
  EXPECT_EQ(campaign_start_text(kept_start()), kept("state-1-start.json"));
  EXPECT_EQ(slice_record_text(kept_guided_slice()), kept("state-1-guided.json"));
  EXPECT_EQ(slice_record_text(kept_drawn_slice()), kept("state-1-drawn.json"));
}

}  // namespace
}  // namespace bytegate
