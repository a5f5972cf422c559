// What the host can do in a second: whole checks (buffers, kernel on the executor, oracle, compare,
// invariants) and the oracle by itself. Cases are made beforehand.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernels/builtin_candidate.h"
#include "kernels/candidate_handle.h"
#include "kernels/host_backend.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/check.h"
#include "properties/dsa_metadata.h"
#include "properties/paged_mqa_metadata.h"

namespace bytegate {
namespace {

constexpr int64_t kNumSm = 132;

std::vector<Case> serving_cases(int64_t num_cases, int64_t num_rows) {
  std::vector<Case> cases;
  for (int64_t i = 0; i < num_cases; ++i) {
    Draw draw(case_seed(1, static_cast<uint64_t>(i)));
    std::vector<int32_t> lens(static_cast<size_t>(num_rows));
    for (int32_t& len : lens) len = static_cast<int32_t>(draw.between(1, 32768));
    cases.push_back(make_paged_mqa_metadata_case(std::move(lens), kNumSm));
    cases.back().seed = draw.bits();
  }
  return cases;
}

void check_all(benchmark::State& state, const OpProperties& properties,
               const std::vector<Case>& cases, Backend& backend) {
  Candidate::Result opened = Candidate::open(production_candidate());
  while (state.KeepRunning()) {
    for (const Verdict& verdict : check(cases, *opened.candidate, backend, properties)) {
      if (!verdict.passed()) state.SkipWithError("a case failed");
    }
  }
  state.counters["cases/s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(cases.size()),
      benchmark::Counter::kIsRate);
}

void check_cases(benchmark::State& state) {
  FaultMap faults;
  const auto backend = make_guarded_host_backend({}, faults);
  check_all(state, paged_mqa_metadata_properties(), serving_cases(16, state.range(0)), *backend);
}
BENCHMARK(check_cases)->Arg(1)->Arg(64)->Arg(2048)->Arg(131072)->Unit(benchmark::kMicrosecond);

// The same in an arena between red zones: what the unmapped pages cost.
void check_unguarded_cases(benchmark::State& state) {
  const auto backend = make_host_backend({});
  check_all(state, paged_mqa_metadata_properties(), serving_cases(16, state.range(0)), *backend);
}
BENCHMARK(check_unguarded_cases)
    ->Arg(1)
    ->Arg(64)
    ->Arg(2048)
    ->Arg(131072)
    ->Unit(benchmark::kMicrosecond);

// 64 requests in each mode; the argument is its place in kModes.
void check_mode(benchmark::State& state) {
  const Mode mode = static_cast<Mode>(state.range(0));
  std::vector<Case> cases = serving_cases(16, 64);
  for (Case& c : cases) {
    c.mode = mode;
    c.forced_path = "multi_block";  // has a workspace
  }
  state.SetLabel(std::string(mode_name(mode)));
  FaultMap faults;
  const auto backend = make_guarded_host_backend({}, faults);
  check_all(state, paged_mqa_metadata_properties(), cases, *backend);
}
BENCHMARK(check_mode)
    ->DenseRange(0, static_cast<int>(kModes.size()) - 1)
    ->Unit(benchmark::kMicrosecond);

// What the gate draws, all sizes mixed; the argument is the operation's place among dsa_ops().
void check_dsa_cases(benchmark::State& state) {
  const OpProperties properties = dsa_properties()[static_cast<size_t>(state.range(0))];
  std::vector<Case> cases;
  for (uint64_t i = 0; i < 256; ++i) {
    Draw draw(case_seed(1, i));
    cases.push_back(properties.generate(draw));
  }
  state.SetLabel(std::string(properties.op->name));
  FaultMap faults;
  const auto backend = make_guarded_host_backend({}, faults);
  check_all(state, properties, cases, *backend);
}
BENCHMARK(check_dsa_cases)->DenseRange(0, 7)->Unit(benchmark::kMillisecond);

void oracle(benchmark::State& state) {
  const std::vector<Case> cases = serving_cases(1, state.range(0));
  const PagedMqaMetadataCase view = view_paged_mqa_metadata(cases.front());
  std::vector<int32_t> table(2 * (kNumSm + 1));
  while (state.KeepRunning()) {
    paged_mqa_metadata_oracle(view, table);
    benchmark::DoNotOptimize(table.data());
  }
  state.counters["time/row"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(oracle)->Arg(64)->Arg(2048)->Arg(131072)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bytegate

BENCHMARK_MAIN();
