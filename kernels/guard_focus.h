// Which buffers of a case stand at unmapped pages of the device. The device only says that some
// access was illegal, so that a case which faulted runs again with one guard at a time.
#pragma once

namespace bytegate {

struct GuardFocus {
  static constexpr int kAll = -2;
  static constexpr int kNone = -3;

  int buffer = kAll;  // or the index of a tensor; -1: the workspace
  // The pages beside it are mapped, so that the access goes through, and a write leaves its trace.
  bool open = false;

  [[nodiscard]] bool guards(int asked) const { return buffer == kAll || buffer == asked; }
};

}  // namespace bytegate
