#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuzz/guided/case_bytes.h"
#include "oracles/paged_mqa_metadata.h"
#include "properties/op_properties.h"

extern "C" {
void* afl_custom_init(void* engine, unsigned int seed);
size_t afl_custom_fuzz(void* data, const uint8_t* input, size_t input_size, const uint8_t** out,
                       const uint8_t* other, size_t other_size, size_t max_size);
void afl_custom_deinit(void* data);
}

namespace bytegate {
namespace {

using Bytes = std::vector<uint8_t>;

// The engine's side of the interface.
class AflMutator : public ::testing::Test {
 protected:
  void SetUp() override { setenv("BYTEGATE_FUZZ_OP", "paged_mqa_metadata", 1); }
  void TearDown() override { unsetenv("BYTEGATE_FUZZ_OP"); }

  static std::vector<Bytes> inputs_of(unsigned seed, const Bytes& first, const Bytes& second,
                                      size_t max_size) {
    const std::unique_ptr<void, void (*)(void*)> mutator(afl_custom_init(nullptr, seed),
                                                         afl_custom_deinit);
    std::vector<Bytes> made;
    for (int i = 0; i < 100; ++i) {
      const uint8_t* out = nullptr;
      const size_t size =
          afl_custom_fuzz(mutator.get(), first.data(), first.size(), &out,
                          second.empty() ? nullptr : second.data(), second.size(), max_size);
      made.emplace_back(out, out + size);
    }
    return made;
  }

  const Bytes first_ = *bytes_of_case(make_paged_mqa_metadata_case({1, 2, 3}, 7));
  const Bytes second_ = *bytes_of_case(make_paged_mqa_metadata_case({600, 700}, 5));
};

TEST_F(AflMutator, ASeedMakesTheSameInputsOfACase) {
  const std::vector<Bytes> made = inputs_of(1, first_, {}, 1 << 20);
  EXPECT_EQ(inputs_of(1, first_, {}, 1 << 20), made);
  EXPECT_NE(inputs_of(2, first_, {}, 1 << 20), made);
  EXPECT_GT(std::set<Bytes>(made.begin(), made.end()).size(), made.size() / 2);
  int num_valid = 0;
  for (const Bytes& input : made) {
    if (case_of_bytes(paged_mqa_metadata_op(), input).expect == Expect::kBytes) ++num_valid;
  }
  EXPECT_GT(num_valid, static_cast<int>(made.size()) / 2);
}

TEST_F(AflMutator, ASecondInputIsCrossedIn) {
  const std::vector<Bytes> alone = inputs_of(1, first_, {}, 1 << 20);
  const std::vector<Bytes> crossed = inputs_of(1, first_, second_, 1 << 20);
  int num_changed = 0;
  for (size_t i = 0; i < alone.size(); ++i) num_changed += crossed[i] != alone[i] ? 1 : 0;
  EXPECT_GT(num_changed, 10);
  EXPECT_LT(num_changed, 50);
}

TEST_F(AflMutator, NoInputIsLargerThanTheEngineTakes) {
  for (const Bytes& input : inputs_of(1, first_, second_, 3)) EXPECT_LE(input.size(), 3U);
}

TEST_F(AflMutator, AnOperationThatThereIsNotIsNamed) {
  setenv("BYTEGATE_FUZZ_OP", "no_such_op", 1);
  EXPECT_DEATH(afl_custom_init(nullptr, 1), "BYTEGATE_FUZZ_OP: no operation is called no_such_op");
  unsetenv("BYTEGATE_FUZZ_OP");
  EXPECT_DEATH(afl_custom_init(nullptr, 1), "BYTEGATE_FUZZ_OP: is not set");
}

}  // namespace
}  // namespace bytegate
