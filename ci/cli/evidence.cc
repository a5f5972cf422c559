#include "ci/cli/evidence.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <stdexcept>

#include "properties/op_properties.h"

namespace bytegate::cli {
namespace {

using nlohmann::json;

// Names and digests of the cases in a folder, to their names.
class CaseNames {
 public:
  explicit CaseNames(const std::string& dir) {
    read_corpus(dir, all_ops(), [this](const CorpusFile& file, const Case&) {
      names_.emplace(file.name, file.name);
      names_.emplace(file.digest, file.name);
    });
  }
  [[nodiscard]] const std::string& at(const std::string& name) const {
    const auto found = names_.find(name);
    if (found == names_.end()) {
      throw std::runtime_error("the corpus does not hold the case " + name);
    }
    return found->second;
  }

 private:
  std::map<std::string, std::string> names_;
};

json parse(const std::string& path, const std::string& format) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  json parsed = json::parse(file);
  if (!parsed.is_object() || parsed.value("format", "") != format) {
    throw std::runtime_error("its \"format\" is not \"" + format + "\"");
  }
  return parsed;
}

template <typename Fill>
ReadEvidence read(const std::string& path, const Fill& fill) {
  ReadEvidence result;
  result.evidence.source = path;
  try {
    fill(result.evidence);
  } catch (const std::exception& error) {
    result.error = path + ": " + error.what();
  }
  return result;
}

}  // namespace

ReadEvidence read_coverage(const std::string& path, const std::string& dir) {
  return read(path, [&](Evidence& evidence) {
    const json parsed = parse(path, "bytegate-coverage 1");
    const CaseNames names(dir);
    for (const auto& [name, edges] : parsed.at("cases").items()) {
      const std::string& file = names.at(name);
      evidence.known.insert(file);
      for (const json& edge : edges) {
        evidence.features[file].push_back("edge " + std::to_string(edge.get<int64_t>()));
      }
    }
  });
}

ReadEvidence read_kills(const std::string& path, const std::string& dir) {
  return read(path, [&](Evidence& evidence) {
    const json parsed = parse(path, "bytegate-kills 1");
    const CaseNames names(dir);
    for (const json& name : parsed.at("cases")) {
      evidence.known.insert(names.at(name.get<std::string>()));
    }
    for (const auto& [fault, cases] : parsed.at("faults").items()) {
      for (const json& name : cases) {
        evidence.features[names.at(name.get<std::string>())].push_back("kills " + fault);
      }
    }
  });
}

}  // namespace bytegate::cli
