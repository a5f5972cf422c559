#include "fuzz/corpus/import.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "fuzz/corpus/files.h"
#include "properties/trace/selection.h"
#include "properties/trace/trace_reader.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

void add(CaseSink& sink, const Case& c, ImportCounts& counts) {
  const size_t num_before = sink.errors().size();
  counts.cases.count(sink.add(c));
  const std::vector<std::string>& errors = sink.errors();
  counts.rejected.insert(counts.rejected.end(), errors.begin() + static_cast<ptrdiff_t>(num_before),
                         errors.end());
}

bool is_afl_folder(const fs::path& name) {
  return name == "queue" || name == "crashes" || name == "hangs";
}

// Whether the folder is the output of AFL++: of one instance, or with one folder for each.
bool is_afl_output(const fs::path& dir) {
  std::error_code error;
  if (is_afl_folder(dir.filename())) return true;
  if (fs::is_directory(dir / "queue", error)) return true;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (fs::is_directory(entry.path() / "queue", error)) return true;
  }
  return false;
}

bool is_input(const fs::path& path, bool of_afl) {
  const std::string name = path.filename().string();
  if (of_afl) return name.starts_with("id:") && is_afl_folder(path.parent_path().filename());
  return !name.starts_with('.') && name != "README.txt" && path.extension() != ".case";
}

std::optional<std::vector<uint8_t>> bytes_of(const std::string& path, std::string& problem) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    problem = path + ": cannot be read";
    return std::nullopt;
  }
  std::vector<uint8_t> bytes(kMaxInputBytes + 1);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  if (bytes.size() <= kMaxInputBytes) return bytes;
  problem = path + ": more than " + std::to_string(kMaxInputBytes) + " bytes";
  return std::nullopt;
}

}  // namespace

ImportCounts import_cases(const std::string& file_or_dir, CaseSink& sink, OpTable ops) {
  ImportCounts counts;
  const std::vector<std::string> damaged = read_corpus(
      file_or_dir, ops, [&](const CorpusFile&, const Case& c) { add(sink, c, counts); });
  counts.rejected.insert(counts.rejected.end(), damaged.begin(), damaged.end());
  counts.cases.num_rejected += static_cast<int64_t>(damaged.size());
  return counts;
}

FoundInputs find_inputs(const std::string& file_or_dir) {
  FoundInputs found;
  std::error_code error;
  if (!fs::is_directory(file_or_dir, error)) return {{file_or_dir}, ""};
  const bool of_afl = is_afl_output(file_or_dir);
  fs::recursive_directory_iterator entry(file_or_dir, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory(gone)) entry.disable_recursion_pending();
    if (entry->is_symlink(gone) || !entry->is_regular_file(gone)) continue;
    if (is_input(entry->path(), of_afl)) found.files.push_back(entry->path().string());
  }
  if (error) found.error = file_or_dir + ": cannot be read in full: " + error.message();
  std::sort(found.files.begin(), found.files.end());
  return found;
}

ImportCounts import_inputs(const FoundInputs& inputs, const Op& op, const DecodeInput& decode,
                           CaseSink& sink) {
  ImportCounts counts;
  if (!inputs.error.empty()) counts.rejected.push_back(inputs.error);
  for (const std::string& path : inputs.files) {
    std::string problem;
    const std::optional<std::vector<uint8_t>> bytes = bytes_of(path, problem);
    if (!bytes) {
      counts.rejected.push_back(problem);
      ++counts.cases.num_rejected;
      continue;
    }
    add(sink, decode(op, *bytes), counts);
  }
  return counts;
}

ImportCounts import_trace(const std::string& file, const OpProperties& properties,
                          const TraceImport& options, CaseSink& sink) {
  ImportCounts counts;
  const auto reject = [&](const std::string& why) {
    counts.rejected.push_back(file + ": " + why);
    ++counts.cases.num_rejected;
    return counts;
  };
  const trace::TraceResult read = trace::read_trace_file(file);
  if (const auto* error = std::get_if<trace::TraceError>(&read)) {
    return reject(trace::to_string(*error));
  }
  const auto selected = trace::select_batches(std::get<std::vector<trace::Request>>(read),
                                              options.batching, options.count);
  if (const auto* error = std::get_if<trace::BatchingError>(&selected)) {
    return reject(trace::to_string(*error));
  }
  for (const trace::ServedBatch& batch : std::get<std::vector<trace::ServedBatch>>(selected)) {
    Draw draw(case_seed(options.seed, static_cast<uint64_t>(batch.step_idx)));
    Case c = properties.of_batch(batch, draw);
    c.note = options.note.empty() ? fs::path(file).filename().string() : options.note;
    add(sink, c, counts);
  }
  return counts;
}

}  // namespace bytegate
