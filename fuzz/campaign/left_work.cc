#include "fuzz/campaign/left_work.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fuzz/campaign/guided_slice.h"
#include "oracles/case_text.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFoundFolder = "found";
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

std::vector<std::string> folders_below(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone)) paths.push_back(entry->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What was being minimised, of any operation.
Suspects found_in(const StateFolder& state, const std::string& folder) {
  Suspects suspects;
  for (const std::string& path : case_files_below(folder)) {
    LoadResult loaded = load_case(path, all_ops());
    if (loaded.value) {
      suspects.cases.push_back({.input = std::move(*loaded.value), .source = kLeftSource});
    } else {
      suspects.errors.push_back(
          state.set_aside(path, "was left, and cannot be read: " + loaded.error));
    }
  }
  return suspects;
}

class LeftWork {
 public:
  LeftWork(const StateFolder& state, const CampaignOptions& options, CampaignFindings& findings)
      : state_(state),
        backends_(options.backends),
        candidate_(options.run.candidate),
        findings_(findings) {
    if (backends_.empty()) backends_ = {BackendKind::kHost};
  }

  // False: some are left, and so is the folder.
  bool take(const std::string& folder) {
    const std::string name = fs::path(folder).filename().string();
    if (name == kFoundFolder) return take_found(folder);
    const auto chain = parse_chain(std::string_view(name).substr(0, name.rfind('.')));
    const Op* op = chain ? find_op(all_ops(), chain->op) : nullptr;
    if (op == nullptr) return check(folder, name, found_in(state_, folder), backends_);
    // Targets run on the host.
    const OpProperties& properties = *find_properties(all_properties(), *op);
    return check(folder, name, suspects_in(state_, folder, properties, true), {BackendKind::kHost});
  }
  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  // What is of another candidate, or a backend that is not here, stays for a run with it.
  bool take_found(const std::string& folder) {
    bool all = true;
    for (const std::string& part : folders_below(folder)) {
      const std::string name = fs::path(part).filename().string();
      const auto ours = std::find_if(backends_.begin(), backends_.end(), [&](BackendKind backend) {
        return name == found_folder_name(backend, candidate_);
      });
      const Suspects suspects = found_in(state_, part);
      if (ours != backends_.end()) {
        all = check(part, std::string(kFoundFolder), suspects, {*ours}) && all;
      } else if (const size_t number = suspects.cases.size(); number > 0) {
        notes_.push_back(part + ": " + std::to_string(number) +
                         (number == 1 ? " case was" : " cases were") +
                         " left by a process that ended, for a run with its backend and candidate");
      }
    }
    return all;
  }

  bool check(const std::string& folder, const std::string& name, const Suspects& suspects,
             const std::vector<BackendKind>& backends) {
    for (const std::string& error : suspects.errors) findings_.note_error(error);
    for (const BackendKind backend : backends) {
      if (!findings_.check(suspects.cases, backend)) return false;
    }
    if (!suspects.cases.empty()) {
      notes_.push_back("a process ended in " + name + ": " + std::to_string(suspects.cases.size()) +
                       " inputs of it were checked again");
    }
    std::error_code error;
    fs::remove_all(folder, error);
    return true;
  }

  const StateFolder& state_;
  std::vector<BackendKind> backends_;
  const std::string& candidate_;
  CampaignFindings& findings_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> take_up_left_work(const StateFolder& state, int64_t stream,
                                           const CampaignOptions& options,
                                           CampaignFindings& findings) {
  LeftWork left(state, options, findings);
  for (const std::string& folder : folders_below(state.work(stream))) {
    if (!left.take(folder) && options.run.stop && options.run.stop()) break;
  }
  return left.take_notes();
}

}  // namespace bytegate
