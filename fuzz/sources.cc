#include "fuzz/sources.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "fuzz/choose_mode.h"
#include "oracles/case_text.h"
#include "properties/spoil.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

// Large enough to hide a device's latency, small enough that threads share the work.
constexpr size_t kHostBatch = 16;
constexpr size_t kCudaBatch = 512;

size_t batch_size(BackendKind backend) {
  return backend == BackendKind::kCuda ? kCudaBatch : kHostBatch;
}

}  // namespace

bool runs_on(const Case& c, BackendKind backend) {
  return c.backend == BackendKind::kAny || c.backend == backend;
}

std::string source_of_path(const std::string& path) {
  return fs::path(path).parent_path().filename() == "trace" ? "trace" : "corpus";
}

bool is_large_case(const std::string& path) {
  return fs::path(path).parent_path().filename() == "large";
}

CaseFiles find_case_files(const std::string& file_or_dir) {
  CaseFiles found;
  std::error_code error;
  const fs::file_status status = fs::status(file_or_dir, error);
  if (!fs::exists(status)) {
    found.error = file_or_dir + ": no such file or folder";
    return found;
  }
  if (!fs::is_directory(status)) {
    found.paths.push_back(file_or_dir);
    return found;
  }
  fs::recursive_directory_iterator entry(file_or_dir, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".case") found.paths.push_back(entry->path().string());
  }
  if (error) found.error = file_or_dir + ": " + error.message();
  if (!error && found.paths.empty()) found.error = file_or_dir + ": holds no case file (*.case)";
  std::sort(found.paths.begin(), found.paths.end());
  return found;
}

LoadedCases load_case_files(const std::vector<std::string>& paths, OpTable ops) {
  LoadedCases loaded;
  for (const std::string& path : paths) {
    LoadResult result = load_case(path, ops);
    if (result.value) {
      loaded.cases.push_back(std::move(*result.value));
      loaded.files.push_back(path);
    } else {
      loaded.errors.push_back(result.error);
    }
  }
  return loaded;
}

int64_t num_for_other_backends(const LoadedCases& loaded, const Op& op, BackendKind backend) {
  return std::count_if(loaded.cases.begin(), loaded.cases.end(),
                       [&](const Case& c) { return c.op == &op && !runs_on(c, backend); });
}

CaseSource source_of_files(const LoadedCases& loaded, const Op& op, BackendKind backend) {
  return [&loaded, &op, backend, next = size_t{0}]() mutable -> std::optional<CaseBatch> {
    std::vector<size_t> chosen;
    std::string source;
    while (next < loaded.cases.size() && chosen.size() < batch_size(backend)) {
      const Case& c = loaded.cases[next];
      if (c.op == &op && runs_on(c, backend)) {
        const std::string its_source = source_of_path(loaded.files[next]);
        if (!chosen.empty() && its_source != source) break;
        source = its_source;
        chosen.push_back(next);
      }
      ++next;
    }
    if (chosen.empty()) return std::nullopt;
    CaseBatch batch{.source = source, .make = nullptr};
    for (const size_t i : chosen) batch.files.push_back(loaded.files[i]);
    batch.make = [&loaded, chosen] {
      std::vector<Case> cases;
      for (const size_t i : chosen) cases.push_back(loaded.cases[i]);
      return cases;
    };
    return batch;
  };
}

CaseSource source_of_generator(const OpProperties& properties, const GeneratedRange& range,
                               BackendKind backend) {
  const int64_t size = static_cast<int64_t>(batch_size(backend));
  return [&properties, range, backend, size,
          next = range.shard]() mutable -> std::optional<CaseBatch> {
    if (next >= range.num_cases) return std::nullopt;
    const int64_t first = next;
    const int64_t step = range.num_shards;
    const int64_t last = std::min(range.num_cases, first + size * step);
    next = first + (last - first + step - 1) / step * step;
    return CaseBatch{.source = kGeneratedSource,
                     .make = [&properties, range, backend, first, last, step] {
                       std::vector<Case> cases;
                       for (int64_t i = first; i < last; i += step) {
                         const uint64_t idx = static_cast<uint64_t>(range.first + i);
                         const uint64_t seed = case_seed(range.seed, idx);
                         Draw draw(seed);
                         cases.push_back(properties.generate(draw));
                         spoil_some(cases.back(), seed);
                         Draw launch(case_seed(~range.seed, idx));
                         choose_mode(cases.back(), backend, launch);
                       }
                       return cases;
                     }};
  };
}

CaseSource source_of_trace(const OpProperties& properties, trace::ServedRun served, uint64_t seed) {
  constexpr size_t kStepsAtOnce = 256;  // which an interrupt waits for
  constexpr size_t kRowsAtOnce = 16384;
  constexpr size_t kPagesAtOnce = size_t{1} << 20;
  const auto run = std::make_shared<trace::ServedRun>(std::move(served));
  return [&properties, run, seed]() -> std::optional<CaseBatch> {
    std::vector<trace::ServedBatch> batches;
    size_t num_rows = 0;
    size_t num_pages = 0;
    while (batches.size() < kStepsAtOnce && num_rows < kRowsAtOnce && num_pages < kPagesAtOnce) {
      std::optional<trace::ServedBatch> batch = run->next();
      if (!batch) break;
      num_rows += batch->context_lens.size() + 1;
      num_pages += batch->pages.size();
      batches.push_back(std::move(*batch));
    }
    if (batches.empty()) return std::nullopt;
    return CaseBatch{.source = "trace", .make = [&properties, batches = std::move(batches), seed] {
                       std::vector<Case> cases;
                       for (const trace::ServedBatch& batch : batches) {
                         Draw draw(case_seed(seed, static_cast<uint64_t>(batch.step_idx)));
                         cases.push_back(properties.of_batch(batch, draw));
                       }
                       return cases;
                     }};
  };
}

CaseSource joined(std::vector<CaseSource> sources) {
  return [sources = std::move(sources), now = size_t{0}]() mutable -> std::optional<CaseBatch> {
    for (; now < sources.size(); ++now) {
      if (std::optional<CaseBatch> batch = sources[now]()) return batch;
    }
    return std::nullopt;
  };
}

}  // namespace bytegate
