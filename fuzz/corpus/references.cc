#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "fuzz/corpus/prune.h"
#include "oracles/file_bytes.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigestDigits = 16;
constexpr uintmax_t kMaxTextBytes = uintmax_t{1} << 20;

void add_digests(const std::string& text, std::set<std::string>& digests) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t start = text.find_first_of(kDigits); start != std::string::npos;) {
    size_t end = text.find_first_not_of(kDigits, start);
    if (end == std::string::npos) end = text.size();
    if (end - start == kDigestDigits) digests.insert(text.substr(start, kDigestDigits));
    start = text.find_first_of(kDigits, end);
  }
}

void add_file(const fs::path& path, NamedDigests& named) {
  const std::optional<std::string> text = file_bytes(path.string());
  if (text) add_digests(*text, named.digests);
  if (!text) named.error = path.string() + ": cannot be read";
}

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build";
}

}  // namespace

NamedDigests digests_named_in(const std::string& file_or_dir) {
  NamedDigests named;
  std::error_code error;
  if (!fs::is_directory(file_or_dir, error)) {
    add_file(file_or_dir, named);
    return named;
  }
  fs::recursive_directory_iterator entry(file_or_dir, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    const fs::path path = entry->path();
    std::error_code gone;
    if (entry->is_directory(gone)) {
      if (is_left_out(path)) entry.disable_recursion_pending();
    } else if (entry->is_regular_file(gone) && path.extension() != ".case" &&
               entry->file_size(gone) < kMaxTextBytes) {
      add_file(path, named);
    }
  }
  if (error) named.error = file_or_dir + ": cannot be read in full: " + error.message();
  return named;
}

}  // namespace bytegate
