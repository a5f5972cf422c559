#include "fuzz/campaign/drawn_slice.h"

#include <mutex>
#include <utility>

#include "fuzz/sources.h"

namespace bytegate {
namespace {

// Cases of a stream, more than any will come to. The first so many are those of a gate.
constexpr int64_t kStreamCases = int64_t{1} << 40;
// A device begins each slice anew, and takes cases faster.
constexpr int64_t kCudaSliceFactor = 4;

int64_t slice_cases(const OpProperties& properties, const Chain& chain,
                    const CampaignOptions& options) {
  const int64_t cases = options.slice_cases > 0 ? options.slice_cases : properties.gate_cases;
  return chain.backend == BackendKind::kCuda ? cases * kCudaSliceFactor : cases;
}

void count(NamedCounts& counts, const std::string& name, int64_t number) {
  if (number > 0) counts[name] += number;
}

void enter(const Tally& tally, const OpProperties& properties, SliceRecord& record) {
  record.passed = tally.all.passed;
  record.failed = tally.all.failed;
  record.set_aside = tally.all.set_aside;
  const auto judged = [](const Counts& counts) { return counts.passed + counts.failed; };
  const int64_t num_refused = judged(tally.refusals);
  const int64_t num_survived = judged(tally.survivals);
  count(record.expects, "refused", num_refused);
  count(record.expects, "survived", num_survived);
  count(record.expects, "bytes", judged(tally.all) - num_refused - num_survived);
  for (int kind = 0; kind < kNumVerdictKinds; ++kind) {
    count(record.verdicts, std::string(verdict_name(static_cast<VerdictKind>(kind))),
          tally.by_verdict[static_cast<size_t>(kind)]);
  }
  for (const auto& [path, counts] : tally.by_path) count(record.paths, path, judged(counts));
  for (size_t i = 0; i < tally.by_class.size(); ++i) {
    count(record.classes, std::string(properties.classes[i]), tally.by_class[i]);
  }
}

// Of one backend, or of one thing that failed: the other chains go on.
SliceResult failure(const Chain& chain, const std::string& why) {
  return {.record = std::nullopt, .error = chain.name() + ": " + why, .others_go_on = true};
}

// What else may have ended the worker, or taken the device.
enum class Disturbance : uint8_t {
  kNone,
  kSomething,  // the case, run alone, fails otherwise, or passes
  kLasting,    // it gets no verdict alone, either
};

Disturbance disturbance_of(const FailedCase& failed, const OpProperties& properties,
                           Candidate& candidate, Backend& backend) {
  const VerdictKind kind = failed.verdict.kind;
  if (kind != VerdictKind::kCrashed && kind != VerdictKind::kExhausted &&
      kind != VerdictKind::kUntested) {
    return Disturbance::kNone;
  }
  const Verdict alone = check({&failed.kept, 1}, candidate, backend, properties).front();
  if (alone.kind == VerdictKind::kUntested) return Disturbance::kLasting;
  return alone.origin == failed.verdict.origin ? Disturbance::kNone : Disturbance::kSomething;
}

// Without a record where the slice was disturbed, unless it is the last try, and where something
// that failed was not kept.
SliceResult try_drawn_slice(const OpProperties& properties, const Chain& chain, int64_t idx,
                            const CampaignOptions& options, CampaignFindings& findings,
                            const std::function<bool()>& stop, bool last_try) {
  SliceResult result;
  SliceRecord record;
  record.chain = chain;
  record.idx = idx;
  const int64_t num_cases = slice_cases(properties, chain, options);
  const GeneratedRange range = {.seed = options.seed,
                                .num_cases = num_cases,
                                .first = (chain.stream + 1) * kStreamCases + idx * num_cases};
  RunOptions run = options.run;
  run.backend = chain.backend;
  run.num_jobs = 1;
  run.stop = stop;
  bool is_void = false;
  run.keep = [&](FailedCase failed, Candidate& candidate, Backend& backend) {
    if (is_void) return;
    const Disturbance found = disturbance_of(failed, properties, candidate, backend);
    if (found == Disturbance::kLasting && last_try && !stop()) {
      result = failure(chain, "a case has no verdict: " + describe(failed.verdict));
    }
    is_void = found == Disturbance::kLasting || (found == Disturbance::kSomething && !last_try);
    if (is_void) return;
    count(record.origins, failed.verdict.origin, 1);
    is_void = !findings.keep(properties, chain.backend, std::move(failed), candidate, backend);
    if (is_void && !stop()) result = failure(chain, "what failed could not be saved");
  };
  const RunOutcome outcome =
      bytegate::run(properties, source_of_generator(properties, range, chain.backend), run);
  if (!outcome.error.empty()) return failure(chain, outcome.error);
  if (outcome.stopped || is_void) return result;
  enter(outcome.tally, properties, record);
  result.record = std::move(record);
  return result;
}

}  // namespace

SliceResult run_drawn_slice(const OpProperties& properties, const Chain& chain, int64_t idx,
                            const CampaignOptions& options, CampaignFindings& findings,
                            const std::function<bool()>& stop) {
  constexpr int kMaxTries = 3;
  SliceResult result;
  for (int i = 1; i <= kMaxTries && !result.record && result.error.empty() && !stop(); ++i) {
    result = try_drawn_slice(properties, chain, idx, options, findings, stop, i == kMaxTries);
  }
  return result;
}

}  // namespace bytegate
