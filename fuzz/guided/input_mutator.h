// The mutator and the cross-over of inputs, as engines ask for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "properties/op_properties.h"

namespace bytegate {

// Writes a changed input over `room`, which may begin with the input itself, and returns its size.
// It follows from the input, the size of the room, the seed, and the numbers that something was
// compared with.
size_t mutate_input(const OpProperties& properties, std::span<const uint8_t> input,
                    std::span<uint8_t> room, uint64_t seed, std::span<const int64_t> compared = {});

// The same of parts of two inputs.
size_t cross_inputs(const OpProperties& properties, std::span<const uint8_t> first,
                    std::span<const uint8_t> second, std::span<uint8_t> room, uint64_t seed);

}  // namespace bytegate
