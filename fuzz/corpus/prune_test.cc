#include "fuzz/corpus/prune.h"

#include <gmock/gmock.h>

#include <fstream>

#include "fuzz/corpus/features.h"
#include "fuzz/corpus/survey.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/testing/temp_folder.h"

namespace bytegate {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

const OpProperties& properties() {
  return *find_properties(all_properties(), paged_mqa_metadata_op());
}

class Prune : public TempFolder {
 protected:
  // Under a name that a machine gives.
  std::string add(const Case& c) const {
    std::string name = case_digest(c) + ".case";
    add_named(name, c);
    return name;
  }
  void add_named(const std::string& name, const Case& c) const {
    EXPECT_EQ(save_case(path(name), c), std::nullopt);
  }
  std::vector<std::string> kept(const PruneOptions& options = {}) const {
    const PruneOutcome outcome = prune_corpus(folder_.string(), all_ops(), options);
    EXPECT_THAT(outcome.errors, IsEmpty());
    EXPECT_TRUE(outcome.smallest);
    std::vector<std::string> names;
    for (const PrunedFile& pruned : outcome.files) {
      if (pruned.kept) names.push_back(pruned.file.name);
    }
    return names;
  }
  std::set<std::string> features() const {
    std::set<std::string> all;
    CorpusJudge judge;
    read_corpus(folder_.string(), all_ops(), [&](const CorpusFile& file, const Case& c) {
      for (const std::string& feature : features_of(properties(), c, judge.judge(file, c))) {
        all.insert(feature);
      }
    });
    return all;
  }
};

TEST_F(Prune, DropsACaseThatIsGoodForNothingElse) {
  const std::string small = add(make_paged_mqa_metadata_case({300}, 4));
  add(make_paged_mqa_metadata_case({301, 301}, 4));
  add(make_paged_mqa_metadata_case({302, 302}, 4));
  EXPECT_EQ(kept().size(), 2U);
  EXPECT_THAT(kept(), Contains(small));
}

TEST_F(Prune, KeepsEveryFeatureOfADrawnCorpus) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Draw draw(seed);
    const Case c = properties().generate(draw);
    if (c.dims[0] <= 3000) add(c);
  }
  const std::set<std::string> before = features();
  const std::vector<std::string> names = kept();
  EXPECT_GT(names.size(), 5U);
  for (const fs::path& file : files()) {
    if (std::find(names.begin(), names.end(), file.filename()) == names.end()) fs::remove(file);
  }
  EXPECT_EQ(features(), before);
  EXPECT_EQ(kept(), names) << "there is nothing more to drop";
}

TEST_F(Prune, DropsOneOfTwoFilesOfACase) {
  const Case c = make_paged_mqa_metadata_case({300}, 4);
  add(c);
  add_named("crashed-0123456789abcdef.case", c);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(Prune, NeverDropsWhatSomebodyNamedOrRefersToUnlessAllMayGo) {
  const Case c = make_paged_mqa_metadata_case({300}, 4);
  add_named("by_hand.case", c);
  add_named("by_hand_too.case", c);
  const std::string referred = add(c);
  EXPECT_THAT(kept(), ElementsAre("by_hand.case", "by_hand_too.case"));
  EXPECT_EQ(kept({.referred = {case_digest(c)}}).size(), 3U);
  EXPECT_EQ(kept({.all = true, .referred = {case_digest(c)}}).size(), 1U);
}

TEST_F(Prune, KeepsOneCaseOfEachReasonToRefuse) {
  for (const int64_t num_sm : {0, 2000, 3000}) {
    Case c = make_paged_mqa_metadata_case({300}, 1);
    c.scalars[0] = num_sm;
    c.expect = Expect::kRefused;
    fit_tensors(c);
    add(c);
  }
  Case null = make_paged_mqa_metadata_case({300}, 1);
  null.expect = Expect::kRefused;
  null.call_faults = {{.kind = CallFaultKind::kNull, .tensor = 0}};
  const std::string named = add(null);
  EXPECT_EQ(kept().size(), 2U);
  EXPECT_THAT(kept(), Contains(named));
}

TEST_F(Prune, KeepsWhatAnEvidenceSaysOnlyOneCaseDoes) {
  const std::string first = add(make_paged_mqa_metadata_case({301, 301}, 4));
  const std::string second = add(make_paged_mqa_metadata_case({302, 302}, 4));
  const std::string third = add(make_paged_mqa_metadata_case({303, 303}, 4));
  EXPECT_EQ(kept().size(), 1U);
  Evidence evidence{.source = "edges.json",
                    .features = {{first, {"edge 1", "edge 2"}}, {second, {"edge 2", "edge 3"}}},
                    .known = {first, second, third}};
  EXPECT_EQ(kept({.evidence = {evidence}}).size(), 2U);
  evidence.known.erase(third);
  EXPECT_EQ(kept({.evidence = {evidence}}).size(), 3U) << "nobody knows what the third covers";
}

TEST_F(Prune, SaysWhatEachCaseIsKeptFor) {
  add(make_paged_mqa_metadata_case({300}, 4));
  add(make_paged_mqa_metadata_case(std::vector<int32_t>(100, 1), 4));
  const PruneOutcome outcome = prune_corpus(folder_.string(), all_ops(), {});
  ASSERT_EQ(outcome.files.size(), 2U);
  std::vector<std::string> paths;
  for (const PrunedFile& pruned : outcome.files) {
    for (const std::string& feature : pruned.only_here) {
      if (feature.find(" path ") != std::string::npos) paths.push_back(feature);
    }
  }
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("paged_mqa_metadata path small",
                                                     "paged_mqa_metadata path tiny"));
}

TEST_F(Prune, NamesWhatItCannotRead) {
  std::ofstream(path("broken.case")) << "bytegate-case 2\n";
  EXPECT_THAT(prune_corpus(folder_.string(), all_ops(), {}).errors,
              ElementsAre(HasSubstr("broken.case")));
}

TEST_F(Prune, FindsTheDigestsThatTextsName) {
  fs::create_directories(path("build"));
  std::ofstream(path("README.md")) << "see regress/crashed-0123456789abcdef.case and 0123456789abc";
  std::ofstream(path("build/log.txt")) << "1111111111111111";
  std::ofstream(path("a.case")) << "2222222222222222";
  EXPECT_THAT(digests_named_in(folder_.string()).digests, ElementsAre("0123456789abcdef"));
}

TEST_F(Prune, ASurveyCountsFilesCasesAndFailures) {
  Case c = make_paged_mqa_metadata_case({300}, 4);
  add(c);
  c.origin = "mismatch:schedule_metadata";
  add_named("twice.case", c);
  c.expect = Expect::kRefused;
  add_named("wrong.case", c);
  const CorpusSurvey survey = survey_corpus({folder_.string()}, all_properties(), all_ops());
  EXPECT_THAT(survey.errors, IsEmpty());
  const OpSurvey& op = survey.ops.front();
  EXPECT_EQ(op.num_files, 3);
  EXPECT_EQ(op.num_duplicates, 1);
  EXPECT_EQ(op.tally.all.passed, 2);
  EXPECT_EQ(op.tally.all.failed, 1);
  EXPECT_EQ(op.by_origin.at("mismatch"), 2);
  EXPECT_EQ(op.by_expect.at("refused"), 1);
}

}  // namespace
}  // namespace bytegate
