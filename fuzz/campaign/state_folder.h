// The folder that keeps a campaign. Every file but those below running/ is written once, whole and
// durably, under a name that says what is in it, so that folders of many machines can be copied
// into one: in any order, any number of times.
//
//   FORMAT                            "bytegate-state 1"
//   campaigns/<id>/start              what a campaign starts from; the id is its digest
//   slices/<id>/<slice>.json          finished slices
//   inputs/<op>/<digest>.case         what guided slices kept
//   findings/<op>/regress/<..>.case   what failed, minimised, and beside each a folder
//   running/                          locks and work of processes; nothing that lasts
//   damaged/                          files that were not as they must be, as they were
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/slice.h"
#include "oracles/file_bytes.h"

namespace bytegate {

constexpr const char* kStateFormat = "bytegate-state 1\n";

struct OpenedState;

class StateFolder {
 public:
  // Makes it, or finds it as it must be: a folder with other things in it is left alone.
  static OpenedState open(const std::string& folder);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string starts() const { return path_ + "/campaigns"; }
  [[nodiscard]] std::string slices(const std::string& campaign) const {
    return path_ + "/slices/" + campaign;
  }
  [[nodiscard]] std::string inputs(const std::string& op) const { return path_ + "/inputs/" + op; }
  [[nodiscard]] std::string input(const std::string& op, const std::string& digest) const {
    return inputs(op) + "/" + digest + ".case";
  }
  [[nodiscard]] std::string findings() const { return path_ + "/findings"; }
  // Where whoever runs the stream works; nothing in it lasts.
  [[nodiscard]] std::string work(int64_t stream) const {
    return path_ + "/running/s" + std::to_string(stream);
  }

  // Puts a file that is not what it should be below damaged/, where nothing reads it. Says what was
  // done.
  [[nodiscard]] std::string set_aside(const std::string& file, const std::string& reason) const;

 private:
  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct OpenedState {
  std::optional<StateFolder> state;
  std::string error;  // names the folder or file
};

// Names of the regular files in a folder, sorted; none where there is no such folder. What
// write_durably() has not finished is left out.
std::vector<std::string> files_in(const std::string& folder);
// Writes a file of the state whose bytes follow from its name; one that is there stays. Makes its
// folder. Returns what went wrong, naming the path.
std::optional<std::string> write_once(const std::string& path, const std::string& bytes);

// The slices of a campaign that are done.
struct LoadedSlices {
  std::map<std::string, std::map<int64_t, SliceRecord>> by_chain;  // by Chain::name()
  std::vector<std::string> damaged;                                // what was set aside
  std::vector<std::string> doubles;  // slices that were recorded twice, unlike each other
};
LoadedSlices load_slices(const StateFolder& state, const std::string& campaign);
std::optional<std::string> save_slice(const StateFolder& state, const SliceRecord& record);

// As long as it lives, no other process runs the stream in this state.
class StreamLock {
 public:
  struct Result {
    std::unique_ptr<StreamLock> lock;
    std::string error;  // names the process that has it
  };
  static Result take(const StateFolder& state, int64_t stream);
  StreamLock(const StreamLock&) = delete;
  StreamLock& operator=(const StreamLock&) = delete;
  ~StreamLock();

 private:
  explicit StreamLock(int file) : file_(file) {}
  int file_;
};

}  // namespace bytegate
