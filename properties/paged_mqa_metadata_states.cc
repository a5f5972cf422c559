#include "properties/paged_mqa_metadata_states.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracles/paged_mqa_metadata.h"
#include "properties/schedule_starts.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

enum State : int {
  kIdle,           // nothing to do
  kIdleBehindAll,  // nothing to do, and nothing is left
  kWholeRequest,   // exactly one request
  kPartAtBegin,    // the begin of a request
  kPartInside,     // neither begin nor end
  kPartAtEnd,      // the end of a request
  kSeveral,        // begins and ends at requests' edges
  kSeveralFromWithin,
  kSeveralToWithin,
  kSeveralWithinBoth,
  kSkipsEmpty,    // passes requests without a token
  kBegins31Bits,  // is the one in whose share 2^31 splits are passed
  kBeginsBeyond,  // starts beyond 2^31 splits
  kNumStates,
};

constexpr std::array<std::string_view, kNumStates> kNames = {
    "SM idle",
    "SM idle behind all work",
    "SM takes one request",
    "SM takes the begin of a request",
    "SM takes the inside of a request",
    "SM takes the end of a request",
    "SM takes several requests",
    "SM takes several, the first from within",
    "SM takes several, the last in part",
    "SM takes several, both ends within",
    "SM skips empty requests",
    "SM passes 2^31 splits",
    "SM starts beyond 2^31 splits"};

constexpr size_t kMaxStates = 512;

struct Share {
  int64_t first_request = 0;
  int64_t first_offset = 0;
  int64_t end_request = 0;
  int64_t end_offset = 0;
};

State part_of(const Share& share, std::span<const int32_t> lens) {
  const int64_t num_requests = static_cast<int64_t>(lens.size());
  if (share.first_request == share.end_request && share.first_offset == share.end_offset) {
    return share.first_request >= num_requests ? kIdleBehindAll : kIdle;
  }
  // The end (q, 0) is the end of the last request before q that has a split.
  int64_t last = share.end_request;
  const bool ends_at_edge = share.end_offset == 0;
  if (ends_at_edge) {
    do {
      --last;
    } while (last > share.first_request && lens[static_cast<size_t>(last)] == 0);
  }
  const bool begins_at_edge = share.first_offset == 0;
  if (last <= share.first_request) {
    if (begins_at_edge) return ends_at_edge ? kWholeRequest : kPartAtBegin;
    return ends_at_edge ? kPartAtEnd : kPartInside;
  }
  if (begins_at_edge) return ends_at_edge ? kSeveral : kSeveralToWithin;
  return ends_at_edge ? kSeveralFromWithin : kSeveralWithinBoth;
}

bool skips_empty(const Share& share, std::span<const int32_t> lens) {
  for (int64_t request = share.first_request; request < share.end_request; ++request) {
    if (lens[static_cast<size_t>(request)] == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> paged_mqa_metadata_states() {
  return {kNames.begin(), kNames.end()};
}

std::vector<int> walk_paged_mqa_metadata_states(const Case& c, const Outputs& outputs) {
  const std::span<const int32_t> table = outputs[Index::kScheduleMetadata].int32();
  const std::span<const int32_t> lens = view_paged_mqa_metadata(c).context_lens;
  const auto starts = schedule_starts(lens, table);
  std::vector<int> states;
  if (!starts) return states;
  // One for each multiprocessor, and a few more.
  states.reserve(std::min(starts->size() + 3, kMaxStates));
  constexpr int64_t kWrap = int64_t{1} << 31;
  for (size_t sm = 0; sm + 1 < starts->size() && states.size() < kMaxStates; ++sm) {
    const Share share = {.first_request = table[2 * sm],
                         .first_offset = table[2 * sm + 1],
                         .end_request = table[2 * sm + 2],
                         .end_offset = table[2 * sm + 3]};
    states.push_back(part_of(share, lens));
    if (skips_empty(share, lens)) states.push_back(kSkipsEmpty);
    const int64_t first = (*starts)[sm];
    const int64_t end = (*starts)[sm + 1];
    if (first >= kWrap) states.push_back(kBeginsBeyond);
    if (first < kWrap && end >= kWrap) states.push_back(kBegins31Bits);
  }
  return states;
}

}  // namespace bytegate
