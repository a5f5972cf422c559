#include "kernels/testing/candidates.h"

#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/builtin_candidate.h"

namespace bytegate {
namespace {

constexpr std::array<const char*, 2> kPaths = {"somewhere", nullptr};

std::unique_ptr<Candidate> ready(Candidate::Result result) {
  if (result.candidate == nullptr) throw std::runtime_error(result.error);
  return std::move(result.candidate);
}

}  // namespace

bytegate_candidate host_table(const char* name, int32_t (*run)(void*, bytegate_call*)) {
  return {.interface_version = BYTEGATE_INTERFACE_VERSION,
          .backends = BYTEGATE_BACKEND_HOST,
          .name = name,
          .version = "test",
          .paths = kPaths.data(),
          .open = nullptr,
          .close = nullptr,
          .supports = nullptr,
          .workspace_bytes = nullptr,
          .run = run};
}

std::unique_ptr<Candidate> open_candidate(const bytegate_candidate& table) {
  return ready(Candidate::open(table));
}

std::unique_ptr<Candidate> open_builtin(const std::string& name) {
  const bytegate_candidate* table = builtin_candidate(name);
  if (table == nullptr) throw std::runtime_error("no candidate " + name);
  return open_candidate(*table);
}

std::unique_ptr<Candidate> load_candidate(const std::string& path) {
  return ready(Candidate::load(path));
}

}  // namespace bytegate
