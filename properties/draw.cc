#include "properties/draw.h"

#include <array>

namespace bytegate {

uint64_t case_seed(uint64_t run_seed, uint64_t case_idx) {
  std::seed_seq sequence{static_cast<uint32_t>(run_seed), static_cast<uint32_t>(run_seed >> 32),
                         static_cast<uint32_t>(case_idx), static_cast<uint32_t>(case_idx >> 32)};
  std::array<uint32_t, 2> words{};
  sequence.generate(words.begin(), words.end());
  return uint64_t{words[0]} << 32 | words[1];
}

}  // namespace bytegate
