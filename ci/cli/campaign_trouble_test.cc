// Campaigns over what goes wrong around them: files that cannot be written or read, targets that
// others end, and what a shell has set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "ci/cli/testing/campaign_command.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/state_folder.h"
#include "oracles/case_text.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kWrong = BYTEGATE_SCHEDULE_WRONG;
const std::string kRegress = "/paged_mqa_metadata/regress";

class TroubledCampaign : public CampaignCommand {
 protected:
  // Both kinds of slices, not through the command.
  [[nodiscard]] CampaignOptions small_campaign(int64_t num_rounds) const {
    CampaignOptions options;
    options.state = path("state");
    options.ops = {find_properties(all_properties(), *find_op(all_ops(), "paged_mqa_metadata"))};
    options.backends = {BackendKind::kHost};
    options.targets = {{"paged_mqa_metadata", targets_ + "/paged_mqa_metadata_fuzzer"}};
    options.slice_runs = slice_runs_;
    options.slice_cases = 60;
    options.num_rounds = num_rounds;
    return options;
  }
  // Where its findings on the host are minimised.
  [[nodiscard]] std::string found_by(const std::string& candidate) const {
    return path("state/running/s0/found/") + found_folder_name(BackendKind::kHost, candidate);
  }
  [[nodiscard]] std::string inputs() const { return path("state/inputs/paged_mqa_metadata"); }
  [[nodiscard]] size_t num_slices(const std::string& id, const std::string& kind) const {
    size_t number = 0;
    for (const std::string& name : files_in(path("state/slices/" + id))) {
      number += name.rfind(kind + ".", 0) == 0 ? 1 : 0;
    }
    return number;
  }
};

TEST_F(TroubledCampaign, AFindingThatCannotBeSavedIsKeptUntilItCan) {
  EXPECT_EQ(fuzz("state", {"--no-guided"}).exit_code, 0);
  std::ofstream(path("state/findings")) << "no folder";
  const std::vector<std::string> wrong = {"--candidate", kWrong, "--no-guided"};
  for (int i = 0; i < 2; ++i) {
    const Ended ended = fuzz("state", wrong);
    EXPECT_NE(ended.exit_code, 0);
    EXPECT_THAT(ended.output, HasSubstr(path("state/findings")));
    EXPECT_THAT(files_in(found_by(kWrong) + kRegress), SizeIs(1)) << i;
  }
  fs::remove(path("state/findings"));
  EXPECT_EQ(fuzz("state", wrong).exit_code, 1);
  EXPECT_THAT(files_in(path("state/findings") + kRegress), SizeIs(1));
  EXPECT_FALSE(fs::exists(found_by(kWrong)));
}

TEST_F(TroubledCampaign, ASliceIsNotDoneBeforeItsFindingIsSaved) {
  EXPECT_EQ(fuzz("state", {"--no-guided"}).exit_code, 0);
  std::ofstream(path("state/findings")) << "no folder";
  const std::vector<std::string> wrong = {"--candidate", kWrong, "--no-guided", "--jobs", "1"};
  const Ended ended = fuzz("state", wrong);
  EXPECT_THAT(ended.output,
              HasSubstr("drawn.paged_mqa_metadata.host.s0: what failed could not be"));
  // As if it did not fail alone: nobody has it but the slice.
  fs::remove_all(found_by(kWrong));
  fs::remove(path("state/findings"));
  EXPECT_EQ(fuzz("state", wrong).exit_code, 1);
  EXPECT_THAT(files_in(path("state/findings") + kRegress), SizeIs(1));
}

