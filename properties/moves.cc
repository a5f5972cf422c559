// The order in which a case is made simpler: how it is launched, then how large it is, then its
// values.
#include <algorithm>
#include <utility>

#include "properties/minimize.h"
#include "properties/simplify.h"

namespace bytegate {
namespace {

// Beyond this many moves for one dimension or tensor only the coarser cuts are offered; once those
// have made it smaller, the finer ones come.
constexpr int64_t kMaxParts = 512;
constexpr int kMaxShift = 63;

int num_digits(uint64_t value) {
  return value == 0 ? 0 : 64 - __builtin_clzll(value);
}

// Exact over the whole of int64.
uint64_t distance_of(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

int64_t move_by(int64_t from, int64_t to, uint64_t step) {
  const uint64_t start = static_cast<uint64_t>(from);
  return static_cast<int64_t>(to > from ? start + step : start - step);
}

// The halved distance beyond `simplest`: as near to it as the shift is large.
int64_t beyond(int64_t value, int64_t simplest, int shift) {
  return move_by(simplest, value, distance_of(value, simplest) >> shift);
}

// A halved distance away from `value`: shift 0 gives `simplest` itself. Beyond kMaxShift, one or
// two steps.
constexpr int kStepOne = kMaxShift + 1;
constexpr int kStepTwo = kMaxShift + 2;
int64_t towards(int64_t value, int64_t simplest, int shift) {
  const uint64_t distance = distance_of(value, simplest);
  uint64_t step = 0;
  if (shift <= kMaxShift) {
    step = distance >> shift;
  } else {
    step = std::min<uint64_t>(distance, shift == kStepOne ? 1 : 2);
  }
  return move_by(value, simplest, step);
}

// The ways to change a number whose distance to `simplest` has `digits` binary digits, after
// setting it to `simplest`: the small numbers first.
struct NumberMove {
  int64_t (*transform)(int64_t value, int64_t simplest, int shift);
  int shift;
};
std::vector<NumberMove> number_moves(int digits) {
  std::vector<NumberMove> moves;
  for (int shift = digits - 1; shift > 1; --shift) moves.push_back({beyond, shift});
  for (int shift = 1; shift < digits; ++shift) moves.push_back({towards, shift});
  moves.push_back({towards, kStepOne});
  moves.push_back({towards, kStepTwo});
  return moves;
}

// Parts [first, first + count) of `size` rows, by halves: at `level` the part is size / 2^level
// long.
struct Part {
  int64_t first = 0;
  int64_t count = 0;
};
std::optional<Part> part_of(int64_t size, int level, int64_t part) {
  const int64_t count = std::max<int64_t>(size >> level, 1);
  const int64_t first = part * count;
  if (first >= size) return std::nullopt;
  return Part{first, std::min(count, size - first)};
}

// Calls add(level, part) for all parts of all levels, coarse first.
template <typename Add>
void for_each_part(int64_t size, Add&& add) {
  for (int level = 0; level <= num_digits(static_cast<uint64_t>(size)); ++level) {
    const int64_t count = std::max<int64_t>(size >> level, 1);
    const int64_t parts = (size + count - 1) / count;
    if (parts > kMaxParts) {
      // All would be too many; the last one still finds where a length begins to matter.
      add(level, parts - 1);
      continue;
    }
    for (int64_t part = 0; part < parts; ++part) add(level, part);
    if (count == 1) return;
  }
}

void add_launch_moves(const Case& c, std::vector<Move>& moves) {
  const int64_t num_steps = static_cast<int64_t>(c.later_steps.size());
  for_each_part(num_steps, [&](int level, int64_t part) {
    moves.emplace_back([level, part](const Case& now) -> std::optional<Case> {
      const auto cut = part_of(static_cast<int64_t>(now.later_steps.size()), level, part);
      if (!cut) return std::nullopt;
      return drop_steps(now, static_cast<size_t>(cut->first), static_cast<size_t>(cut->count));
    });
    moves.emplace_back([level, part](const Case& now) -> std::optional<Case> {
      const auto cut = part_of(static_cast<int64_t>(now.later_steps.size()), level, part);
      if (!cut) return std::nullopt;
      return begin_with_step(now, static_cast<size_t>(cut->first + cut->count - 1));
    });
  });
  moves.emplace_back(plain_mode);
  moves.emplace_back(natural_order);
  moves.emplace_back(unforced_path);
  for (int tensor = 0; tensor < static_cast<int>(c.tensors.size()); ++tensor) {
    moves.emplace_back([tensor](const Case& now) { return leave_out(now, tensor); });
    moves.emplace_back([tensor](const Case& now) { return make_compact(now, tensor); });
    moves.emplace_back([tensor](const Case& now) { return narrow_dtype(now, tensor); });
  }
}

void add_dim_moves(const Case& c, std::vector<Move>& moves) {
  for (int dim = 0; dim < static_cast<int>(c.dims.size()); ++dim) {
    for_each_part(c.dims[static_cast<size_t>(dim)], [&](int level, int64_t part) {
      moves.emplace_back([dim, level, part](const Case& now) -> std::optional<Case> {
        const auto cut = part_of(now.dims[static_cast<size_t>(dim)], level, part);
        if (!cut) return std::nullopt;
        return cut_dim(now, dim, cut->first, cut->count);
      });
    });
  }
}

void add_scalar_moves(const Case& c, std::vector<Move>& moves) {
  for (int scalar = 0; scalar < static_cast<int>(c.scalars.size()); ++scalar) {
    const int64_t simplest = c.op->scalars[static_cast<size_t>(scalar)].simplest;
    const auto add = [&](NumberMove number) {
      moves.emplace_back([scalar, simplest, number](const Case& now) {
        const int64_t value = now.scalars[static_cast<size_t>(scalar)];
        return set_scalar(now, scalar, number.transform(value, simplest, number.shift));
      });
    };
    add({towards, 0});
    const uint64_t distance = distance_of(c.scalars[static_cast<size_t>(scalar)], simplest);
    for (const NumberMove number : number_moves(num_digits(distance))) add(number);
  }
}

int max_digits(const Elements& elements, int64_t simplest) {
  int digits = 0;
  for (int64_t i = 0; i < elements.size(); ++i) {
    digits = std::max(digits, num_digits(distance_of(elements.at(i), simplest)));
  }
  return digits;
}

void add_element_moves(const Case& c, std::vector<Move>& moves) {
  for (int tensor = 0; tensor < static_cast<int>(c.tensors.size()); ++tensor) {
    const TensorSpec& spec = c.op->tensors[static_cast<size_t>(tensor)];
    const Elements& elements = c.tensors[static_cast<size_t>(tensor)].elements;
    if (spec.role != Role::kInput || elements.size() == 0) continue;
    const auto add = [&](int level, int64_t part, NumberMove number) {
      moves.emplace_back([tensor, level, part, number](const Case& now) -> std::optional<Case> {
        const int64_t size = now.tensors[static_cast<size_t>(tensor)].elements.size();
        const auto range = part_of(size, level, part);
        if (!range) return std::nullopt;
        return change_elements(now, tensor, range->first, range->count, number.transform,
                               number.shift);
      });
    };
    for_each_part(elements.size(), [&](int level, int64_t part) {
      add(level, part, {towards, 0});
    });
    const std::vector<NumberMove> numbers = number_moves(max_digits(elements, spec.simplest));
    for_each_part(elements.size(), [&](int level, int64_t part) {
      for (const NumberMove number : numbers) add(level, part, number);
    });
  }
}

// The same moves, each followed by what the contract says follows from the case.
void settle_after_each(std::vector<Move>& moves) {
  for (Move& move : moves) {
    move = [unsettled = std::move(move)](const Case& now) {
      std::optional<Case> simpler = unsettled(now);
      if (simpler && simpler->expect == Expect::kBytes) simpler->op->settle(*simpler);
      return simpler;
    };
  }
}

}  // namespace

std::vector<Move> moves_of(const Case& c) {
  std::vector<Move> moves;
  add_launch_moves(c, moves);
  add_dim_moves(c, moves);
  add_scalar_moves(c, moves);
  add_element_moves(c, moves);
  if (c.op->settle != nullptr) settle_after_each(moves);
  return moves;
}

}  // namespace bytegate
