// The cases that run bare: one at a time, each buffer an allocation of its own. They have numbers
// that every process gives alike: first those of the corpus, then the generated ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/sources.h"

namespace bytegate {

// More than this is not tried: a tool keeps notes on every byte, and cases of gigabytes are a
// matter of offsets, not of neighbours.
constexpr int64_t kMaxBareBytes = int64_t{256} << 20;

// Of all tensors, gaps included.
bool fits_bare(const Case& c);

class BareCases {
 public:
  // `loaded` must outlive this.
  BareCases(const OpProperties& properties, const LoadedCases& loaded, BackendKind backend,
            uint64_t seed);

  // How many come from the corpus, and how many there were left out for their size.
  [[nodiscard]] int64_t num_kept() const { return static_cast<int64_t>(kept_.size()); }
  [[nodiscard]] int64_t num_too_large() const { return num_too_large_; }

  struct Numbered {
    Case value;
    std::string source;  // "corpus", "trace", "generated"
    std::string file;    // empty: it is in none
  };
  // Any number from 0 on; what the generator draws too large does not count. Quick in ascending
  // order only.
  Numbered at(int64_t number);

 private:
  const OpProperties& properties_;
  const LoadedCases& loaded_;
  uint64_t seed_;
  std::vector<size_t> kept_;  // positions in loaded_
  int64_t num_too_large_ = 0;
  std::vector<uint64_t> drawn_;  // which draws fit, as far as they are known
  uint64_t next_draw_ = 0;
};

}  // namespace bytegate
