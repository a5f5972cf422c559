#include "fuzz/sweep_state.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "fuzz/run.h"
#include "kernels/builtin_candidate.h"
#include "oracles/file_bytes.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "bytegate-sweep 1";
constexpr const char* kExtension = ".sweep";

// ---- reading a record

struct Record {
  SweepIdentity identity;
  PartSet passed;
};

std::optional<int64_t> number_in(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

// "17" or "3-17".
bool add_range(std::string_view text, PartSet& set) {
  const size_t dash = text.find('-');
  const auto first = number_in(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *first > *last || *last >= set.num_parts()) return false;
  for (int64_t part = *first; part <= *last; ++part) set.add(part);
  return true;
}

// Takes the text of one line behind `key` and a blank; false: it is another line.
bool take_line(std::istringstream& lines, std::string_view key, std::string& value) {
  std::string line;
  if (!std::getline(lines, line)) return false;
  if (line.substr(0, key.size()) != key || line.size() <= key.size() || line[key.size()] != ' ') {
    return false;
  }
  value = line.substr(key.size() + 1);
  return true;
}

// Nothing when it is no record, or not as it was written.
std::optional<Record> parse_record(const std::string& text) {
  const size_t body_size = text.rfind("check ");
  if (body_size == std::string::npos) return std::nullopt;
  const std::string_view body = std::string_view(text).substr(0, body_size);
  if (text.substr(body_size) != "check " + text_digest(body) + "\n") return std::nullopt;
  std::istringstream lines{std::string(body)};
  std::string line;
  if (!std::getline(lines, line) || line != kFirstLine) return std::nullopt;
  Record record;
  std::string count;
  if (!take_line(lines, "op", record.identity.op) ||
      !take_line(lines, "world", record.identity.world) ||
      !take_line(lines, "backend", record.identity.backend) ||
      !take_line(lines, "candidate", record.identity.candidate) ||
      !take_line(lines, "version", record.identity.version) || !take_line(lines, "parts", count)) {
    return std::nullopt;
  }
  const auto num_parts = number_in(count);
  if (!num_parts || *num_parts < 0 || *num_parts > kMaxWorldParts) return std::nullopt;
  record.passed = PartSet(*num_parts);
  std::string range;
  while (lines.peek() != std::istringstream::traits_type::eof()) {
    if (!take_line(lines, "passed", range) || !add_range(range, record.passed)) return std::nullopt;
  }
  return record;
}

bool same_sweep(const SweepIdentity& a, const SweepIdentity& b) {
  return a.op == b.op && a.world == b.world && a.backend == b.backend && a.candidate == b.candidate;
}

void load_record(const std::string& path, const SweepIdentity& identity, SweepRecords& records) {
  const std::optional<std::string> text = file_bytes(path);
  const std::optional<Record> record = text ? parse_record(*text) : std::nullopt;
  if (!record) {
    records.errors.push_back(
        path + (text ? ": is damaged, or no record of a sweep; remove it" : ": cannot be read"));
    return;
  }
  if (!same_sweep(record->identity, identity)) return;
  if (record->identity.version != identity.version ||
      record->passed.num_parts() != records.passed.num_parts()) {
    records.errors.push_back(path +
                             ": was recorded with another build of bytegate or of the candidate; "
                             "remove it, or name another folder");
    return;
  }
  ++records.num_files;
  records.passed.add_all(record->passed);
}

}  // namespace

BuildDigest build_digest(const std::string& candidate) {
  std::vector<std::string> files = {"/proc/self/exe"};
  if (builtin_candidate(candidate) == nullptr) files.push_back(candidate_identity(candidate));
  std::string digests;
  for (const std::string& file : files) {
    const std::optional<std::string> bytes = file_bytes(file);
    if (!bytes) return {.digest = "", .error = file + ": cannot be read"};
    digests += text_digest(*bytes);
  }
  return {.digest = text_digest(digests), .error = ""};
}

std::string sweep_version(const World& world, const BuildDigest& build, const std::string& on) {
  const WorldParts parts = divide(world);
  return text_digest(build.digest + " " + std::string(world.holds) + " " +
                     std::to_string(parts.num_cases) + " " + std::to_string(parts.part_cases) +
                     " " + on);
}

SweepRecords load_sweep_records(const std::string& folder, const SweepIdentity& identity,
                                int64_t num_parts) {
  SweepRecords records;
  records.passed = PartSet(num_parts);
  std::error_code error;
  if (!fs::exists(folder, error)) return records;
  std::vector<std::string> paths;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == kExtension) paths.push_back(entry->path().string());
  }
  if (error) records.errors.push_back(folder + ": " + error.message());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) load_record(path, identity, records);
  return records;
}

std::string sweep_record_path(const std::string& folder, const SweepIdentity& identity,
                              const PartShard& shard) {
  const std::string name = identity.op + "." + identity.world + "." + identity.backend + "." +
                           text_digest(identity.candidate) + "." + std::to_string(shard.first) +
                           "-of-" + std::to_string(shard.count) + kExtension;
  return (fs::path(folder) / name).string();
}

std::string sweep_record_text(const SweepIdentity& identity, const PartSet& passed) {
  std::string text = std::string(kFirstLine) + "\nop " + identity.op + "\nworld " + identity.world +
                     "\nbackend " + identity.backend + "\ncandidate " + identity.candidate +
                     "\nversion " + identity.version + "\nparts " +
                     std::to_string(passed.num_parts()) + "\n";
  for (int64_t first = 0; first < passed.num_parts(); ++first) {
    if (!passed.has(first)) continue;
    int64_t last = first;
    while (last + 1 < passed.num_parts() && passed.has(last + 1)) ++last;
    text +=
        "passed " + std::to_string(first) + (last > first ? "-" + std::to_string(last) : "") + "\n";
    first = last;
  }
  return text + "check " + text_digest(text) + "\n";
}

}  // namespace bytegate
