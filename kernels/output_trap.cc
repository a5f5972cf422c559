#include "kernels/output_trap.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <string_view>

namespace bytegate {
namespace {

// Whole pages. Writing more than that fails, so that no candidate fills the memory with it.
constexpr size_t kTrapBytes = size_t{64} << 10;
constexpr size_t kMaxLineBytes = 200;

std::string printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\') {
      out += c;
    } else {
      out += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
    }
  }
  return out;
}

// The first that is not empty.
std::string first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (line.size() <= kMaxLineBytes) return printable(line);
  return printable(line.substr(0, kMaxLineBytes)) + "...";
}

// What could not be written must not be tried again with the next case.
void forget_unwritten() {
  for (FILE* stream : {stdout, stderr}) {
    __fpurge(stream);
    std::clearerr(stream);
  }
  for (std::ostream* stream : {&std::cout, &std::cerr, &std::clog}) stream->clear();
}

}  // namespace

OutputTrap::~OutputTrap() {
  if (file_ >= 0) close(file_);
}

bool OutputTrap::open() {
  file_ = memfd_create("bytegate-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return file_ >= 0 && ftruncate(file_, kTrapBytes) == 0 &&
         fcntl(file_, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0;
}

void OutputTrap::redirect() const {
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    if (dup2(file_, output) < 0) _exit(1);
  }
}

std::optional<std::string> OutputTrap::take() {
  std::fflush(stdout);
  std::cout.flush();
  std::optional<std::string> line = take_written();
  if (line) forget_unwritten();
  return line;
}

std::optional<std::string> OutputTrap::take_written() {
  const off_t num_written = lseek(file_, 0, SEEK_CUR);
  if (num_written <= 0) return std::nullopt;
  std::array<char, 4096> begin{};
  const size_t num_asked = std::min(begin.size(), static_cast<size_t>(num_written));
  const ssize_t num_read = pread(file_, begin.data(), num_asked, 0);
  lseek(file_, 0, SEEK_SET);
  return first_line({begin.data(), static_cast<size_t>(std::max<ssize_t>(num_read, 0))});
}

}  // namespace bytegate
