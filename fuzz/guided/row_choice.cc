#include "fuzz/guided/row_choice.h"

#include <algorithm>

#include "fuzz/guided/case_rows.h"

namespace bytegate {
namespace {

size_t some_index(const std::vector<int64_t>& from, Draw& draw) {
  return static_cast<size_t>(draw.between(0, static_cast<int64_t>(from.size()) - 1));
}

}  // namespace

void permute_rows(std::vector<int64_t>& from, Draw& draw) {
  const size_t a = some_index(from, draw);
  const size_t b = some_index(from, draw);
  const auto begin = from.begin();
  switch (draw.between(0, 2)) {
    case 0:
      std::swap(from[a], from[b]);
      return;
    case 1:
      std::reverse(begin + static_cast<int64_t>(std::min(a, b)),
                   begin + static_cast<int64_t>(std::max(a, b)) + 1);
      return;
    default:
      std::rotate(begin, begin + static_cast<int64_t>(a), from.end());
  }
}

void resize_rows(std::vector<int64_t>& from, int64_t count, Draw& draw) {
  const int64_t now = static_cast<int64_t>(from.size());
  const int64_t at = draw.between(0, now);
  if (count < now) {
    const int64_t num_gone = now - count;
    const int64_t first = std::min(at, now - num_gone);
    from.erase(from.begin() + first, from.begin() + first + num_gone);
    return;
  }
  // New ones are of simplest values, copies of one row, or of all of them in turn.
  const int64_t kind = now == 0 ? 0 : draw.between(0, 2);
  const int64_t copied = now == 0 ? 0 : draw.between(0, now - 1);
  std::vector<int64_t> fresh;
  for (int64_t i = 0; i < count - now; ++i) {
    fresh.push_back(kind == 0 ? kNewRow : kind == 1 ? copied : i % now);
  }
  from.insert(from.begin() + at, fresh.begin(), fresh.end());
}

}  // namespace bytegate
