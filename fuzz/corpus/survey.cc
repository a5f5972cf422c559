#include "fuzz/corpus/survey.h"

#include <algorithm>

#include "fuzz/run.h"
#include "fuzz/sources.h"

namespace bytegate {
namespace {

void count(OpSurvey& survey, const CorpusFile& file, const Case& c, const Verdict& verdict) {
  ++survey.num_files;
  survey.num_bytes += file.num_bytes;
  if (!survey.digests.insert(file.digest).second) ++survey.num_duplicates;
  if (verdict.kind == VerdictKind::kUnsupported) ++survey.num_not_run;
  ++survey.by_expect[std::string(expect_name(c.expect))];
  const std::string flaw(flaw_of_origin(c.origin));
  ++survey.by_origin[flaw.empty() ? "none" : flaw.substr(0, flaw.find(':'))];
  ++survey.by_steps[static_cast<int64_t>(c.later_steps.size()) + 1];
  survey.tally.add(*survey.properties, c, verdict, source_of_path(file.path), BackendKind::kHost);
}

}  // namespace

CorpusJudge::CorpusJudge() {
  Candidate::Result opened = open_candidate("production");
  BackendResult made = open_backend(BackendKind::kHost, {});
  error_ = opened.candidate == nullptr ? opened.error : made.absent_reason;
  candidate_ = std::move(opened.candidate);
  backend_ = std::move(made.backend);
}

Verdict CorpusJudge::judge(const CorpusFile& file, const Case& c) {
  if (is_large_case(file.path) || takes_gigabytes(c)) {
    return {.kind = VerdictKind::kUnsupported, .message = "takes gigabytes"};
  }
  if (!runs_on(c, BackendKind::kHost)) {
    return {.kind = VerdictKind::kUnsupported, .message = "is for cuda only"};
  }
  return check({&c, 1}, *candidate_, *backend_, *find_properties(all_properties(), *c.op), {})
      .front();
}

CorpusSurvey survey_corpus(const std::vector<std::string>& files_or_dirs, PropertyTable table,
                           OpTable ops) {
  CorpusSurvey survey;
  for (const OpProperties& properties : table) survey.ops.emplace_back(properties);
  CorpusJudge judge;
  if (!judge.error().empty()) {
    survey.errors.push_back(judge.error());
    return survey;
  }
  for (const std::string& path : files_or_dirs) {
    std::vector<std::string> errors = read_corpus(path, ops, [&](const CorpusFile& file, Case& c) {
      const auto found =
          std::find_if(survey.ops.begin(), survey.ops.end(),
                       [&](const OpSurvey& entry) { return entry.properties->op == c.op; });
      count(*found, file, c, judge.judge(file, c));
    });
    std::move(errors.begin(), errors.end(), std::back_inserter(survey.errors));
  }
  return survey;
}

}  // namespace bytegate
