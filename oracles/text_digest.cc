#include "oracles/text_digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>

namespace bytegate {

std::string text_digest(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::string digest(16, '0');
  for (size_t i = digest.size(); i-- > 0; hash >>= 4) digest[i] = kDigits[hash & 15];
  return digest;
}

}  // namespace bytegate
