#include "fuzz/guided/element_changes.h"

#include <algorithm>
#include <utility>

namespace bytegate {
namespace {

int64_t num_units(int64_t value, int64_t unit) {
  return value / unit + (value % unit > 0 ? 1 : 0);
}

// Elements beyond it count as it: nobody counts so far.
constexpr int64_t kMostUnits = int64_t{1} << 40;

int64_t total_units(const Elements& values, int64_t unit) {
  int64_t total = 0;
  for (int64_t idx = 0; idx < values.size(); ++idx) {
    total += std::clamp(num_units(values.at(idx), unit), -kMostUnits, kMostUnits);
  }
  return total;
}

}  // namespace

void ElementChanges::put(Elements& values, int64_t idx, int64_t value) const {
  int64_t low = dtype_min(values.dtype());
  int64_t high = dtype_max(values.dtype());
  if (values_ == Values::kOfContract) {
    low = std::max(low, spec_.min_value);
    high = std::min(high, spec_.max_value);
  }
  values.set(idx, std::clamp(value, low, high));
}

int64_t ElementChanges::some_value(int64_t now) {
  if (values_ == Values::kOfContract || draw_.one_in(2)) return interesting_.element(spec_, now);
  const int64_t distance = draw_.between(1, 3);
  int64_t value = 0;
  const bool beyond = draw_.one_in(2) ? __builtin_sub_overflow(spec_.min_value, distance, &value)
                                      : __builtin_add_overflow(spec_.max_value, distance, &value);
  return beyond ? INT64_MIN : value;
}

ElementChanges::Range ElementChanges::some_range(const Elements& values) {
  const int64_t size = values.size();
  const int64_t columns = shape_.rank() < 2 ? 1 : std::max<int64_t>(shape_[shape_.rank() - 1], 1);
  if (columns > 1 && draw_.one_in(3)) {
    const int64_t row = draw_.between(0, size / columns - 1);
    return {.first = row * columns, .end = (row + 1) * columns};
  }
  if (draw_.one_in(4)) return {.first = 0, .end = size};
  const int64_t first = draw_.between(0, size - 1);
  return {.first = first, .end = std::min(size, first + 1 + draw_.log_uniform(size))};
}

void ElementChanges::fill(Elements& values, Range range) {
  int64_t value = interesting_.element(spec_, values.at(range.first));
  int64_t step = 0;
  if (draw_.one_in(3)) step = draw_.one_in(2) ? draw_.between(-2, 2) : interesting_.unit();
  for (int64_t idx = range.first; idx < range.end; ++idx) {
    put(values, idx, value);
    if (__builtin_add_overflow(value, step, &value)) value = spec_.simplest;
  }
}

void ElementChanges::copy_block(Elements& values, Range range) {
  const int64_t count = range.end - range.first;
  const int64_t to = draw_.between(0, values.size() - count);
  const Elements before = values;
  for (int64_t i = 0; i < count; ++i) values.set(to + i, before.at(range.first + i));
}

void ElementChanges::aim_total(Elements& values, int64_t unit, int64_t modulus) {
  const int64_t wanted = draw_.between(-1, 1);
  const int64_t rest = (total_units(values, unit) - wanted) % modulus;
  const int64_t missing = rest > 0 ? modulus - rest : -rest;
  const int64_t idx = draw_.between(0, values.size() - 1);
  const int64_t units = num_units(values.at(idx), unit);
  int64_t value = 0;
  if (__builtin_add_overflow(units, missing, &value)) return;
  if (__builtin_mul_overflow(value, unit, &value)) return;
  // Anywhere in the last unit.
  put(values, idx, value - (draw_.one_in(2) ? 0 : draw_.between(0, unit - 1)));
}

void ElementChanges::aim_wrap(Elements& values, int64_t unit) {
  const int64_t power = draw_.one_in(2) ? 31 : draw_.between(30, 33);
  const int64_t wanted =
      interesting_.compared().value_or((int64_t{1} << power) + draw_.between(-1, 1));
  int64_t missing = wanted - total_units(values, unit);
  for (int64_t idx = values.size() - 1; idx >= 0 && missing != 0; --idx) {
    const int64_t before = num_units(values.at(idx), unit);
    int64_t value = 0;
    if (__builtin_mul_overflow(std::max<int64_t>(before + missing, 0), unit, &value)) return;
    put(values, idx, value);
    missing -= num_units(values.at(idx), unit) - before;
  }
}

void ElementChanges::change(Elements& values, int64_t modulus) {
  const int64_t idx = draw_.between(0, values.size() - 1);
  switch (draw_.between(0, 11)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return put(values, idx, some_value(values.at(idx)));
    case 4: {
      // As its neighbour, or one beside.
      const int64_t neighbour = values.at(std::max<int64_t>(idx - 1, 0));
      int64_t value = 0;
      if (__builtin_add_overflow(neighbour, draw_.between(-1, 1), &value)) value = neighbour;
      return put(values, idx, value);
    }
    case 5: {
      const int64_t other = draw_.between(0, values.size() - 1);
      const int64_t held = values.at(idx);
      values.set(idx, values.at(other));
      return values.set(other, held);
    }
    case 6:
    case 7:
      return fill(values, some_range(values));
    case 8:
      return copy_block(values, some_range(values));
    case 9:
      return aim_wrap(values, std::max<int64_t>(interesting_.unit(), 1));
    default:
      return aim_total(values, std::max<int64_t>(interesting_.unit(), 1),
                       std::min<int64_t>(modulus, kMostUnits));
  }
}

}  // namespace bytegate
