#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "fuzz/corpus/prune.h"

namespace bytegate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigestDigits = 16;
constexpr uintmax_t kMaxTextBytes = uintmax_t{1} << 20;

void add_digests(const fs::path& path, std::set<std::string>& digests) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t start = text.find_first_of(kDigits); start != std::string::npos;) {
    size_t end = text.find_first_not_of(kDigits, start);
    if (end == std::string::npos) end = text.size();
    if (end - start == kDigestDigits) digests.insert(text.substr(start, kDigestDigits));
    start = text.find_first_of(kDigits, end);
  }
}

bool is_left_out(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "build";
}

}  // namespace

std::set<std::string> digests_named_in(const std::string& file_or_dir) {
  std::set<std::string> digests;
  std::error_code error;
  if (!fs::is_directory(file_or_dir, error)) {
    add_digests(file_or_dir, digests);
    return digests;
  }
  for (fs::recursive_directory_iterator entry(file_or_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error)) {
      if (is_left_out(entry->path())) entry.disable_recursion_pending();
      continue;
    }
    const bool is_text = entry->is_regular_file(error) && entry->path().extension() != ".case" &&
                         entry->file_size(error) < kMaxTextBytes;
    if (is_text) add_digests(entry->path(), digests);
  }
  return digests;
}

}  // namespace bytegate
