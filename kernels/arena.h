// One block of memory that holds the buffers of many cases, each between guards. A backend fills an
// image of it, runs the cases on a copy, and compares the copy with the image: whatever changed
// outside outputs and workspaces is damage.
//
//   guard | tensor | guard | tensor | guard | workspace | guard | tensor of the next case | ...
//
// Everything that is not an input starts as poison: a pattern that depends on the position, so that
// no constant and no shifted copy looks like it. Only outputs and workspaces of later steps may
// start as they are.
//
// Where buffers stand at unmapped pages, the arena is only the image of what lies around each: its
// window, one behind the other, which a backend copies to the pages and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend.h"
#include "oracles/case.h"

namespace bytegate {

// As wide as one store of a whole block of 256 threads.
constexpr size_t kGuardBytes = 1024;

// A tensor whose layout reaches farther than this, and is mostly gaps, is kept out of the arena:
// only the pages that hold elements are backed by memory (kernels/sparse_tensor.h).
constexpr int64_t kSparseMinBytes = int64_t{16} << 20;
bool is_sparse(const Tensor& tensor);

struct Placement {
  size_t offset = 0;    // in the arena; tensors start at element alignment only
  size_t bytes = 0;     // from the first to the last element; 0: nothing is placed
  bool sparse = false;  // not in the arena
  size_t lead = 0;      // of its window: bytes before the first
  size_t trail = 0;     // and after the last; without a window both are 0
};

// In windows: whether a buffer's last byte is followed by an unmapped page. Else a page begins with
// its window.
constexpr bool ends_at_page(Placing placing) {
  return placing == Placing::kUsual || placing == Placing::kGuardAfter;
}
// Bytes before a buffer that is aligned to its elements only, and one element more.
constexpr size_t kWindowSkewBytes = 64;

// Part of a workspace, as its candidate names it.
struct WorkspaceSection {
  std::string name;
  size_t offset = 0;  // from the first byte of the workspace
  size_t bytes = 0;
};

struct PlacedCase {
  bool windows = false;  // each buffer is copied to an unmapped page
  Placing placing = Placing::kUsual;
  size_t begin = 0;  // the case owns [begin, end), guards included
  size_t end = 0;
  uint64_t salt = 0;
  std::vector<Placement> tensors;
  Placement workspace;
  std::vector<WorkspaceSection> sections;  // empty: all of the workspace is one
};

// What a launch leaves to the next one of the case.
struct Leftovers {
  const StepResult* result = nullptr;  // null: nothing
  std::vector<std::byte> workspace = {};
};

class Arena {
 public:
  // Poison, and how tensors are skewed against larger alignments, follow from the case alone.
  void place(const Case& c, size_t workspace_bytes);
  // The same in windows.
  void place_in_windows(const Case& c, size_t workspace_bytes);
  // Of the case that was placed last: what lies between the sections is guard.
  void set_sections(std::vector<WorkspaceSection> sections) {
    placed_.back().sections = std::move(sections);
  }
  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] const PlacedCase& placed(size_t case_idx) const { return placed_[case_idx]; }
  [[nodiscard]] size_t num_cases() const { return placed_.size(); }
  // Forgets all cases; keeps memory.
  void clear();

  // Writes poison and the inputs of step 0 of every placed case over image[0, bytes()).
  void fill(std::span<const Case> cases, std::byte* image) const;
  // The same for one case, with the inputs of the step that the launch is of, and other poison for
  // each launch. Half of the launches to which the one before has left something find that in
  // outputs and workspace. Returns whether this is one.
  bool fill_launch(const Case& at_step, size_t case_idx, size_t launch_idx, const Leftovers& left,
                   std::byte* image) const;

  // The first change of any byte of the case, outputs and workspace included.
  [[nodiscard]] std::optional<Damage> change(size_t case_idx, const std::byte* actual,
                                             const std::byte* image) const;
  // Takes the outputs out of `actual` and finds damage: columns of an output beyond those that are
  // written are kept like gaps. Overwrites outputs and workspace there. In a stale launch, an
  // element that holds its old value may well have been written.
  StepResult take(const Case& c, size_t case_idx, bool stale, std::byte* actual,
                  const std::byte* image) const;
  // What the launch left in the workspace. Before take().
  [[nodiscard]] std::vector<std::byte> workspace_left(size_t case_idx,
                                                      const std::byte* actual) const;

 private:
  void place_window(Placement& placement, Placing placing, size_t alignment);
  static void poison(std::byte* image, size_t begin, size_t end, uint64_t salt);
  [[nodiscard]] static Damage locate(const PlacedCase& placed, size_t byte);

  size_t bytes_ = 0;
  std::vector<PlacedCase> placed_;
};

// Element transfer between a tensor's layout and row-major values; used for sparse pages too.
void scatter_elements(const Dims& shape, const Dims& strides, const Elements& elements,
                      std::byte* base);
// Copies the elements of the shape `written` at `actual` to `out` (already sized), notes which of
// them equal `image`, and writes the image's bytes back.
void gather_outputs(const Dims& written, const Dims& strides, std::byte* actual,
                    const std::byte* image, Elements& out, ElementSet& untouched);

}  // namespace bytegate
