#include "fuzz/campaign/state_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "oracles/durable_file.h"
#include "oracles/file_lock.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

// Processes in their beginning may have got no further than their locks.
bool holds_something(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != "running" && name.rfind(".bytegate-", 0) != 0) return true;
  }
  return false;
}

struct NamedSlice {
  Chain chain;
  int64_t idx = 0;
};
// What the name of a record says, whatever is in it.
std::optional<NamedSlice> slice_of_name(const std::string& name) {
  const size_t dash = name.rfind('-');
  const size_t dot = name.rfind('.', dash);
  if (dash == std::string::npos || dot == std::string::npos) return std::nullopt;
  const std::optional<Chain> chain = parse_chain(std::string_view(name).substr(0, dot));
  const std::string idx = name.substr(dot + 1, dash - dot - 1);
  if (!chain || idx.empty() || idx.size() > 15 ||
      idx.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return NamedSlice{*chain, std::stoll(idx)};
}

// Empty: the record is what its name says.
std::string flaw_of(const std::string& name, const std::string& campaign, const std::string& text,
                    SliceRecord& record) {
  const std::optional<NamedSlice> named = slice_of_name(name);
  if (!named) return "is not named as a record of a slice";
  if (slice_file_name(named->chain, named->idx, text) != name) {
    return "is damaged: its bytes do not have the digest that its name says";
  }
  ParsedSliceRecord parsed = parse_slice_record(text);
  if (!parsed.value) return parsed.error;
  record = std::move(*parsed.value);
  const bool as_named = record.chain == named->chain && record.idx == named->idx;
  return as_named && record.campaign == campaign ? "" : "is of another slice than its name says";
}

}  // namespace

OpenedState StateFolder::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return {std::nullopt, folder + ": " + error.message()};
  const std::string format = folder + "/FORMAT";
  if (!fs::exists(format, error)) {
    // Another process may have made the state just now.
    if (holds_something(folder) && !fs::exists(format, error)) {
      return {std::nullopt,
              folder + ": is no state of campaigns (it has no FORMAT), and not empty"};
    }
    if (auto failure = write_durably(format, kStateFormat)) return {std::nullopt, *failure};
  }
  const std::optional<std::string> text = file_bytes(format);
  if (!text) return {std::nullopt, format + ": cannot be read"};
  if (*text != kStateFormat) {
    const std::string first = text->substr(0, text->find('\n')).substr(0, 40);
    return {std::nullopt, format + ": says \"" + first + "\"; this bytegate knows \"" +
                              std::string(kStateFormat, std::strlen(kStateFormat) - 1) + "\""};
  }
  return {StateFolder(folder), ""};
}

std::string StateFolder::set_aside(const std::string& file, const std::string& reason) const {
  std::string name = file.rfind(path_ + "/", 0) == 0 ? file.substr(path_.size() + 1) : file;
  std::replace(name.begin(), name.end(), '/', '+');
  std::error_code error;
  fs::create_directories(path_ + "/damaged", error);
  std::string target = path_ + "/damaged/" + name;
  for (int i = 1; fs::exists(target, error); ++i) {
    target = path_ + "/damaged/" + name + "." + std::to_string(i);
  }
  fs::rename(file, target, error);
  const std::string what = file + ": " + reason;
  return error ? what + "; it could not be set aside: " + error.message()
               : what + "; it is now " + target;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    const std::string name = entry->path().filename().string();
    if (entry->is_regular_file(gone) && name.rfind(".bytegate-", 0) != 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> write_once(const std::string& path, const std::string& bytes) {
  std::error_code error;
  if (fs::exists(path, error)) return std::nullopt;
  if (auto failure = make_folders_durably(fs::path(path).parent_path().string())) return failure;
  return write_durably(path, bytes);
}

LoadedSlices load_slices(const StateFolder& state, const std::string& campaign) {
  LoadedSlices loaded;
  const std::string folder = state.slices(campaign);
  remove_stale_temps(folder);
  for (const std::string& name : files_in(folder)) {
    const std::string path = folder + "/" + name;
    const std::optional<std::string> text = file_bytes(path);
    SliceRecord record;
    const std::string flaw = text ? flaw_of(name, campaign, *text, record) : "cannot be read";
    if (!flaw.empty()) {
      loaded.damaged.push_back(state.set_aside(path, flaw));
      continue;
    }
    const std::string chain = record.chain.name();
    const int64_t idx = record.idx;
    if (!loaded.by_chain[chain].emplace(idx, std::move(record)).second) {
      loaded.doubles.push_back(path + ": another record of slice " + std::to_string(idx) + " of " +
                               chain + " says otherwise; the first by name counts");
    }
  }
  return loaded;
}

std::optional<std::string> save_slice(const StateFolder& state, const SliceRecord& record) {
  const std::string text = slice_record_text(record);
  return write_once(
      state.slices(record.campaign) + "/" + slice_file_name(record.chain, record.idx, text), text);
}

StreamLock::Result StreamLock::take(const StateFolder& state, int64_t stream) {
  std::error_code error;
  fs::create_directories(state.work(stream), error);
  const std::string path = state.work(stream) + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return {nullptr, path + ": " + std::strerror(errno)};
  std::unique_ptr<StreamLock> lock(new StreamLock(file));
  if (!lock_for_process(file)) {
    std::array<char, 32> owner = {};
    const ssize_t size = read(file, owner.data(), owner.size() - 1);
    return {nullptr, state.path() + ": stream " + std::to_string(stream) + " is run by process " +
                         (size > 0 ? std::string(owner.data()) : std::string("unknown")) +
                         "; two may not"};
  }
  const std::string pid = std::to_string(getpid());
  if (ftruncate(file, 0) != 0 || pwrite(file, pid.data(), pid.size(), 0) < 0) {
    return {nullptr, path + ": " + std::strerror(errno)};
  }
  return {std::move(lock), ""};
}

StreamLock::~StreamLock() {
  close(file_);
}

}  // namespace bytegate
