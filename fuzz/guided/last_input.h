// The input that is being run, in a file that outlives the process however it ends: eight bytes of
// length, little-endian, then the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bytegate {

class LastInput {
 public:
  LastInput() = default;
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;
  ~LastInput();

  // Makes the file, empty. Returns what went wrong.
  std::optional<std::string> open(const std::string& path);
  // Nothing happens while no file is open. False: there is no room for it.
  bool set(std::span<const uint8_t> input);

 private:
  bool reserve(size_t bytes);

  int file_ = -1;
  uint8_t* mapped_ = nullptr;
  size_t capacity_ = 0;
};

// What a process left; nothing when the file is missing, damaged, or was never set.
std::optional<std::vector<uint8_t>> read_last_input(const std::string& path);

}  // namespace bytegate
