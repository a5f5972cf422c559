// How a case is launched: a table, in which a new mode is one entry. Whatever the mode, a candidate
// owes the same bytes; a mode that a backend has nothing of its own for is run as `plain` there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bytegate {

struct Case;

enum class Mode : uint8_t {
  kPlain,
  kGraph,
  kAgain,
  kGuardBefore,
  kGuardAfter,
  kElementAligned,
  kStrided,
  kShortWorkspace,
  kOtherStream,
  kTwoStreams,
  kOverwritten,
};

// Where the buffers of a case are.
enum class Placing : uint8_t {
  kUsual,           // host: as kGuardAfter; cuda: in one arena, red zones in between
  kGuardAfter,      // each ends at an unmapped page
  kGuardBefore,     // each begins at an unmapped page
  kElementAligned,  // each begins one element past a boundary of 64 bytes
};

// What a backend does besides filling the buffers, one launch and looking at them.
struct LaunchPlan {
  Placing placing = Placing::kUsual;
  bool captured = false;            // once, then replayed for each launch
  bool launched_again = false;      // each step twice, over another poison
  bool widened = false;             // strides that the contract leaves open are made distinct
  bool short_workspace = false;     // a call with one byte less comes first, and must be refused
  bool other_stream = false;        // of its own, held up until run() has returned
  bool two_at_once = false;         // beside a second instance with other inputs, on two streams
  bool inputs_overwritten = false;  // right after the launch, on its stream
};

struct ModeSpec {
  Mode mode = Mode::kPlain;
  std::string_view name;
  std::string_view summary;
  LaunchPlan plan = {};
  // One in so many generated cases runs like this; 0: the backend runs it as plain. What needs
  // launches of its own is rare on a GPU, where a round of plain cases shares one upload and wait,
  // and rarest what holds the device up for milliseconds.
  int64_t host_one_in = 0;
  int64_t cuda_one_in = 0;
};

inline constexpr std::array kModes = {
    ModeSpec{Mode::kPlain, "plain", "one launch per step"},
    // Its cases have steps, which only the operation's generator can draw.
    ModeSpec{Mode::kGraph,
             "graph",
             "captured once, replayed for every step after inputs changed in place, and for the "
             "first step again",
             {.captured = true}},
    ModeSpec{Mode::kAgain,
             "again",
             "each step twice, over another poison",
             {.launched_again = true},
             8,
             48},
    ModeSpec{Mode::kGuardBefore,
             "guard_before",
             "every buffer begins at an unmapped page",
             {.placing = Placing::kGuardBefore},
             3,
             192},
    ModeSpec{Mode::kGuardAfter,
             "guard_after",
             "every buffer ends at an unmapped page",
             {.placing = Placing::kGuardAfter},
             0,
             128},
    ModeSpec{Mode::kElementAligned,
             "element_aligned",
             "every pointer one element past a boundary of 64 bytes",
             {.placing = Placing::kElementAligned},
             16,
             16},
    ModeSpec{Mode::kStrided,
             "strided",
             "every stride that is left open is distinct and wide",
             {.widened = true},
             16,
             16},
    ModeSpec{Mode::kShortWorkspace,
             "short_workspace",
             "first a call whose workspace is one byte short, to be refused",
             {.short_workspace = true},
             16,
             96},
    ModeSpec{Mode::kOtherStream,
             "other_stream",
             "on another stream, held up until the call has returned, beside unrelated work",
             {.other_stream = true},
             0,
             288},
    ModeSpec{Mode::kTwoStreams,
             "two_streams",
             "beside a second instance with other inputs, each on a stream of its own",
             {.two_at_once = true},
             0,
             288},
    ModeSpec{Mode::kOverwritten,
             "overwritten",
             "inputs are overwritten right after the launch, on its stream",
             {.inputs_overwritten = true},
             0,
             96},
};

constexpr bool modes_stand_in_order() {
  for (size_t i = 0; i < kModes.size(); ++i) {
    if (kModes[i].mode != static_cast<Mode>(i)) return false;
  }
  return true;
}
static_assert(modes_stand_in_order());

constexpr const ModeSpec& mode_spec(Mode mode) {
  return kModes[static_cast<size_t>(mode)];
}
constexpr std::string_view mode_name(Mode mode) {
  return mode_spec(mode).name;
}
constexpr Mode kLastMode = kModes.back().mode;

// The step that each launch of the case runs, in order: 0 is the case itself.
std::vector<size_t> launched_steps(const Case& c);

// Gives every tensor of the case strides that are distinct and larger than its shape, on the axes
// where the description allows it. Values stay.
void widen_strides(Case& c);

}  // namespace bytegate
