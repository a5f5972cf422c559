// Integers as bytes, small ones in one byte each: what any bytes are read as, and written to be
// read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bytegate {

// The last seven bits of a first byte are a digit: below kNegativeDigits of a number that is not
// negative, else of a negative one. What does not fit in the digit follows seven bits at a time,
// the low ones first. Of random numbers one in eight is negative, since most inputs are counts.
inline constexpr uint64_t kNegativeDigits = 112;
inline constexpr uint64_t kNumDigits = 128;

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return next_ >= bytes_.size(); }
  uint8_t byte() { return at_end() ? uint8_t{0} : bytes_[next_++]; }

  uint64_t count() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t part = byte();
      value |= uint64_t{part & 0x7fU} << shift;
      if (part < kNumDigits) break;
    }
    return value;
  }

  int64_t integer() {
    const uint8_t first = byte();
    const uint64_t digit = first % kNumDigits;
    const uint64_t rest = first < kNumDigits ? 0 : count();
    const bool negative = digit >= kNegativeDigits;
    const uint64_t base = negative ? kNumDigits - kNegativeDigits : kNegativeDigits;
    const uint64_t low = negative ? digit - kNegativeDigits : digit;
    uint64_t value = 0;
    if (__builtin_mul_overflow(rest, base, &value) || value > uint64_t{INT64_MAX} - low) {
      value = INT64_MAX;
    } else {
      value += low;
    }
    return negative ? -static_cast<int64_t>(value) - 1 : static_cast<int64_t>(value);
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t next_ = 0;
};

class ByteWriter {
 public:
  void byte(uint8_t value) { bytes_.push_back(value); }

  void count(uint64_t value) {
    while (value >= kNumDigits) {
      byte(static_cast<uint8_t>(value % kNumDigits + kNumDigits));
      value /= kNumDigits;
    }
    byte(static_cast<uint8_t>(value));
  }

  void integer(int64_t value) {
    const bool negative = value < 0;
    const uint64_t base = negative ? kNumDigits - kNegativeDigits : kNegativeDigits;
    const uint64_t size =
        negative ? static_cast<uint64_t>(-(value + 1)) : static_cast<uint64_t>(value);
    const uint64_t digit = size % base + (negative ? kNegativeDigits : 0);
    const uint64_t rest = size / base;
    byte(static_cast<uint8_t>(digit + (rest > 0 ? kNumDigits : 0)));
    if (rest > 0) count(rest);
  }

  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace bytegate
