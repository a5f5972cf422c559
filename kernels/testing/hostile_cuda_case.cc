#include "kernels/testing/hostile_cuda_case.h"

#include <utility>

#include "kernels/testing/num_repeats.h"

namespace bytegate {
namespace {

using Index = CudaTestIndex;

std::string status_name(RunStatus status) {
  switch (status) {
    case RunStatus::kDone:
      return "done";
    case RunStatus::kRefused:
      return "refused";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kUnsupported:
      return "unsupported";
    case RunStatus::kFault:
      return "fault";
    case RunStatus::kExited:
      return "exited";
    case RunStatus::kHung:
      return "hung";
    case RunStatus::kExhausted:
      return "exhausted";
    case RunStatus::kVacuous:
      return "vacuous";
    case RunStatus::kTookShort:
      return "took short";
    case RunStatus::kNoisy:
      return "noisy";
    case RunStatus::kLost:
      return "lost";
  }
  return "";
}

std::string kind_name(Damage::Kind kind) {
  switch (kind) {
    case Damage::Kind::kGuard:
      return "guard";
    case Damage::Kind::kGap:
      return "gap";
    case Damage::Kind::kInput:
      return "input";
    case Damage::Kind::kRead:
      return "read";
    case Damage::Kind::kWrite:
      return "write";
  }
  return "";
}

std::string text_of(const Case& c, const Damage& damage) {
  const std::string buffer =
      damage.tensor < 0 ? "workspace"
                        : std::string(c.op->tensors[static_cast<size_t>(damage.tensor)].name);
  const std::string sign = damage.byte_offset < 0 ? "" : "+";
  return kind_name(damage.kind) + " " + buffer + sign + std::to_string(damage.byte_offset);
}

}  // namespace

Case make_hostile_case(HostileCuda hostility, Mode mode, int64_t buffer) {
  Case c = make_cuda_test_case(kHostileRows, 1);
  c.scalars[Index::kBehaviour] = static_cast<int64_t>(hostility);
  c.scalars[Index::kStrayIdx] = buffer;
  c.scalars[Index::kWorkspaceBytes] = kHostileWorkspaceBytes;
  c.mode = mode;
  return c;
}

std::string outcome_of(const Case& c, const RunResult& result) {
  if (result.trespass) return text_of(c, *result.trespass);
  if (result.status != RunStatus::kDone) return status_name(result.status);
  const std::vector<size_t> steps = launched_steps(c);
  if (result.steps.size() != steps.size()) return "another number of launches";
  for (const StepResult& step : result.steps) {
    if (step.damage) return text_of(c, *step.damage);
    if (!step.untouched[Index::kTable].empty()) return "unwritten";
  }
  for (size_t launch = 0; launch < steps.size(); ++launch) {
    const Outputs expect = expected_outputs(at_step(c, steps[launch]));
    if (expect[Index::kTable] != result.steps[launch].outputs[Index::kTable]) return "mismatch";
  }
  return "right";
}

void HostileCudaTest::SetUp() {
  CudaTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  Candidate::Result opened = Candidate::open(hostile_cuda_candidate());
  ASSERT_NE(opened.candidate, nullptr) << opened.error;
  candidate_ = std::move(opened.candidate);
}

std::string HostileCudaTest::outcome_of_runs(const Case& c) {
  std::string all;
  bool same = true;
  std::string first;
  for (int run_idx = 0; run_idx < num_repeats(); ++run_idx) {
    const RunResult result = run_one(c);
    const std::string outcome = outcome_of(c, result);
    if (run_idx == 0) first = outcome;
    same = same && outcome == first;
    all += (run_idx == 0 ? "" : ", ") + outcome + " [" + result.message + "]";
  }
  return same ? first : all;
}

}  // namespace bytegate
