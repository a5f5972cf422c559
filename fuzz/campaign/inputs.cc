#include "fuzz/campaign/inputs.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "fuzz/guided/case_bytes.h"
#include "oracles/case_text.h"

namespace bytegate {

namespace fs = std::filesystem;

std::vector<uint8_t> as_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}

namespace {

// Some calls that are to be refused are beyond what the case format reads: extents that overflow.
bool is_readable(const Case& c) {
  const Op* const table[] = {c.op};
  return read_case(write_case(c), table).value.has_value();
}

}  // namespace

KeptInput keep_input(const StateFolder& state, Case c) {
  c.origin.clear();
  c.note.clear();
  KeptInput kept;
  kept.digest = case_digest(c);
  kept.error = write_once(state.input(std::string(c.op->name), kept.digest), write_case(c));
  return kept;
}

LoadResult load_input(const StateFolder& state, const Op& op, const std::string& digest) {
  const Op* const table[] = {&op};
  const std::string path = state.input(std::string(op.name), digest);
  LoadResult loaded = load_case(path, table);
  std::error_code error;
  if (!loaded.value && !fs::exists(path, error)) return loaded;
  if (!loaded.value) return {std::nullopt, state.set_aside(path, "is damaged: " + loaded.error)};
  if (case_digest(*loaded.value) == digest) return loaded;
  return {std::nullopt, state.set_aside(path, "is damaged: it is another case than its name says")};
}

std::vector<std::string> keep_start_cases(const StateFolder& state,
                                          const std::vector<Case>& cases) {
  std::vector<std::string> errors;
  for (const Case& c : cases) {
    if (!bytes_of_case(c)) continue;
    if (const KeptInput kept = keep_input(state, c); kept.error) errors.push_back(*kept.error);
  }
  return errors;
}

std::optional<std::string> lay_out_inputs(const StateFolder& state, const Op& op,
                                          const std::vector<std::string>& digests,
                                          const std::string& folder, const std::string& list) {
  std::string names;
  for (size_t i = 0; i < digests.size(); ++i) {
    const LoadResult loaded = load_input(state, op, digests[i]);
    if (!loaded.value) {
      return loaded.error + "; its chain goes on once it is back, and a campaign of another seed " +
             "begins without it";
    }
    const auto bytes = bytes_of_case(*loaded.value);
    if (!bytes) continue;
    const std::string file = folder + "/" + std::to_string(i);
    std::ofstream out(file, std::ios::binary);
    for (const uint8_t byte : *bytes) out.put(static_cast<char>(byte));
    out.close();
    if (!out) return file + ": cannot be written";
    names += (names.empty() ? "" : ",") + file;
  }
  std::ofstream out(list);
  out << names;
  out.close();
  if (!out) return list + ": cannot be written";
  return std::nullopt;
}

std::vector<std::string> take_in_inputs(const StateFolder& state, const Op& op,
                                        const std::string& folder,
                                        const std::set<std::string>& known,
                                        std::vector<std::string>& errors) {
  std::set<std::string> digests;
  for (const std::string& name : files_in(folder)) {
    const std::optional<std::string> bytes = file_bytes(folder + "/" + name);
    if (!bytes) continue;
    const Case c = case_of_bytes(op, as_bytes(*bytes));
    if (known.count(case_digest(c)) > 0 || !is_readable(c)) continue;
    const KeptInput kept = keep_input(state, c);
    if (kept.error) errors.push_back(*kept.error);
    if (!kept.error) digests.insert(kept.digest);
  }
  return {digests.begin(), digests.end()};
}

}  // namespace bytegate
