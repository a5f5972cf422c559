#include "properties/trace/trace_reader.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "properties/trace/csv_trace.h"
#include "properties/trace/json_trace.h"

namespace bytegate::trace {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kReadBytes = size_t{1} << 20;

void sort_and_rebase(std::vector<Request>& requests) {
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.arrival_us < b.arrival_us; });
  const int64_t first = requests.front().arrival_us;
  for (Request& request : requests) request.arrival_us -= first;
}

}  // namespace

std::string to_string(const TraceError& error) {
  std::string where;
  if (error.line > 0) where = "line " + std::to_string(error.line);
  if (!error.field.empty()) where += (where.empty() ? "" : ", ") + error.field;
  return where.empty() ? error.message : where + ": " + error.message;
}

TraceResult read_trace(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return TraceError{0, "", "the file is empty"};
  const size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) {
    const auto newlines =
        std::count(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(nul), '\n');
    return TraceError{newlines + 1, "", "a NUL byte: not a text file in UTF-8"};
  }
  TraceResult result = bytes[first] == '{' ? read_json_trace(bytes) : read_csv_trace(bytes);
  auto* requests = std::get_if<std::vector<Request>>(&result);
  if (requests == nullptr) return result;
  if (requests->empty()) return TraceError{0, "", "no requests, only a header"};
  sort_and_rebase(*requests);
  return result;
}

TraceResult read_trace_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return TraceError{0, "", "cannot open " + path};
  std::string bytes;
  std::vector<char> chunk(kReadBytes);
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    bytes.append(chunk.data(), static_cast<size_t>(file.gcount()));
    if (std::ssize(bytes) > kMaxTraceBytes) {
      return TraceError{0, "", path + " is larger than 1 GiB"};
    }
  }
  if (!file.eof()) return TraceError{0, "", "cannot read " + path};
  return read_trace(bytes);
}

}  // namespace bytegate::trace
