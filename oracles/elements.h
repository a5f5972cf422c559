// The values of a tensor in row-major order of its shape, whatever its strides are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace bytegate {

enum class DType : uint8_t { kInt32, kInt64 };

std::string_view dtype_name(DType dtype);
constexpr size_t dtype_bytes(DType dtype) {
  return dtype == DType::kInt32 ? 4 : 8;
}
constexpr int64_t dtype_min(DType dtype) {
  return dtype == DType::kInt32 ? INT32_MIN : INT64_MIN;
}
constexpr int64_t dtype_max(DType dtype) {
  return dtype == DType::kInt32 ? INT32_MAX : INT64_MAX;
}

class Elements {
 public:
  Elements() = default;
  explicit Elements(std::vector<int32_t> values) : values_(std::move(values)) {}
  explicit Elements(std::vector<int64_t> values) : values_(std::move(values)) {}
  // `count` zeros.
  Elements(DType dtype, int64_t count);

  [[nodiscard]] DType dtype() const {
    return std::holds_alternative<std::vector<int32_t>>(values_) ? DType::kInt32 : DType::kInt64;
  }
  [[nodiscard]] int64_t size() const;
  [[nodiscard]] int64_t at(int64_t idx) const;
  // `value` must fit the dtype.
  void set(int64_t idx, int64_t value);
  // Keeps the elements outside [first, first + count).
  void erase(int64_t first, int64_t count);
  void resize(int64_t count);

  [[nodiscard]] const std::byte* data() const;
  [[nodiscard]] std::byte* data();
  [[nodiscard]] size_t bytes() const { return static_cast<size_t>(size()) * dtype_bytes(dtype()); }

  // The typed view; the dtype must be the one asked for.
  [[nodiscard]] std::span<const int32_t> int32() const;
  [[nodiscard]] std::span<const int64_t> int64() const;
  [[nodiscard]] std::vector<int32_t>& int32_vector();
  [[nodiscard]] std::vector<int64_t>& int64_vector();

  friend bool operator==(const Elements&, const Elements&) = default;

 private:
  std::variant<std::vector<int32_t>, std::vector<int64_t>> values_;
};

}  // namespace bytegate
