// What must hold for every case. Relations between two of them are in relations_test.cc.
#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <algorithm>
#include <sstream>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate_handle.h"
#include "oracles/case_text.h"
#include "oracles/paged_mqa_metadata.h"
#include "oracles/schedule_walker.h"
#include "properties/check.h"
#include "properties/paged_mqa_metadata.h"
#include "properties/rapidcheck_gen.h"

// RapidCheck's integration needs GoogleTest's headers before it.
#include <rapidcheck/gtest.h>

namespace bytegate {

namespace {

using Index = PagedMqaMetadataIndex;

// Batches of any shape, but no larger than a property can run hundreds of.
rc::Gen<Case> batches() {
  static const OpProperties properties = paged_mqa_metadata_properties();
  return rc::gen::suchThat(gen_case(properties), [](const Case& c) { return c.dims[0] <= 5000; });
}

std::vector<int32_t> table_of(const Case& c) {
  return expected_outputs(c)[Index::kScheduleMetadata].int32_vector();
}

RC_GTEST_PROP(PagedMqaMetadataProperty, EverySplitIsVisitedExactlyOnce, ()) {
  const Case c = *batches();
  const auto broken = walk_schedule(view_paged_mqa_metadata(c), table_of(c));
  if (broken) RC_FAIL(*broken);
}

RC_GTEST_PROP(PagedMqaMetadataProperty, EveryPathGivesTheOraclesBytes, ()) {
  static const OpProperties properties = paged_mqa_metadata_properties();
  const Candidate::Result opened = Candidate::open(production_candidate());
  const std::unique_ptr<Backend> backend = make_host_backend({});
  Case c = *batches();
  for (const std::string_view path : c.op->paths) {
    if (path == "tiny" && c.dims[0] > 64) continue;
    if (path == "small" && c.dims[0] > 2048) continue;
    c.forced_path = path;
    const Verdict verdict = check({&c, 1}, *opened.candidate, *backend, properties).front();
    if (!verdict.passed()) RC_FAIL(describe(verdict));
    RC_ASSERT(verdict.path == path);
  }
}

RC_GTEST_PROP(PagedMqaMetadataProperty, ACaseReadsBackAsItWasWritten, ()) {
  const Case c = *batches();
  const std::vector<const Op*> ops = {&paged_mqa_metadata_op()};
  const ParseResult read = read_case(write_case(c), ops);
  RC_ASSERT(read.value.has_value());
  RC_ASSERT(*read.value == c);
}

}  // namespace
}  // namespace bytegate
