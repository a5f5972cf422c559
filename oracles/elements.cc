#include "oracles/elements.h"

namespace bytegate {

std::string_view dtype_name(DType dtype) {
  return dtype == DType::kInt32 ? "int32" : "int64";
}

Elements::Elements(DType dtype, int64_t count) {
  if (dtype == DType::kInt64) values_ = std::vector<int64_t>();
  resize(count);
}

int64_t Elements::size() const {
  return std::visit([](const auto& values) { return static_cast<int64_t>(values.size()); },
                    values_);
}

int64_t Elements::at(int64_t idx) const {
  return std::visit(
      [idx](const auto& values) { return static_cast<int64_t>(values[static_cast<size_t>(idx)]); },
      values_);
}

void Elements::set(int64_t idx, int64_t value) {
  std::visit(
      [idx, value](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        values[static_cast<size_t>(idx)] = static_cast<Value>(value);
      },
      values_);
}

void Elements::erase(int64_t first, int64_t count) {
  std::visit(
      [first, count](auto& values) {
        values.erase(values.begin() + first, values.begin() + first + count);
      },
      values_);
}

void Elements::resize(int64_t count) {
  std::visit([count](auto& values) { values.resize(static_cast<size_t>(count)); }, values_);
}

const std::byte* Elements::data() const {
  return std::visit(
      [](const auto& values) { return reinterpret_cast<const std::byte*>(values.data()); },
      values_);
}

std::byte* Elements::data() {
  return std::visit([](auto& values) { return reinterpret_cast<std::byte*>(values.data()); },
                    values_);
}

std::span<const int32_t> Elements::int32() const {
  return std::get<std::vector<int32_t>>(values_);
}

std::span<const int64_t> Elements::int64() const {
  return std::get<std::vector<int64_t>>(values_);
}

std::vector<int32_t>& Elements::int32_vector() {
  return std::get<std::vector<int32_t>>(values_);
}

std::vector<int64_t>& Elements::int64_vector() {
  return std::get<std::vector<int64_t>>(values_);
}

}  // namespace bytegate
