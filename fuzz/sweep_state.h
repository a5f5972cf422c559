// What sweeps record in a folder, so that a later one need not do it again: of which world with
// which candidate on which backend, and the parts all of whose cases passed.
//
// Only that is recorded: a part with a failure runs again, and so fails again. Files of several
// machines that have the same program and the candidate at the same path may be put into one
// folder; what any of them records counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/world_parts.h"

namespace bytegate {

struct SweepIdentity {
  std::string op;
  std::string world;
  std::string backend;
  std::string candidate;  // see candidate_identity()
  // Of what else a pass depends on: this program, the candidate's file (not the libraries that it
  // loads), the world, and what it ran on.
  std::string version;

  friend bool operator==(const SweepIdentity&, const SweepIdentity&) = default;
};

// A digest of this program and of the candidate's file, unless it is built in. What cannot be read
// is an error.
struct BuildDigest {
  std::string digest;
  std::string error;
};
BuildDigest build_digest(const std::string& candidate);

// And of how the world is described and divided, and of what it runs on: a GPU, or the limits that
// the host's executor applies.
std::string sweep_version(const World& world, const BuildDigest& build, const std::string& on);

struct SweepRecords {
  PartSet passed;
  int64_t num_files = 0;  // of this sweep
  // Each names its file. A file that is damaged, or of the same sweep in another version, is one.
  std::vector<std::string> errors;
};
// What the folder (which need not be there) holds of a sweep of so many parts. Files of other
// sweeps are left alone.
SweepRecords load_sweep_records(const std::string& folder, const SweepIdentity& identity,
                                int64_t num_parts);

// Where a shard of the sweep records what it did.
std::string sweep_record_path(const std::string& folder, const SweepIdentity& identity,
                              const PartShard& shard);
std::string sweep_record_text(const SweepIdentity& identity, const PartSet& passed);

}  // namespace bytegate
