#include "fuzz/campaign/start.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fuzz/campaign/inputs.h"
#include "oracles/text_digest.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;  // sorts by name

constexpr int64_t kStartVersion = 1;

std::optional<CampaignStart> parse_start(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<int64_t>() != kStartVersion) return std::nullopt;
    CampaignStart start;
    json.at("build").get_to(start.build);
    json.at("seed").get_to(start.seed);
    json.at("slice_runs").get_to(start.slice_runs);
    json.at("slice_cases").get_to(start.slice_cases);
    json.at("arch").get_to(start.arch);
    json.at("targets").get_to(start.targets);
    json.at("inputs").get_to(start.inputs);
    return start;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone)) names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool alike_but_for_inputs(CampaignStart a, const CampaignStart& b) {
  a.inputs = b.inputs;
  return a == b;
}

void add_inputs_of_state(const StateFolder& state, CampaignStart& start) {
  for (const auto& [op, target] : start.targets) {
    std::vector<std::string>& digests = start.inputs[op];
    for (const std::string& name : files_in(state.inputs(op))) {
      const fs::path file = name;
      if (file.extension() == ".case") digests.push_back(file.stem().string());
    }
    std::sort(digests.begin(), digests.end());
    digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  }
}

// Those that are not what their names say are set aside.
void drop_damaged_inputs(const StateFolder& state, CampaignStart& start,
                         std::vector<std::string>& damaged) {
  for (auto& [name, digests] : start.inputs) {
    const Op* op = find_op(all_ops(), name);
    std::erase_if(digests, [&](const std::string& digest) {
      if (op == nullptr) return true;
      const LoadResult loaded = load_input(state, *op, digest);
      if (!loaded.value) damaged.push_back(loaded.error);
      return !loaded.value;
    });
  }
}

}  // namespace

std::string campaign_start_text(const CampaignStart& start) {
  const Json json = {{"format", kStartVersion},
                     {"build", start.build},
                     {"seed", start.seed},
                     {"slice_runs", start.slice_runs},
                     {"slice_cases", start.slice_cases},
                     {"arch", start.arch},
                     {"targets", start.targets},
                     {"inputs", start.inputs}};
  return json.dump(1, ' ', true) + "\n";
}

std::string campaign_id(const CampaignStart& start) {
  return text_digest(campaign_start_text(start));
}

// Inputs are listed before starts: whatever another process of the same campaign adds to them, it
// has kept its start by then, and the start is found.
ChosenStart choose_start(const StateFolder& state, const CampaignStart& wanted) {
  ChosenStart chosen;
  CampaignStart fresh = wanted;
  add_inputs_of_state(state, fresh);
  for (const std::string& id : folders_in(state.starts())) {
    const std::string path = state.starts() + "/" + id + "/start";
    const std::optional<std::string> text = file_bytes(path);
    if (!text) continue;  // its process ended before it was written
    const std::optional<CampaignStart> start = parse_start(*text);
    if (!start || text_digest(*text) != id) {
      chosen.damaged.push_back(state.set_aside(path, "is damaged, or no start of a campaign"));
      continue;
    }
    if (!alike_but_for_inputs(*start, wanted)) continue;
    chosen.start = *start;
    return chosen;
  }
  chosen.is_new = true;
  drop_damaged_inputs(state, fresh, chosen.damaged);
  chosen.start = std::move(fresh);
  const std::string id = campaign_id(chosen.start);
  const std::string path = state.starts() + "/" + id + "/start";
  if (auto failure = write_once(path, campaign_start_text(chosen.start))) chosen.error = *failure;
  return chosen;
}

}  // namespace bytegate
