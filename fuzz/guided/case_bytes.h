// A case as bytes for coverage-guided fuzzers: any bytes are a case, and small changes of the bytes
// are small changes of the case.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

// Elements of all inputs and steps together, and of all outputs, that a decoded case may have:
// small enough for thousands of runs a second, large enough for several tiles of every path.
struct CaseBytesLimits {
  int64_t max_elements = int64_t{1} << 15;
};

// A well-formed case of the operation, whatever the bytes are; missing ones count as zeros. It
// expects bytes where it is valid, to be refused where the host can see that it is not (call faults
// among them), and to be survived where only its elements are outside the contract. A call fault
// that would spoil nothing of production's call is left out. It follows from the bytes alone.
Case case_of_bytes(const Op& op, std::span<const uint8_t> bytes,
                   const CaseBytesLimits& limits = {});

// Bytes of which case_of_bytes() makes the case again (without its origin and note, and for any
// backend); nothing when it is beyond the limits, has a call fault that would spoil nothing, or is
// not as make_case() and the case format leave what is absent.
std::optional<std::vector<uint8_t>> bytes_of_case(const Case& c,
                                                  const CaseBytesLimits& limits = {});

}  // namespace bytegate
