// What a process that dies of SIGSEGV or SIGBUS knows of it: its handler writes it into memory that
// the parent shares.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kernels/fault_map.h"

namespace bytegate {

struct LastWord {
  // "a write at address 0x40", "stack overflow"; empty: nothing that would help anybody. Addresses
  // far from zero are other ones in each run.
  std::string text;
  std::optional<Damage> trespass;
};

class LastWords {
 public:
  LastWords() = default;
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  ~LastWords();

  // Before the fork. False: it cannot be; errno says why.
  bool open();
  // After the fork, in the new process: from now on, until it ends. One per process. The handler
  // runs on a stack of its own, since what overflowed may be the stack that it interrupts: of this
  // thread, and of fibers that run on it. Another thread's overflow is not told from a crash.
  void listen(std::shared_ptr<const FaultMap> faults);
  // In the parent, when the process has died of a signal. Nothing in it is trusted: the process may
  // have written anything.
  [[nodiscard]] std::optional<LastWord> heard() const;

 private:
  struct Note;
  static void on_fault(int signal, void* info, void* context);

  Note* note_ = nullptr;  // shared
  std::shared_ptr<const FaultMap> faults_;
  std::unique_ptr<std::byte[]> stack_;
};

}  // namespace bytegate
