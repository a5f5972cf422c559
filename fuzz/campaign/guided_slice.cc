#include "fuzz/campaign/guided_slice.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "fuzz/campaign/inputs.h"
#include "fuzz/campaign/target_process.h"
#include "fuzz/guided/case_bytes.h"
#include "fuzz/guided/last_input.h"
#include "kernels/builtin_candidate.h"
#include "oracles/case_text.h"
#include "oracles/text_digest.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxTries = 3;
// How the engine says that the target crashed, that an input took too long or too much memory.
constexpr int kCrashCode = 77;
constexpr int kTimeoutCode = 70;
constexpr int kMemoryCode = 71;

std::string folder_of(const StateFolder& state, const GuidedSlice& slice) {
  return state.work(slice.chain.stream) + "/" + slice.chain.name() + "." +
         std::to_string(slice.idx);
}

// Not zero, which the engine takes for "choose one".
uint32_t seed_of(const GuidedSlice& slice, uint64_t seed) {
  const std::string name =
      std::to_string(seed) + " " + slice.chain.name() + " " + std::to_string(slice.idx);
  const uint64_t digest = std::stoull(text_digest(name), nullptr, 16);
  return static_cast<uint32_t>(digest & 0x7fffffff) | 1;
}

TargetCommand command_of(const GuidedSlice& slice, const std::string& work,
                         const CampaignOptions& options) {
  const RunOptions& run = options.run;
  const int64_t timeout = std::max<int64_t>(
      std::chrono::ceil<std::chrono::seconds>(run.backend_options.case_limit).count(), 1);
  TargetCommand command;
  command.arguments = {slice.target,
                       "-seed=" + std::to_string(seed_of(slice, options.seed)),
                       "-runs=" + std::to_string(options.slice_runs),
                       "-reload=0",
                       "-print_final_stats=1",
                       "-artifact_prefix=" + work + "/artifacts/",
                       "-timeout=" + std::to_string(timeout),
                       "-rss_limit_mb=" + std::to_string(options.target_memory_mib),
                       "-max_len=65536",
                       "-detect_leaks=0",
                       "-verbosity=1"};
  // A folder would be read in the order in which the file system lists it.
  if (!slice.inputs.empty()) command.arguments.push_back("-seed_inputs=@" + work + "/list");
  command.arguments.push_back(work + "/kept");
  command.environment = {"BYTEGATE_FUZZ_FAILURES=" + work + "/failures",
                         "BYTEGATE_FUZZ_REPORT=" + work + "/report",
                         "BYTEGATE_FUZZ_LAST_INPUT=" + work + "/last_input"};
  if (builtin_candidate(run.candidate) == nullptr) {
    command.environment.push_back("BYTEGATE_FUZZ_CANDIDATE=" + candidate_identity(run.candidate));
  }
  command.output = work + "/output";
  command.limit = options.slice_limit;
  return command;
}

std::optional<std::string> lay_out(const GuidedSlice& slice, const StateFolder& state,
                                   const std::string& work) {
  std::error_code error;
  fs::remove_all(work, error);
  for (const char* folder : {"kept", "failures", "artifacts", "start"}) {
    fs::create_directories(work + "/" + folder, error);
    if (error) return work + ": " + error.message();
  }
  return lay_out_inputs(state, *slice.properties.op, slice.inputs, work + "/start", work + "/list");
}

// The largest number behind "cov: " in what the engine said.
int64_t coverage_in(const std::string& output) {
  constexpr std::string_view kKey = " cov: ";
  int64_t most = 0;
  for (size_t at = output.find(kKey); at != std::string::npos; at = output.find(kKey, at + 1)) {
    most = std::max<int64_t>(most, std::atoll(output.c_str() + at + kKey.size()));
  }
  return most;
}

std::optional<std::string> enter_report(const std::string& path, SliceRecord& record) {
  const std::optional<std::string> text = file_bytes(path);
  if (!text) return "the target ended without its report";
  try {
    const nlohmann::json json = nlohmann::json::parse(*text);
    json.at("passed").get_to(record.passed);
    json.at("failed").get_to(record.failed);
    json.at("set_aside").get_to(record.set_aside);
    json.at("expect").get_to(record.expects);
    json.at("paths").get_to(record.paths);
    json.at("classes").get_to(record.classes);
    json.at("states").get_to(record.states);
    json.at("verdicts").get_to(record.verdicts);
    json.at("origins").get_to(record.origins);
  } catch (const nlohmann::json::exception& error) {
    return std::string("the target's report cannot be read: ") + error.what();
  }
  return std::nullopt;
}

std::string last_lines(const std::string& path) {
  constexpr size_t kMost = 600;
  const std::string text = file_bytes(path).value_or("");
  return text.size() > kMost ? ".." + text.substr(text.size() - kMost) : text;
}

std::optional<SliceEnd> end_of_code(int code) {
  switch (code) {
    case 0:
      return SliceEnd::kDone;
    case kCrashCode:
      return SliceEnd::kCrashed;
    case kTimeoutCode:
      return SliceEnd::kHung;
    case kMemoryCode:
      return SliceEnd::kExhausted;
    default:
      return std::nullopt;
  }
}

