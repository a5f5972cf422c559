// Files that are either there in full or not at all, whenever the process or the machine stops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bytegate {

// Writes `bytes` to a new file in the folder of `path`, syncs it, renames it to `path` (replacing
// what is there) and syncs the folder. Returns what went wrong, naming the path; `path` is then as
// it was, and the new file is gone, unless it was the last sync that failed.
std::optional<std::string> write_durably(const std::string& path, std::string_view bytes);

// Makes the folder and those that it is in, and syncs each that got a new one. Returns what went
// wrong, naming the folder.
std::optional<std::string> make_folders_durably(const std::string& path);

// Removes what write_durably left in the folder when its process died in the middle of it, and
// says how many files that were. No thread of this process may be writing there.
int64_t remove_stale_temps(const std::string& folder);

}  // namespace bytegate
