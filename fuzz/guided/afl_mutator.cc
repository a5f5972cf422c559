// Our mutator and cross-over as a library that AFL++ loads (AFL_CUSTOM_MUTATOR_LIBRARY), since its
// driver does not ask a target for them. BYTEGATE_FUZZ_OP names the operation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "fuzz/guided/input_mutator.h"
#include "properties/op_properties.h"

namespace {

constexpr size_t kMaxInputBytes = size_t{1} << 16;  // max_len of target.options
constexpr unsigned kCrossOverOneIn = 4;

struct Mutator {
  const bytegate::OpProperties& properties;
  std::mt19937_64 random;
  std::vector<uint8_t> made;
};

const bytegate::OpProperties& properties_of_environment() {
  const char* name = std::getenv("BYTEGATE_FUZZ_OP");
  const bytegate::Op* op = name == nullptr ? nullptr : bytegate::find_op(bytegate::all_ops(), name);
  if (op == nullptr) {
    std::fprintf(stderr, "BYTEGATE_FUZZ_OP: %s\n",
                 name == nullptr ? "is not set, and says which operation to mutate cases of"
                                 : (std::string("no operation is called ") + name).c_str());
    std::abort();
  }
  return *bytegate::find_properties(bytegate::all_properties(), *op);
}

}  // namespace

extern "C" void* afl_custom_init(void*, unsigned int seed) {
  return new Mutator{properties_of_environment(), std::mt19937_64(seed), {}};
}

// What it gives is good until the next call. `other` is a second input, or none. Changes of bytes
// are the engine's own business.
extern "C" size_t afl_custom_fuzz(void* data, const uint8_t* input, size_t input_size,
                                  const uint8_t** out, const uint8_t* other, size_t other_size,
                                  size_t max_size) {
  Mutator& mutator = *static_cast<Mutator*>(data);
  const uint64_t seed = mutator.random();
  const bool crosses = other != nullptr && other_size > 0 && seed % kCrossOverOneIn == 0;
  mutator.made.resize(std::min(max_size, kMaxInputBytes));
  *out = mutator.made.data();
  return crosses
             ? bytegate::cross_inputs(mutator.properties, {input, input_size}, {other, other_size},
                                      mutator.made, seed)
             : bytegate::mutate_input(mutator.properties, {input, input_size}, mutator.made, seed);
}

extern "C" void afl_custom_deinit(void* data) {
  delete static_cast<Mutator*>(data);
}
