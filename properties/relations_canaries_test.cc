// The candidates that are wrong on purpose are caught by relations alone: without an oracle, and
// without the invariants of single outputs. (What is written beside an output, guards see.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/testing/candidates.h"
#include "kernels/testing/dsa_candidates.h"
#include "kernels/testing/dsa_refresh_candidates.h"
#include "kernels/testing/schedule_candidates.h"
#include "oracles/dsa_metadata.h"
#include "properties/check_relations.h"
#include "properties/paged_mqa_metadata.h"
#include "properties/testing/dsa_drawn.h"

namespace bytegate {
namespace {

using ::testing::IsEmpty;

constexpr uint64_t kMaxDrawn = 400;  // of each operation
constexpr size_t kAtOnce = 16;

OpProperties by_relations_alone(OpProperties properties) {
  properties.broken_invariant = nullptr;
  return properties;
}

bool is_quick(const Case& c) {
  int64_t count = 0;
  for (const Tensor& tensor : c.tensors) {
    if (tensor.present) count += num_elements(tensor.shape).value_or(1 << 20);
  }
  return count < 1 << 18;
}

// How the first of what is drawn is caught; empty: none is.
std::string caught(const bytegate_candidate& table, const OpProperties& properties) {
  const auto candidate = open_candidate(table);
  const auto backend = make_host_backend({});
  for (uint64_t i = 0; i < kMaxDrawn;) {
    std::vector<Case> cases;
    for (; cases.size() < kAtOnce && i < kMaxDrawn; ++i) {
      Case c = at_step(drawn_case(properties, 31, i), 0);
      c.forced_path.clear();
      if (is_quick(c)) cases.push_back(std::move(c));
    }
    for (const Verdict& verdict : check(cases, *candidate, *backend, properties, kWithoutOracle)) {
      if (!verdict.passed() && !says_nothing(verdict.kind)) return describe(verdict);
    }
  }
  return {};
}

bool is_caught(const bytegate_candidate& table, const OpProperties& properties) {
  return !caught(table, properties).empty();
}

std::vector<int> missed_dsa_flaws() {
  std::vector<int> missed;
  for (int flaw = 1; flaw < static_cast<int>(DsaFlaw::kNumFlaws); ++flaw) {
    bool caught = false;
    for (const DsaMode mode : {DsaMode::kDecode, DsaMode::kTargetVerify, DsaMode::kDraftExtend}) {
      if (caught) break;
      caught = is_caught(dsa_candidate(static_cast<DsaFlaw>(flaw)),
                         by_relations_alone(dsa_properties_of(mode, DsaEntry::kMetadata)));
    }
    if (!caught) missed.push_back(flaw);
  }
  return missed;
}

std::vector<int> missed_refresh_flaws() {
  std::vector<int> missed;
  for (int flaw = 1; flaw < static_cast<int>(DsaRefreshFlaw::kNumFlaws); ++flaw) {
    bool caught = false;
    for (const DsaMode mode : {DsaMode::kDecode, DsaMode::kTargetVerify, DsaMode::kDraftExtend}) {
      if (caught) break;
      caught = is_caught(dsa_refresh_candidate(static_cast<DsaRefreshFlaw>(flaw)),
                         by_relations_alone(dsa_properties_of(mode, DsaEntry::kRefresh)));
    }
    if (!caught) missed.push_back(flaw);
  }
  return missed;
}

TEST(RelationCanaries, BothWrongSchedulesAreCaughtByRelationsAlone) {
  const OpProperties alone = by_relations_alone(paged_mqa_metadata_properties());
  EXPECT_TRUE(is_caught(forward_remainder_candidate(), alone));
  EXPECT_TRUE(is_caught(narrow_total_candidate(), alone));
}

TEST(RelationCanaries, EveryWrongDsaCandidateIsCaughtByRelationsAlone) {
  EXPECT_THAT(missed_dsa_flaws(), IsEmpty());
  EXPECT_THAT(missed_refresh_flaws(), IsEmpty());
}

TEST(RelationCanaries, TheRightCandidatesPass) {
  for (const DsaMode mode : {DsaMode::kDecode, DsaMode::kTargetVerify, DsaMode::kDraftExtend}) {
    EXPECT_EQ(caught(dsa_candidate(DsaFlaw::kNone), dsa_properties_of(mode, DsaEntry::kMetadata)),
              "");
    EXPECT_EQ(caught(dsa_refresh_candidate(DsaRefreshFlaw::kNone),
                     dsa_properties_of(mode, DsaEntry::kRefresh)),
              "");
  }
}

}  // namespace
}  // namespace bytegate
