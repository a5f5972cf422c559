#include "fuzz/guided/interesting.h"

#include <algorithm>

namespace bytegate {
namespace {

constexpr int64_t kFewRows = 130;

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? INT64_MAX : INT64_MIN;
  return sum;
}

int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  return product;
}

}  // namespace

std::optional<int64_t> Interesting::compared() {
  constexpr int kOneIn = 5;
  if (hints_.compared.empty() || !draw_.one_in(kOneIn)) return std::nullopt;
  const int64_t number = draw_.among(hints_.compared);
  // Kernels count splits and pages, cases have tokens.
  if (hints_.edges.empty() || !draw_.one_in(3)) return number;
  return saturating_product(number, draw_.among(hints_.edges));
}

int64_t Interesting::unit() {
  const int64_t kind = draw_.between(0, 7);
  if (kind < 3 && !hints_.edges.empty()) return draw_.among(hints_.edges);
  if (kind < 5 && !case_.scalars.empty()) {
    return draw_.among(std::span<const int64_t>(case_.scalars));
  }
  if (kind < 6 && !case_.dims.empty()) return draw_.among(std::span<const int64_t>(case_.dims));
  return int64_t{1} << draw_.between(0, 32);
}

int64_t Interesting::number() {
  const int64_t kind = draw_.between(0, 7);
  int64_t value = unit();
  if (kind < 2) value = saturating_product(value, draw_.between(2, 9));
  if (kind == 2) value = saturating_product(value, draw_.log_uniform(INT32_MAX));
  return saturating_sum(value, draw_.between(-1, 1));
}

int64_t Interesting::element(const TensorSpec& spec, int64_t now) {
  if (const auto number = compared()) return *number;
  const int64_t low = std::max<int64_t>(spec.min_value, INT32_MIN);
  const int64_t high = std::min<int64_t>(spec.max_value, INT32_MAX);
  switch (draw_.between(0, 9)) {
    case 0:
      return saturating_sum(low, draw_.between(0, 2));
    case 1:
      return saturating_sum(high, -draw_.between(0, 300));
    case 2:
      return saturating_sum(now, draw_.one_in(2) ? 1 : -1);
    case 3:
      return draw_.one_in(2) ? saturating_product(now, 2) : now / 2;
    case 4:
      return saturating_sum(now, draw_.one_in(2) ? unit() : -unit());
    case 5:
      return draw_.log_uniform(high);
    case 6:
      // Beyond what 32 bits hold, and nothing.
      return draw_.one_in(4) ? saturating_product(number(), int64_t{1} << 32) : spec.simplest;
    default:
      return number();
  }
}

int64_t Interesting::scalar(const ScalarSpec& spec, int64_t now) {
  if (!spec.symbols.empty()) return draw_.between(spec.min, spec.max);
  if (const auto number = compared()) return *number;
  switch (draw_.between(0, 9)) {
    case 0:
      return spec.min;
    case 1:
      return draw_.one_in(4) ? spec.max : spec.simplest;
    case 2:
    case 3:
      return saturating_sum(now, draw_.one_in(2) ? 1 : -1);
    case 4:
      return draw_.one_in(2) ? saturating_product(now, 2) : now / 2;
    case 5:
    case 6:
      return saturating_sum(spec.min, draw_.log_uniform(spec.max - spec.min));
    default:
      return number();
  }
}

int64_t Interesting::num_rows(int64_t now, int64_t most) {
  if (const auto number = compared()) return std::clamp<int64_t>(*number, 0, most);
  int64_t count = 0;
  switch (draw_.between(0, 9)) {
    case 0:
      count = draw_.between(0, 3);
      break;
    case 1:
    case 2:
      count = now + (draw_.one_in(2) ? 1 : -1);
      break;
    case 3:
      count = draw_.one_in(2) ? 2 * now : now / 2;
      break;
    case 4:
    case 5:
      count = draw_.between(0, 70);
      break;
    case 6:
      count = draw_.log_uniform(most);
      break;
    default:
      count = number();
  }
  // Many rows take long, and most of what there is to find needs few.
  if (count > kFewRows && !draw_.one_in(6)) count = draw_.between(0, kFewRows);
  return std::clamp<int64_t>(count, 0, most);
}

}  // namespace bytegate
