#include "fuzz/interrupted.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "kernels/wire.h"
#include "oracles/case_text.h"
#include "oracles/file_lock.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAside = "unreadable-";

std::optional<std::vector<std::byte>> read_all(int file) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> chunk = {};
  for (;;) {
    const ssize_t got = read(file, chunk.data(), chunk.size());
    if (got == 0) return bytes;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
  }
}

std::optional<std::vector<std::byte>> read_batch(const fs::path& path) {
  // Not blocking, so that a pipe is no wait.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::optional<std::vector<std::byte>> bytes = read_all(file);
  close(file);
  return bytes;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Renames it to a name that is free beside the runs; tells where it is now, and why.
std::string set_aside(const fs::path& path, const fs::path& folder, const std::string& stem,
                      const std::string& why) {
  fs::path aside;
  std::error_code error;
  for (int i = 0; aside.empty() || fs::exists(aside, error); ++i) {
    aside = folder / (std::string(kAside) + stem + "-" + std::to_string(i));
  }
  fs::rename(path, aside, error);
  const std::string text = path.string() + ": " + why;
  return error ? text + "; it could not be renamed: " + error.message()
               : text + "; kept as " + aside.string();
}

// A run's folder that is this process' own now. It goes when nothing is left in it.
class Claim {
 public:
  Claim(fs::path folder, int owner_file) : folder_(std::move(folder)), owner_file_(owner_file) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() {
    const std::vector<fs::path> left = entries_of(folder_);
    const fs::path owner = folder_ / kOwnerFile;
    if (left.size() == 1 && left.front() == owner) {
      unlink(owner.c_str());
      rmdir(folder_.c_str());
      rmdir(folder_.parent_path().c_str());
    }
    close(owner_file_);
  }

 private:
  fs::path folder_;
  int owner_file_;
};

std::optional<std::vector<Case>> read_cases(std::span<const std::byte> body, const Op* op) {
  std::optional<std::vector<Case>> cases = decode_cases(body, OpTable(&op, 1));
  if (!cases) return std::nullopt;
  const bool sound = std::none_of(cases->begin(), cases->end(),
                                  [](const Case& c) { return malformed_reason(c).has_value(); });
  return sound ? cases : std::nullopt;
}

void add_files(std::span<const std::byte> body, std::vector<std::string>& files) {
  const std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\0', begin), text.size());
    files.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

class PickUp {
 public:
  PickUp(const std::string& findings_dir, const std::string& version, OpTable ops)
      : running_(running_folder(findings_dir)), version_(version), ops_(ops) {}

  PickedUp all() {
    for (const fs::path& entry : entries_of(running_)) {
      if (entry.filename().string().rfind(kAside, 0) != 0) take(entry);
    }
    rmdir(running_.c_str());
    return std::move(found_);
  }

 private:
  void take(const fs::path& folder);
  void take_batch(const fs::path& path, InterruptedRun& run);
  void refuse(const fs::path& path, const std::string& stem, const std::string& why) {
    found_.errors.push_back(set_aside(path, running_, stem, why));
  }

  fs::path running_;
  const std::string& version_;
  OpTable ops_;
  PickedUp found_;
};

void PickUp::take(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const fs::path owner_path = folder / kOwnerFile;
  const int file = open(owner_path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    const int why = errno;
    // A run that begins, or ended as it began: it has handed out nothing.
    if (why == ENOENT && (rmdir(folder.c_str()) == 0 || errno == ENOENT)) return;
    return refuse(folder, name, "is not the journal of a run");
  }
  if (!lock_for_process(file)) {
    close(file);
    return;
  }
  InterruptedRun run;
  run.claim = std::make_shared<Claim>(folder, file);
  // Through the same descriptor: closing another one would give the lock away.
  const std::vector<std::byte> bytes = read_all(file).value_or(std::vector<std::byte>());
  const std::vector<fs::path> entries = entries_of(folder);
  if (bytes.empty() && entries.size() == 1) return;
  const auto owner = read_owner({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!owner) return refuse(folder, name, "does not say whose journal it is");
  run.owner = *owner;
  run.op = find_op(ops_, owner->op);
  if (owner->version != version_) {
    found_.foreign.push_back(
        set_aside(folder, running_, name,
                  "is a journal of bytegate " + owner->version + ", which this one does not read"));
    return;
  }
  if (run.op == nullptr) {
    return refuse(folder, name, "is a journal of the operation " + owner->op + ", not known here");
  }
  for (const fs::path& entry : entries) {
    if (entry != owner_path) take_batch(entry, run);
  }
  if (!run.batches.empty() || !run.files.empty()) found_.runs.push_back(std::move(run));
}

void PickUp::take_batch(const fs::path& path, InterruptedRun& run) {
  const std::optional<std::vector<std::byte>> bytes = read_batch(path);
  const FoundBatch found =
      bytes ? find_batch(*bytes) : FoundBatch{.state = FoundBatch::State::kGarbage};
  std::optional<std::vector<Case>> cases;
  switch (found.state) {
    case FoundBatch::State::kNone:
    case FoundBatch::State::kTorn:
      unlink(path.c_str());
      return;
    case FoundBatch::State::kWhole:
      if (found.kind == BatchKind::kFiles) {
        add_files(found.body, run.files);
        unlink(path.c_str());
        return;
      }
      cases = read_cases(found.body, run.op);
      break;
    case FoundBatch::State::kGarbage:
      break;
  }
  if (!cases) {
    const std::string stem =
        path.parent_path().filename().string() + "-" + path.filename().string();
    return refuse(path, stem, "does not hold cases of " + run.owner.op);
  }
  run.batches.push_back(
      {.cases = std::move(*cases), .forget = [path, claim = run.claim] { unlink(path.c_str()); }});
}

}  // namespace

int64_t InterruptedRun::num_cases() const {
  int64_t num_cases = 0;
  for (const InterruptedBatch& batch : batches) {
    num_cases += static_cast<int64_t>(batch.cases.size());
  }
  return num_cases;
}

PickedUp pick_up(const std::string& findings_dir, const std::string& version, OpTable ops) {
  return PickUp(findings_dir, version, ops).all();
}

std::string describe(const InterruptedRun& run, int64_t num_cases) {
  return std::to_string(num_cases) + (num_cases == 1 ? " case that was" : " cases that were") +
         " running when a run ended (pid " + std::to_string(run.owner.pid) + ", candidate " +
         run.owner.candidate + ", " + run.owner.backend + ")";
}

CaseSource source_of_interrupted(const std::vector<const InterruptedRun*>& runs) {
  std::vector<const InterruptedBatch*> batches;
  for (const InterruptedRun* run : runs) {
    for (const InterruptedBatch& batch : run->batches) batches.push_back(&batch);
  }
  return [batches = std::move(batches), next = size_t{0}]() mutable -> std::optional<CaseBatch> {
    if (next == batches.size()) return std::nullopt;
    const InterruptedBatch& batch = *batches[next++];
    return CaseBatch{.source = kInterruptedSource,
                     .make = [&batch] { return batch.cases; },
                     .files = {},
                     .settled = batch.forget};
  };
}

std::string interrupted_folder(const std::string& findings_dir, const Op& op) {
  return findings_dir + "/" + std::string(op.name) + "/interrupted";
}

std::vector<std::string> save_interrupted(const std::string& findings_dir,
                                          const InterruptedRun& run) {
  std::vector<std::string> errors;
  const std::string folder = interrupted_folder(findings_dir, *run.op);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return {"cannot create " + folder + ": " + error.message()};
  for (const InterruptedBatch& batch : run.batches) {
    const size_t num_before = errors.size();
    for (Case c : batch.cases) {
      c.note = "was running when a run ended (candidate " + run.owner.candidate + ", " +
               run.owner.backend + ")";
      const auto failure = save_case(folder + "/" + case_digest(c) + ".case", c);
      if (failure) errors.push_back(*failure);
    }
    if (errors.size() == num_before) batch.forget();
  }
  return errors;
}

}  // namespace bytegate
