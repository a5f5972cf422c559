// The entry points that an engine calls, of the operation that the build names.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/guided/compared_numbers.h"
#include "fuzz/guided/feedback.h"
#include "fuzz/guided/input_mutator.h"
#include "fuzz/guided/op_target.h"

// The engine's own mutator of bytes; absent where there is none.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                         size_t max_size);

namespace {

// libFuzzer takes whatever the section holds as counters, and clears them before each input; other
// engines do not know it.
__attribute__((section("__libfuzzer_extra_counters"), used))
uint8_t extra_counters[bytegate::kNumFeedbackCounters];

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::abort();
}

const bytegate::OpProperties& op_properties() {
  const bytegate::Op* op = bytegate::find_op(bytegate::all_ops(), BYTEGATE_FUZZED_OP);
  if (op == nullptr) give_up("no operation is called " BYTEGATE_FUZZED_OP);
  return *bytegate::find_properties(bytegate::all_properties(), *op);
}

// The target, until the process ends normally.
class Session {
 public:
  Session() {
    auto made = bytegate::OpTarget::make(
        op_properties(), bytegate::OpTargetOptions::of_environment(), extra_counters);
    if (made.target == nullptr) give_up(made.error);
    target_ = std::move(made.target);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (auto error = target_->finish()) std::fprintf(stderr, "%s\n", error->c_str());
  }
  bytegate::OpTarget& target() { return *target_; }

 private:
  std::unique_ptr<bytegate::OpTarget> target_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Session session;
  if (auto failure = session.target().run({data, size})) give_up(*failure);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  // Bytes know no structure, and break what no mutation of cases would think of.
  constexpr unsigned kBytesOneIn = 8;
  if (seed % kBytesOneIn == 0 && LLVMFuzzerMutate != nullptr) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  return bytegate::mutate_input(op_properties(), {data, size}, {data, max_size}, seed,
                                bytegate::compared_numbers().numbers());
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size,
                                            const uint8_t* second, size_t second_size, uint8_t* out,
                                            size_t max_size, unsigned int seed) {
  return bytegate::cross_inputs(op_properties(), {first, first_size}, {second, second_size},
                                {out, max_size}, seed);
}
