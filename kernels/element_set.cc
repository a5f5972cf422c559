#include "kernels/element_set.h"

namespace bytegate {

std::vector<int64_t> ElementSet::indices() const {
  std::vector<int64_t> indices;
  const int64_t end = static_cast<int64_t>(words_.size() * kWordBits);
  for (int64_t idx = 0; idx < end; ++idx) {
    if (has(idx)) indices.push_back(idx);
  }
  return indices;
}

}  // namespace bytegate
