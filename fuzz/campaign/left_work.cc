#include "fuzz/campaign/left_work.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fuzz/campaign/guided_slice.h"
#include "oracles/case_text.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeftSource = "interrupted";

std::vector<std::string> case_files_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".case") paths.push_back(entry->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::string> take_up_left_work(const StateFolder& state, int64_t stream,
                                           const CampaignOptions& options,
                                           CampaignFindings& findings) {
  std::vector<std::string> notes;
  std::vector<std::string> folders;
  std::error_code error;
  fs::directory_iterator entry(state.work(stream), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone)) folders.push_back(entry->path().string());
  }
  std::sort(folders.begin(), folders.end());
  for (const std::string& folder : folders) {
    std::vector<CampaignFindings::Suspect> suspects;
    for (const std::string& path : case_files_below(folder)) {
      LoadResult loaded = load_case(path, all_ops());
      if (loaded.value) {
        suspects.push_back({.input = std::move(*loaded.value), .source = kLeftSource});
      } else {
        notes.push_back(state.set_aside(path, "was left, and cannot be read: " + loaded.error));
      }
    }
    const std::string name = fs::path(folder).filename().string();
    const std::optional<Chain> chain =
        parse_chain(std::string_view(name).substr(0, name.rfind('.')));
    const Op* op = chain ? find_op(all_ops(), chain->op) : nullptr;
    if (op != nullptr) {
      const OpProperties& properties = *find_properties(all_properties(), *op);
      suspects = suspects_in(folder, properties, true);
    }
    bool all_checked = true;
    std::vector<BackendKind> backends = options.backends;
    if (backends.empty()) backends = {BackendKind::kHost};
    for (const BackendKind backend : backends) {
      all_checked = findings.check(suspects, backend) && all_checked;
    }
    if (!all_checked) break;
    if (!suspects.empty()) {
      notes.push_back("a process ended in " + name + ": " + std::to_string(suspects.size()) +
                      " inputs of it were checked again");
    }
    fs::remove_all(folder, error);
  }
  return notes;
}

}  // namespace bytegate
