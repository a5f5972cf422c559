// What each launch mode costs: microseconds a case from submission to verdict, and how many plain
// cases would have run in that time. One worker, one thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate_handle.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/draw.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {
namespace {

constexpr int64_t kNumSm = 132;
constexpr size_t kNumCases = 512;
constexpr int kNumRepeats = 5;

// Cases of the path that has a workspace; in graph mode they are replayed once.
std::vector<Case> cases_in(Mode mode, int64_t num_rows) {
  std::vector<Case> cases;
  for (uint64_t i = 0; i < kNumCases; ++i) {
    Draw draw(case_seed(1, i));
    std::vector<int32_t> lens(static_cast<size_t>(num_rows));
    for (int32_t& len : lens) len = static_cast<int32_t>(draw.between(1, 32768));
    cases.push_back(make_paged_mqa_metadata_case(std::move(lens), kNumSm));
    cases.back().forced_path = "multi_block";
    cases.back().mode = mode;
  }
  return cases;
}

// The median of a few runs; negative when a case failed.
double microseconds_per_case(const std::vector<Case>& cases, Backend& backend) {
  const Candidate::Result opened = Candidate::open(production_candidate());
  std::vector<double> times;
  for (int repeat = 0; repeat <= kNumRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (const Verdict& verdict :
         check(cases, *opened.candidate, backend, paged_mqa_metadata_properties())) {
      if (!verdict.passed()) return -1;
    }
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    // The first one starts the worker.
    if (repeat > 0) times.push_back(took.count() / static_cast<double>(cases.size()));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int measure(Backend& backend, int64_t num_rows) {
  std::printf("%s, %lld requests a case\n%-16s %12s %8s\n", backend.description().c_str(),
              static_cast<long long>(num_rows), "mode", "us a case", "ratio");
  double plain = 0;
  for (const ModeSpec& spec : kModes) {
    const double time = microseconds_per_case(cases_in(spec.mode, num_rows), backend);
    if (time < 0) return 1;
    if (spec.mode == Mode::kPlain) plain = time;
    std::printf("%-16s %12.1f %8.2f\n", std::string(spec.name).c_str(), time, time / plain);
  }
  return 0;
}

}  // namespace
}  // namespace bytegate

int main(int argc, char** argv) {
  const std::string backend = argc == 2 ? argv[1] : "";
  if (backend != "host" && backend != "cuda") {
    std::printf("usage: %s host|cuda\nThe cost of each launch mode on that backend.\n", argv[0]);
    return backend == "--help" ? 0 : 2;
  }
  const bytegate::MadeBackend made = backend == "cuda" ? bytegate::make_cuda_backend({})
                                                       : bytegate::make_isolated_host_backend({});
  if (made.backend == nullptr) {
    std::printf("%s: %s\n", backend.c_str(), made.absent_reason.c_str());
    return 4;
  }
  for (const int64_t num_rows : {64, 2048}) {
    if (bytegate::measure(*made.backend, num_rows) != 0) return 1;
  }
  return 0;
}
