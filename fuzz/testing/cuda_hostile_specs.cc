#include "fuzz/testing/cuda_hostile_specs.h"

#include <stdexcept>
#include <string>

#include "oracles/dsa_metadata.h"
#include "oracles/paged_mqa_metadata.h"

namespace bytegate {
namespace {

using Kind = CudaHostility;

constexpr std::string_view kSchedule = "paged_mqa_metadata";
constexpr std::string_view kDecode = "dsa_decode_metadata";

// A mode is drawn in one case of up to 192, and one case of five has a workspace.
constexpr int64_t kAnyCases = 600;
constexpr int64_t kModeCases = 3000;
constexpr int64_t kModeWorkspaceCases = 6000;
// Each costs the worker.
constexpr int64_t kLossCases = 100;
constexpr int64_t kHungCases = 8;
// Each waits for 20 ms, all of a round together.
constexpr int64_t kLateCases = 300;

std::vector<CudaHostileSpec> make_specs() {
  const std::vector<std::string_view> mismatch = {"mismatch:schedule_metadata"};
  const std::vector<std::string_view> crashed = {"crashed", "untested"};
  return {
      {Kind::kReadAfter,
       kSchedule,
       Mode::kGuardAfter,
       "overread:context_lens@guard_after",
       kModeCases,
       {"overread:context_lens"}},
      {Kind::kReadBefore,
       kSchedule,
       Mode::kGuardBefore,
       "overread:context_lens@guard_before",
       kModeCases,
       {"overread:context_lens"}},
      {Kind::kWriteInput,
       kSchedule,
       Mode::kPlain,
       "overrun:context_lens",
       kAnyCases,
       {"overrun:context_lens"}},
      {Kind::kLoadWide,
       kSchedule,
       Mode::kElementAligned,
       "crashed@element_aligned",
       kLossCases,
       // Where every buffer is as aligned as it must be, only its guard seems to be to blame.
       {"crashed", "overread:context_lens", "untested"}},
      {Kind::kWriteAfter,
       kSchedule,
       Mode::kPlain,
       "overrun:schedule_metadata",
       kAnyCases,
       {"overrun:schedule_metadata"}},
      {Kind::kWriteBefore,
       kSchedule,
       Mode::kPlain,
       "overrun:schedule_metadata",
       kAnyCases,
       {"overrun:schedule_metadata"}},
      {Kind::kWriteGap,
       kDecode,
       Mode::kStrided,
       "overrun:page_table@strided",
       kAnyCases,
       // Rows that are far apart have pages of their own.
       {"overrun:page_table", "overrun:real_page_table", "overrun:req_to_token", "crashed",
        "untested"}},
      {Kind::kLeaveLast,
       kSchedule,
       Mode::kPlain,
       "unwritten:schedule_metadata",
       kAnyCases,
       {"unwritten:schedule_metadata"}},
      // In the other replays the element holds the right value from the one before.
      {Kind::kLeaveLastLater,
       kSchedule,
       Mode::kGraph,
       "unwritten:schedule_metadata@graph",
       kModeCases,
       {"unwritten:schedule_metadata"}},
      {Kind::kRepeatFirstReplay, kSchedule, Mode::kGraph, "mismatch:schedule_metadata@graph",
       kModeCases, mismatch},
      {Kind::kAddOldOutput, kSchedule, Mode::kPlain, "mismatch:schedule_metadata", kAnyCases,
       mismatch},
      {Kind::kWrongWhenUnaligned, kSchedule, Mode::kElementAligned,
       "mismatch:schedule_metadata@element_aligned", kAnyCases, mismatch},
      {Kind::kWrongSecondTime,
       kSchedule,
       Mode::kAgain,
       "unstable:schedule_metadata@again",
       kAnyCases,
       {"mismatch:schedule_metadata", "unstable:schedule_metadata"}},
      {Kind::kAddOldWorkspace, kSchedule, Mode::kPlain, "mismatch:schedule_metadata", kAnyCases,
       mismatch},
      {Kind::kReadAfterWorkspace,
       kSchedule,
       Mode::kGuardAfter,
       "overread:workspace@guard_after",
       kModeWorkspaceCases,
       {"overread:workspace"}},
      {Kind::kWriteAfterWorkspace,
       kSchedule,
       Mode::kPlain,
       "overrun:workspace",
       kAnyCases,
       {"overrun:workspace"}},
      {Kind::kWriteBeforeWorkspace,
       kSchedule,
       Mode::kPlain,
       "overrun:workspace",
       kAnyCases,
       {"overrun:workspace"}},
      {Kind::kWriteAfterSection,
       kDecode,
       Mode::kPlain,
       "overrun:workspace",
       kAnyCases,
       {"overrun:workspace"}},
      {Kind::kTakeShortWorkspace,
       kSchedule,
       Mode::kShortWorkspace,
       "accepted:workspace@short_workspace",
       kModeWorkspaceCases,
       {"accepted:workspace"}},
      {Kind::kLegacyStream,
       kSchedule,
       Mode::kOtherStream,
       "unwritten:schedule_metadata@other_stream",
       kModeCases,
       // What comes too soon or too late meets the cases before and behind it.
       {"unwritten:schedule_metadata", "mismatch:schedule_metadata", "overrun:schedule_metadata",
        "overrun:context_lens", "overrun:workspace"}},
      {Kind::kReadLate,
       kSchedule,
       Mode::kOverwritten,
       "mismatch:schedule_metadata@overwritten",
       kLateCases,
       {"mismatch:schedule_metadata", "unwritten:schedule_metadata", "overrun:schedule_metadata",
        "overrun:context_lens", "overrun:workspace", "crashed", "hung", "untested"}},
      {Kind::kRememberCapture,
       kSchedule,
       Mode::kGraph,
       "unwritten:schedule_metadata@graph",
       kModeCases,
       {"unwritten:schedule_metadata"}},
      {Kind::kShareScratch, kSchedule, Mode::kTwoStreams, "mismatch:schedule_metadata@two_streams",
       kModeCases, mismatch},
      {Kind::kLoop, kSchedule, Mode::kPlain, "hung", kHungCases, {"hung", "untested"}},
      {Kind::kTrap, kSchedule, Mode::kPlain, "crashed", kLossCases, crashed},
      {Kind::kLoadMisaligned, kSchedule, Mode::kPlain, "crashed", kLossCases, crashed},
      {Kind::kGoAstray, kSchedule, Mode::kPlain, "crashed", kLossCases, crashed},
      {Kind::kPrintOnDevice, kSchedule, Mode::kPlain, "noisy", kLossCases, {"noisy", "untested"}},
      {Kind::kAbort, kSchedule, Mode::kPlain, "crashed", kLossCases, crashed},
      {Kind::kExitZero, kSchedule, Mode::kPlain, "exited", kLossCases, {"exited", "untested"}},
      {Kind::kPrint, kSchedule, Mode::kPlain, "noisy", kLossCases, {"noisy", "untested"}},
      // To allocate while a stream is captured is an error by itself.
      {Kind::kTakeAllMemory,
       kSchedule,
       Mode::kPlain,
       "exhausted",
       kHungCases,
       {"exhausted", "refused", "crashed", "untested"}},
  };
}

Case schedule_case(bool replayed) {
  Case c = make_paged_mqa_metadata_case({700, 0, 256, 1}, 4);
  c.forced_path = "multi_block";
  if (!replayed) return c;
  for (const std::vector<int32_t>& lens :
       {std::vector<int32_t>{1, 90000, 0, 513}, std::vector<int32_t>{2000, 256, 256, 257}}) {
    c.later_steps.push_back(
        {.changes = {{.tensor = PagedMqaMetadataIndex::kContextLens, .elements = Elements(lens)}}});
  }
  return c;
}

Case decode_case() {
  Case c = make_case(dsa_decode_metadata_op());
  const DsaDescription& description = describe_dsa(*c.op);
  constexpr int64_t kColumns = 3;
  c.dims[static_cast<size_t>(description.dims.num_requests)] = 2;
  c.dims[static_cast<size_t>(description.dims.num_pool_rows)] = 2;
  c.dims[static_cast<size_t>(description.dims.num_columns)] = kColumns;
  c.dims[static_cast<size_t>(description.dims.page_table_width)] = kColumns;
  c.scalars[static_cast<size_t>(description.scalars.max_len)] = kColumns;
  fit_tensors(c);
  Tensor& lens = c.tensors[static_cast<size_t>(description.tensors.seq_lens)];
  lens.elements.set(0, kColumns);
  lens.elements.set(1, 1);
  c.forced_path = "eager";
  return c;
}

}  // namespace

std::span<const CudaHostileSpec> cuda_hostile_specs() {
  static const std::vector<CudaHostileSpec> specs = make_specs();
  return specs;
}

Case cuda_hostile_case(std::string_view op, Mode mode) {
  if (op != kSchedule && op != kDecode) {
    throw std::invalid_argument("no hostile case of " + std::string(op));
  }
  Case c = op == kSchedule ? schedule_case(mode_spec(mode).plan.captured) : decode_case();
  c.mode = mode;
  return c;
}

}  // namespace bytegate
