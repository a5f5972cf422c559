#include "ci/cli/progress.h"

#include <unistd.h>

#include <iostream>

#include "ci/cli/case_summary.h"

namespace bytegate::cli {

Progress::Progress(std::string label)
    : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

std::function<void(int64_t, int64_t)> Progress::callback() {
  if (!on_terminal_) return nullptr;
  return [this](int64_t num_done, int64_t num_failed) { show(num_done, num_failed); };
}

void Progress::show(int64_t num_done, int64_t num_failed) {
  constexpr std::chrono::milliseconds kInterval{200};
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < kInterval) return;
  last_ = now;
  shown_ = true;
  std::cerr << "\r\x1b[K" << label_ << ": " << with_commas(num_done) << " cases, "
            << with_commas(num_failed) << " failed" << std::flush;
}

}  // namespace bytegate::cli
