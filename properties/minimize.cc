#include "properties/minimize.h"

#include <utility>

namespace bytegate {

// Greedy: the first simpler case that still fails the same way becomes the case, and the search
// goes on at the same move, since what helped once often helps again.
MinimizeResult minimize(const Case& failing, const Judge& judge, const MinimizeOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + options.time_limit;
  MinimizeResult result;
  result.smallest = failing;
  result.verdict = judge(failing);
  // Where nobody looks, every case would be as good as another.
  if (result.verdict.passed() || result.verdict.kind == VerdictKind::kUntested) return result;
  const std::string flaw(flaw_of_origin(result.verdict.origin));
  bool progress = true;
  while (progress) {
    progress = false;
    const std::vector<Move> moves = moves_of(result.smallest);
    for (const Move& move : moves) {
      while (true) {
        if (std::chrono::steady_clock::now() >= deadline) return result;
        if (options.stop && options.stop()) return result;
        std::optional<Case> simpler = move(result.smallest);
        if (!simpler || *simpler == result.smallest) break;
        if (simpler->expect == Expect::kBytes && invalid_reason(*simpler)) break;
        ++result.num_tried;
        Verdict verdict = judge(*simpler);
        if (verdict.passed() || flaw_of_origin(verdict.origin) != flaw) break;
        ++result.num_accepted;
        progress = true;
        result.smallest = std::move(*simpler);
        result.verdict = std::move(verdict);
      }
    }
  }
  result.minimal = true;
  return result;
}

}  // namespace bytegate
