// How much of what bytes say is taken as it stands. The usual form mends what it reads, so that
// nearly all bytes are valid cases; each escape is marked in the first byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

struct CaseForm {
  bool raw_elements = false;  // beyond the range that the description gives them
  bool raw_call = false;      // scalars, dimensions, presence, dtypes and strides; nothing settled
  bool has_faults = false;    // of the call itself

  // Of the first byte of an input.
  static CaseForm of_byte(uint8_t byte);
  [[nodiscard]] uint8_t byte() const;
};

// The modes of an operation in the order in which a byte counts them: those that the host backend
// has something of its own for, then the others, which only the last bytes name.
struct ModeList {
  std::array<Mode, kModes.size()> modes{};
  size_t num_host_modes = 0;

  explicit ModeList(const Op& op);
  [[nodiscard]] Mode of_byte(uint8_t byte) const;
  [[nodiscard]] uint8_t byte_of(Mode mode) const;
};

// The bytes of a case in one form; reading them gives the case again if the form can say it.
std::vector<uint8_t> write_case_bytes(const Case& c, CaseForm form);

// Sets what the case expects from what it is: whether it is inside the contract.
void set_expectation(Case& c);

}  // namespace bytegate
