#include "kernels/candidate_handle.h"

#include <dlfcn.h>

#include <array>

namespace bytegate {
namespace {

std::string table_error(const bytegate_candidate& table) {
  if (table.interface_version != BYTEGATE_INTERFACE_VERSION) {
    return "candidate speaks interface version " + std::to_string(table.interface_version) +
           ", this bytegate speaks version " + std::to_string(BYTEGATE_INTERFACE_VERSION);
  }
  if (table.name == nullptr || table.version == nullptr) return "candidate has no name or version";
  if (table.run == nullptr) return "candidate has no run function";
  constexpr uint32_t kKnown = BYTEGATE_BACKEND_HOST | BYTEGATE_BACKEND_CUDA;
  if ((table.backends & kKnown) == 0) return "candidate runs on no backend known here";
  if (table.close != nullptr && table.open == nullptr) return "candidate has close, but no open";
  return "";
}

}  // namespace

Candidate::Result Candidate::open(const bytegate_candidate& table) {
  if (std::string error = table_error(table); !error.empty()) return {nullptr, error};
  std::unique_ptr<Candidate> candidate(new Candidate());
  candidate->table_ = &table;
  if (table.open != nullptr) {
    std::array<char, 512> message{};
    const int32_t status = table.open(&candidate->state_, message.data(), message.size());
    if (status != BYTEGATE_OK) {
      candidate->table_ = nullptr;
      message.back() = '\0';
      return {nullptr, "candidate " + std::string(table.name) + " does not open (status " +
                           std::to_string(status) + "): " + message.data()};
    }
  }
  return {std::move(candidate), ""};
}

Candidate::Result Candidate::load(const std::string& path) {
  // A path without a slash would be searched for among the system's libraries.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, "cannot load candidate: " + std::string(dlerror())};
  const auto fail = [&](const std::string& error) -> Result {
    dlclose(library);
    return {nullptr, path + ": " + error};
  };
  void* symbol = dlsym(library, BYTEGATE_ENTRY_POINT);
  if (symbol == nullptr) return fail("no symbol " BYTEGATE_ENTRY_POINT);
  const bytegate_candidate* table = reinterpret_cast<bytegate_get_candidate_function>(symbol)();
  if (table == nullptr) return fail(BYTEGATE_ENTRY_POINT "() returned null");
  Result result = open(*table);
  if (result.candidate == nullptr) return fail(result.error);
  result.candidate->library_ = library;
  return result;
}

Candidate::~Candidate() {
  if (table_ != nullptr && table_->close != nullptr) table_->close(state_);
  if (library_ != nullptr) dlclose(library_);
}

bool Candidate::runs_on(BackendKind backend) const {
  const uint32_t bit =
      backend == BackendKind::kCuda ? BYTEGATE_BACKEND_CUDA : BYTEGATE_BACKEND_HOST;
  return (table_->backends & bit) != 0;
}

}  // namespace bytegate
