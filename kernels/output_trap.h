// What a process that was forked writes to stdout and stderr: it comes out nowhere, and how it
// begins is known on both sides of the fork, also when the process is gone.
#pragma once

#include <optional>
#include <string>

namespace bytegate {

class OutputTrap {
 public:
  OutputTrap() = default;
  OutputTrap(const OutputTrap&) = delete;
  OutputTrap& operator=(const OutputTrap&) = delete;
  ~OutputTrap();

  // Before the fork. False: it cannot be; errno says why.
  bool open();
  // After the fork, in the new process, for good.
  void redirect() const;
  // In the same process: the first line that was written since the last time, printable and cut
  // short, or nothing if there was none.
  std::optional<std::string> take();
  // The same in any process, without what still waits in buffers of the C library.
  std::optional<std::string> take_written();

 private:
  int file_ = -1;
};

}  // namespace bytegate
