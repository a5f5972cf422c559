#include "fuzz/corpus/files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "fuzz/sources.h"
#include "oracles/case_text.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigestDigits = 16;
constexpr int64_t kGigabyte = int64_t{1} << 30;

bool is_at_work(const fs::path& name) {
  return std::any_of(name.begin(), name.end(),
                     [](const fs::path& part) { return part == "running" || part == ".running"; });
}

}  // namespace

std::vector<std::string> read_corpus(const std::string& file_or_dir, OpTable ops,
                                     const VisitCase& visit) {
  const CaseFiles found = find_case_files(file_or_dir);
  if (!found.error.empty()) return {found.error};
  std::vector<std::string> errors;
  for (const std::string& path : found.paths) {
    fs::path name = fs::path(path).lexically_relative(file_or_dir);
    if (name.empty() || name == ".") name = fs::path(path).filename();
    if (is_at_work(name)) continue;
    LoadResult loaded = load_case(path, ops);
    if (!loaded.value) {
      errors.push_back(loaded.error);
      continue;
    }
    std::error_code error;
    const uintmax_t size = fs::file_size(path, error);
    const CorpusFile file = {.path = path,
                             .name = name.string(),
                             .digest = case_digest(*loaded.value),
                             .num_bytes = error ? 0 : static_cast<int64_t>(size)};
    visit(file, *loaded.value);
  }
  return errors;
}

bool is_machine_name(const std::string& path) {
  const std::string stem = fs::path(path).stem().string();
  if (stem.size() < kDigestDigits) return false;
  const std::string_view rest = std::string_view(stem).substr(0, stem.size() - kDigestDigits);
  const std::string_view digest = std::string_view(stem).substr(rest.size());
  return digest.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         (rest.empty() || rest.back() == '-');
}

bool takes_gigabytes(const Case& c) {
  int64_t num_bytes = 0;
  for (const Tensor& tensor : c.tensors) {
    const std::optional<int64_t> count =
        tensor.present ? num_elements(tensor.shape) : std::optional<int64_t>(0);
    if (!count || *count >= kGigabyte) return true;
    num_bytes += *count * static_cast<int64_t>(dtype_bytes(tensor.dtype));
    if (num_bytes >= kGigabyte) return true;
  }
  return false;
}

}  // namespace bytegate