TEST_F(TroubledCampaign, WhatAnotherCandidateLeftWaitsForIt) {
  EXPECT_EQ(fuzz("before", {"--candidate", kWrong, "--no-guided"}).exit_code, 1);
  const std::string left = found_by(kWrong) + kRegress;
  EXPECT_EQ(fuzz("state", {"--no-guided"}).exit_code, 0);
  fs::create_directories(left);
  fs::copy_file(first_file("before/findings"), left + "/a.case");
  const Ended ended = fuzz("state", {"--no-guided"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output,
              HasSubstr("1 case was left by a process that ended, for a run with its"));
  EXPECT_THAT(files_in(left), ElementsAre("a.case"));
  EXPECT_EQ(fuzz("state", {"--no-guided", "--candidate", kWrong}).exit_code, 1);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(TroubledCampaign, WhatAnotherBackendLeftWaitsForIt) {
  EXPECT_EQ(fuzz("before", {"--candidate", kWrong, "--no-guided"}).exit_code, 1);
  const std::string name = found_folder_name(BackendKind::kCuda, "production");
  const std::string left = path("state/running/s0/found/") + name + kRegress;
  EXPECT_EQ(fuzz("state", {"--no-guided"}).exit_code, 0);
  fs::create_directories(left);
  fs::copy_file(first_file("before/findings"), left + "/a.case");
  const Ended ended = fuzz("state", {"--no-guided"});
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(name + ": 1 case was left"));
  EXPECT_THAT(files_in(left), ElementsAre("a.case"));
}

TEST_F(TroubledCampaign, ARoundThatWasGivenUpIsNotDone) {
  setenv("BYTEGATE_FAKE", "hang", 1);
  // The drawn chain is done with its rounds long before.
  const Ended ended = fuzz("state", {"--jobs", "2", "--streams", "1", "--seconds", "3"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("drawn paged_mqa_metadata on host: 3 slices"),
                                  HasSubstr("the time ran out before the last round")));
}

TEST_F(TroubledCampaign, WhatAShellHasSetForTargetsIsNotForThoseOfACampaign) {
  setenv("BYTEGATE_FUZZ_REPORT", path("elsewhere").c_str(), 1);
  const Ended ended = fuzz("state", {"--no-drawn"});
  unsetenv("BYTEGATE_FUZZ_REPORT");
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_FALSE(fs::exists(path("elsewhere")));
}

TEST_F(TroubledCampaign, ATargetThatSomethingEndedOnceIsRunAgainWithTheSameBytes) {
  EXPECT_EQ(fuzz("undisturbed").exit_code, 0);
  // As the engine says that it was interrupted, that an input took too long, too much memory; and
  // a code that it has no meaning for.
  for (const char* code : {"72", "70", "71", "5"}) {
    setenv("BYTEGATE_FAKE_ONCE", path(std::string("once-") + code).c_str(), 1);
    setenv("BYTEGATE_FAKE", code, 1);
    const std::string state = std::string("state-") + code;
    const Ended ended = fuzz(state);
    EXPECT_EQ(ended.exit_code, 0) << code << ": " << ended.output;
    EXPECT_TRUE(fs::exists(path(std::string("once-") + code)));
    EXPECT_EQ(lasting(state), lasting("undisturbed")) << code;
  }
  unsetenv("BYTEGATE_FAKE_ONCE");
}

TEST_F(TroubledCampaign, ATargetThatAlwaysExitsOtherwiseStopsItsChainAlone) {
  setenv("BYTEGATE_FAKE", "5", 1);
  const Ended ended = fuzz("state", {"--jobs", "1"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("3 times in slice 0; the last time it exited with code 5"),
                    HasSubstr("drawn paged_mqa_metadata on host: 3 slices")));
}

TEST_F(TroubledCampaign, AFailureThatIsNoCaseIsSetAsideAndSaid) {
  std::ofstream(path("garbage")) << "not a case";
  setenv("BYTEGATE_FAKE_FAILURE", path("garbage").c_str(), 1);
  const Ended ended = fuzz("state", {"--no-drawn"});
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("failed, and cannot be read as a case"));
  EXPECT_THAT(files_in(path("state/damaged")), Not(IsEmpty()));
}

TEST_F(TroubledCampaign, InputsThatAreDamagedAreSetAsideAndTheNextCampaignGoesOnWithoutThem) {
  EXPECT_EQ(fuzz("state", {"--no-drawn"}).exit_code, 0);
  const std::vector<std::string> names = files_in(inputs());
  ASSERT_GT(names.size(), 2U);
  std::ofstream(inputs() + "/" + names[0]) << "bytegate-case 1\n";
  fs::copy_file(inputs() + "/" + names[1], inputs() + "/notes.case");
  const Ended ended = fuzz("state", {"--no-drawn", "--jobs", "1", "--seed", "9"});
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
  EXPECT_THAT(ended.output, AllOf(HasSubstr(names[0] + ": is damaged"),
                                  HasSubstr("notes.case: is damaged: it is another case"),
                                  HasSubstr("guided paged_mqa_metadata on host: 3 slices")));
  EXPECT_THAT(files_in(path("state/damaged")), SizeIs(2));
  EXPECT_EQ(fuzz("state", {"--no-drawn", "--jobs", "1", "--seed", "9"}).exit_code, 0);
}

TEST_F(TroubledCampaign, AnInputThatIsLostEndsItsChainAlone) {
  const CampaignOutcome first = run_campaign(small_campaign(1));
  EXPECT_THAT(first.errors, IsEmpty());
  const std::vector<std::string> names = files_in(inputs());
  ASSERT_FALSE(names.empty());
  fs::rename(inputs() + "/" + names[0], path("kept"));
  const CampaignOutcome second = run_campaign(small_campaign(2));
  EXPECT_THAT(second.errors, ElementsAre(AllOf(HasSubstr(names[0]), HasSubstr("once it is back"))));
  EXPECT_TRUE(second.out_of_time);
  EXPECT_EQ(num_slices(second.id, "guided"), 1U);
  EXPECT_EQ(num_slices(second.id, "drawn"), 2U);
  fs::rename(path("kept"), inputs() + "/" + names[0]);
  const CampaignOutcome third = run_campaign(small_campaign(2));
  EXPECT_THAT(third.errors, IsEmpty());
  EXPECT_EQ(num_slices(third.id, "guided"), 2U);
}

TEST_F(TroubledCampaign, AFolderInThePlaceOfAFileIsNamed) {
  fs::create_directories(path("state/FORMAT"));
  const Ended ended = fuzz("state");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("FORMAT: cannot be read"));
}

TEST_F(TroubledCampaign, WhatTheEngineCannotTakeIsRefusedAtOnce) {
  const Ended comma = fuzz("a,b");
  EXPECT_EQ(comma.exit_code, 2);
  EXPECT_THAT(comma.output, HasSubstr("a path with a comma"));
  EXPECT_EQ(fuzz("a,b", {"--no-guided"}).exit_code, 0);
}

}  // namespace
}  // namespace bytegate