SliceResult record_of(const GuidedSlice& slice, const StateFolder& state, const std::string& work,
                      SliceEnd end) {
  SliceResult result;
  SliceRecord record;
  record.chain = slice.chain;
  record.idx = slice.idx;
  record.end = end;
  std::vector<std::string> errors;
  if (end == SliceEnd::kDone) {
    if (const auto error = enter_report(work + "/report", record)) errors.push_back(*error);
  }
  record.coverage = coverage_in(file_bytes(work + "/output").value_or(""));
  const std::set<std::string> known(slice.inputs.begin(), slice.inputs.end());
  record.inputs = take_in_inputs(state, *slice.properties.op, work + "/kept", known, errors);
  if (errors.empty()) {
    result.record = std::move(record);
  } else {
    result.error = slice.chain.name() + ": " + errors.front();
  }
  return result;
}

}  // namespace

Suspects suspects_in(const StateFolder& state, const std::string& work,
                     const OpProperties& properties, bool with_last_input) {
  const Op& op = *properties.op;
  Suspects suspects;
  for (const std::string& name : files_in(work + "/failures")) {
    const std::string path = work + "/failures/" + name;
    LoadResult loaded = load_case(path, all_ops());
    if (!loaded.value) {
      suspects.errors.push_back(
          state.set_aside(path, "failed, and cannot be read as a case: " + loaded.error));
      continue;
    }
    std::string origin = loaded.value->origin;
    suspects.cases.push_back({std::move(*loaded.value), kGuidedSource, std::move(origin)});
  }
  for (const std::string& name : files_in(work + "/artifacts")) {
    const std::string kind = name.substr(0, name.find('-'));
    if (kind != "crash" && kind != "timeout" && kind != "oom") continue;
    const std::string bytes = file_bytes(work + "/artifacts/" + name).value_or("");
    suspects.cases.push_back({case_of_bytes(op, as_bytes(bytes)), kGuidedSource,
                              kind == "crash" ? "crashed:target" : ""});
  }
  if (!with_last_input) return suspects;
  if (const auto bytes = read_last_input(work + "/last_input")) {
    suspects.cases.push_back({case_of_bytes(op, *bytes), kGuidedSource, ""});
  }
  return suspects;
}

namespace {

// Whether the machine may be at fault, which was slow or short of memory for a while.
bool may_be_chance(SliceEnd end) {
  return end == SliceEnd::kHung || end == SliceEnd::kExhausted;
}

std::string describe(const TargetEnd& ended) {
  switch (ended.kind) {
    case TargetEnd::Kind::kExited:
      return "exited with code " + std::to_string(ended.code);
    case TargetEnd::Kind::kKilled:
      return "was killed by signal " + std::to_string(ended.code);
    case TargetEnd::Kind::kOverTime:
      return "took longer than a slice may";
    default:
      return "did not start";
  }
}

}  // namespace

SliceResult run_guided_slice(const GuidedSlice& slice, const StateFolder& state,
                             const CampaignOptions& options, CampaignFindings& findings,
                             const std::function<bool()>& stop) {
  const std::string work = folder_of(state, slice);
  const auto fail = [&](const std::string& why, bool others_go_on) {
    return SliceResult{std::nullopt, slice.chain.name() + ": " + why, others_go_on};
  };
  std::error_code ignored;
  std::string last;
  if (fs::exists(work, ignored)) {
    return fail(work + ": an earlier process left it, and it could not be checked", true);
  }
  for (int i = 1; i <= kMaxTries; ++i) {
    if (const auto error = lay_out(slice, state, work)) return fail(*error, true);
    const TargetEnd ended = run_target(command_of(slice, work, options), stop);
    if (ended.kind == TargetEnd::Kind::kNotStarted) {
      return fail(slice.target + " cannot be run", false);
    }
    std::optional<SliceEnd> end;
    if (ended.kind == TargetEnd::Kind::kExited) end = end_of_code(ended.code);
    // Where the user wants the end, the next process finds what is there.
    const bool stopped = ended.kind == TargetEnd::Kind::kStopped;
    const Suspects suspects = suspects_in(state, work, slice.properties, !end && !stopped);
    for (const std::string& error : suspects.errors) findings.note_error(error);
    if (!findings.check(suspects.cases, BackendKind::kHost)) return {};
    if (stopped) {
      fs::remove_all(work, ignored);
      return {};
    }
    if (!end) {
      last = describe(ended) + ": " + last_lines(work + "/output");
    } else if (!may_be_chance(*end) || i == kMaxTries) {
      SliceResult result = record_of(slice, state, work, *end);
      if (result.record) fs::remove_all(work, ignored);
      return result;
    }
  }
  return fail("something ended the target " + std::to_string(kMaxTries) + " times in slice " +
                  std::to_string(slice.idx) + "; the last time it " + last,
              true);
}

}  // namespace bytegate
