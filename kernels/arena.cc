#include "kernels/arena.h"

#include <algorithm>
#include <cstring>

#include "kernels/strided.h"

namespace bytegate {
namespace {

constexpr size_t kWorkspaceAlignment = 16;
constexpr size_t kSkewBytes = 64;
constexpr uint64_t kWeyl = 0x9e3779b97f4a7c15ULL;

size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int64_t extent_bytes(const Tensor& tensor) {
  return extent_elements(tensor.shape, tensor.strides).value_or(0) *
         static_cast<int64_t>(dtype_bytes(tensor.dtype));
}

bool is_output(const Case& c, size_t tensor) {
  return c.op->tensors[tensor].role == Role::kOutput;
}

uint64_t salt_of(const Case& c) {
  uint64_t salt = c.seed;
  for (const int64_t scalar : c.scalars) salt = (salt ^ static_cast<uint64_t>(scalar)) * kWeyl;
  for (const int64_t dim : c.dims) salt = (salt ^ static_cast<uint64_t>(dim)) * kWeyl;
  return salt ^ salt >> 29;
}

// A candidate that does not refuse an overlap writes a whole tensor where another, smaller one
// lies.
size_t overlap_slack(const Case& c) {
  size_t slack = 0;
  for (const CallFault& fault : c.call_faults) {
    if (fault.kind != CallFaultKind::kOverlap) continue;
    slack += static_cast<size_t>(extent_bytes(c.tensors[static_cast<size_t>(fault.tensor)]));
  }
  return slack;
}

template <typename Value>
void note_untouched(const std::byte* actual, const std::byte* image, int64_t first_idx,
                    int64_t count, ElementSet& untouched) {
  for (int64_t i = 0; i < count; ++i) {
    Value ran{};
    Value poison{};
    std::memcpy(&ran, actual + i * static_cast<int64_t>(sizeof(Value)), sizeof(Value));
    std::memcpy(&poison, image + i * static_cast<int64_t>(sizeof(Value)), sizeof(Value));
    if (ran == poison) untouched.add(first_idx + i);
  }
}

}  // namespace

bool is_sparse(const Tensor& tensor) {
  if (!tensor.present) return false;
  const int64_t extent = extent_bytes(tensor);
  const int64_t held =
      num_elements(tensor.shape).value_or(0) * static_cast<int64_t>(dtype_bytes(tensor.dtype));
  return extent >= kSparseMinBytes && extent / 8 > held;
}

void Arena::clear() {
  bytes_ = 0;
  placed_.clear();
}

void Arena::place_window(Placement& placement, Placing placing, size_t alignment) {
  // An allocation is no less aligned than its last element's end demands, and the workspace more.
  const size_t slack = round_up(placement.bytes, alignment) - placement.bytes;
  placement.lead = kGuardBytes;
  placement.trail = kGuardBytes;
  if (ends_at_page(placing)) placement.trail = slack;
  if (placing == Placing::kGuardBefore) placement.lead = 0;
  if (placing == Placing::kElementAligned) placement.lead = kWindowSkewBytes + alignment;
  const size_t whole = placement.lead + placement.bytes + placement.trail;
  // Windows have no gap between them, and poison comes in words.
  const size_t odd = round_up(whole, sizeof(uint64_t)) - whole;
  (ends_at_page(placing) ? placement.lead : placement.trail) += odd;
  placement.offset = bytes_ + placement.lead;
  bytes_ = placement.offset + placement.bytes + placement.trail;
}

void Arena::place_in_windows(const Case& c, size_t workspace_bytes) {
  PlacedCase placed;
  placed.windows = true;
  placed.tensors.reserve(c.tensors.size());
  placed.placing = mode_spec(c.mode).plan.placing;
  placed.begin = bytes_;
  placed.salt = salt_of(c);
  for (const Tensor& tensor : c.tensors) {
    Placement placement;
    placement.sparse = is_sparse(tensor);
    if (tensor.present && !placement.sparse) {
      placement.bytes = static_cast<size_t>(extent_bytes(tensor));
    }
    if (placement.bytes > 0) place_window(placement, placed.placing, dtype_bytes(tensor.dtype));
    placed.tensors.push_back(placement);
  }
  placed.workspace.bytes = workspace_bytes;
  if (workspace_bytes > 0) place_window(placed.workspace, placed.placing, kWorkspaceAlignment);
  placed.end = bytes_;
  placed_.push_back(std::move(placed));
}

void Arena::place(const Case& c, size_t workspace_bytes) {
  PlacedCase placed;
  placed.placing = mode_spec(c.mode).plan.placing;
  placed.begin = bytes_;
  bytes_ = round_up(bytes_, kSkewBytes) + kGuardBytes;
  placed.salt = salt_of(c);
  const uint64_t draw = placed.salt;
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    const Tensor& tensor = c.tensors[i];
    Placement placement;
    placement.sparse = is_sparse(tensor);
    if (tensor.present && !placement.sparse) {
      placement.bytes = static_cast<size_t>(extent_bytes(tensor));
      const size_t element = dtype_bytes(tensor.dtype);
      // Half of the tensors are as aligned as an allocator would have them.
      const uint64_t bits = draw >> (8 * (i % 8));
      size_t skew = bits % 2 == 0 ? 0 : bits / 2 % (kSkewBytes / element) * element;
      if (placed.placing == Placing::kElementAligned) skew = element;
      placement.offset = round_up(bytes_, kSkewBytes) + skew;
      bytes_ = placement.offset + placement.bytes + kGuardBytes;
    }
    placed.tensors.push_back(placement);
  }
  if (workspace_bytes > 0) {
    // Aligned to 16 and, half of the time, to nothing larger.
    const size_t skew = (draw >> 63) * kWorkspaceAlignment;
    placed.workspace = {.offset = round_up(bytes_, kSkewBytes) + skew, .bytes = workspace_bytes};
    bytes_ = placed.workspace.offset + workspace_bytes + kGuardBytes;
  }
  bytes_ = round_up(bytes_ + overlap_slack(c), kSkewBytes);
  placed.end = bytes_;
  placed_.push_back(std::move(placed));
}

void Arena::poison(std::byte* image, size_t begin, size_t end, uint64_t salt) {
  // begin and end are multiples of kSkewBytes.
  uint64_t word = salt + (begin / sizeof(uint64_t)) * kWeyl;
  for (size_t byte = begin; byte < end; byte += sizeof word) {
    std::memcpy(image + byte, &word, sizeof word);
    word += kWeyl;
  }
}

void Arena::fill(std::span<const Case> cases, std::byte* image) const {
  for (size_t i = 0; i < placed_.size(); ++i) fill_launch(cases[i], i, 0, {}, image);
}

bool Arena::fill_launch(const Case& at_step, size_t case_idx, size_t launch_idx,
                        const Leftovers& left, std::byte* image) const {
  const PlacedCase& placed = placed_[case_idx];
  poison(image, placed.begin, placed.end, placed.salt + launch_idx * 0xd6e8feb86659fd93ULL);
  const bool stale = left.result != nullptr && (placed.salt + launch_idx) % 2 == 0;
  if (stale && left.workspace.size() == placed.workspace.bytes && !left.workspace.empty()) {
    std::memcpy(image + placed.workspace.offset, left.workspace.data(), left.workspace.size());
  }
  for (size_t i = 0; i < at_step.tensors.size(); ++i) {
    const Tensor& tensor = at_step.tensors[i];
    std::byte* base = image + placed.tensors[i].offset;
    if (placed.tensors[i].bytes == 0 || placed.tensors[i].sparse) continue;
    if (!is_output(at_step, i)) {
      scatter_elements(tensor.shape, tensor.strides, tensor.elements, base);
    } else if (stale) {
      scatter_elements(written_shape(at_step, static_cast<int>(i)), tensor.strides,
                       left.result->outputs[i], base);
    }
  }
  return stale;
}

void scatter_elements(const Dims& shape, const Dims& strides, const Elements& elements,
                      std::byte* base) {
  const int64_t element = static_cast<int64_t>(dtype_bytes(elements.dtype()));
  const std::byte* values = elements.data();
  for_each_run(shape, strides, [&](int64_t offset, int64_t first, int64_t count) {
    std::memcpy(base + offset * element, values + first * element,
                static_cast<size_t>(count * element));
  });
}

void gather_outputs(const Dims& written, const Dims& strides, std::byte* actual,
                    const std::byte* image, Elements& out, ElementSet& untouched) {
  const int64_t element = static_cast<int64_t>(dtype_bytes(out.dtype()));
  for_each_run(written, strides, [&](int64_t offset, int64_t first, int64_t count) {
    std::byte* ran = actual + offset * element;
    const std::byte* poison = image + offset * element;
    const size_t bytes = static_cast<size_t>(count * element);
    std::memcpy(out.data() + first * element, ran, bytes);
    if (element == 4) {
      note_untouched<uint32_t>(ran, poison, first, count, untouched);
    } else {
      note_untouched<uint64_t>(ran, poison, first, count, untouched);
    }
    std::memcpy(ran, poison, bytes);
  });
}

StepResult Arena::take(const Case& c, size_t case_idx, bool stale, std::byte* actual,
                       const std::byte* image) const {
  const PlacedCase& placed = placed_[case_idx];
  StepResult result;
  result.outputs.resize(c.tensors.size());
  result.untouched.resize(c.tensors.size());
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    if (!is_output(c, i) || !c.tensors[i].present || placed.tensors[i].sparse) continue;
    const Dims written = written_shape(c, static_cast<int>(i));
    result.outputs[i] = Elements(c.tensors[i].dtype, num_elements(written).value_or(0));
    const size_t offset = placed.tensors[i].offset;
    gather_outputs(written, c.tensors[i].strides, actual + offset, image + offset,
                   result.outputs[i], result.untouched[i]);
    if (stale) result.untouched[i].clear();
  }
  const auto forget = [&](size_t offset, size_t bytes) {
    std::memcpy(actual + placed.workspace.offset + offset, image + placed.workspace.offset + offset,
                bytes);
  };
  if (placed.sections.empty()) forget(0, placed.workspace.bytes);
  for (const WorkspaceSection& section : placed.sections) forget(section.offset, section.bytes);
  result.damage = change(case_idx, actual, image);
  if (result.damage && result.damage->kind == Damage::Kind::kGap && result.damage->tensor >= 0 &&
      !is_output(c, static_cast<size_t>(result.damage->tensor))) {
    result.damage->kind = Damage::Kind::kInput;
  }
  return result;
}

std::vector<std::byte> Arena::workspace_left(size_t case_idx, const std::byte* actual) const {
  const Placement& workspace = placed_[case_idx].workspace;
  const std::byte* first = actual + workspace.offset;
  return {first, first + workspace.bytes};
}

std::optional<Damage> Arena::change(size_t case_idx, const std::byte* actual,
                                    const std::byte* image) const {
  const PlacedCase& placed = placed_[case_idx];
  const std::byte* first = actual + placed.begin;
  const size_t bytes = placed.end - placed.begin;
  if (std::memcmp(first, image + placed.begin, bytes) == 0) return std::nullopt;
  const auto different = std::mismatch(first, first + bytes, image + placed.begin);
  return locate(placed, static_cast<size_t>(different.first - actual));
}

Damage Arena::locate(const PlacedCase& placed, size_t byte) {
  Damage nearest;
  size_t nearest_distance = SIZE_MAX;
  const auto consider = [&](int tensor, const Placement& placement) {
    if (placement.bytes == 0) return;
    const size_t last = placement.offset + placement.bytes - 1;
    // What lies between two windows is each one's own.
    if (placed.windows &&
        (byte < placement.offset - placement.lead || byte > last + placement.trail)) {
      return;
    }
    const size_t distance = byte < placement.offset ? placement.offset - byte
                            : byte > last           ? byte - last
                                                    : 0;
    if (distance >= nearest_distance) return;
    nearest_distance = distance;
    nearest.kind = distance > 0 ? Damage::Kind::kGuard : Damage::Kind::kGap;
    nearest.tensor = tensor;
    nearest.byte_offset = static_cast<int64_t>(byte) - static_cast<int64_t>(placement.offset);
  };
  for (size_t i = 0; i < placed.tensors.size(); ++i) {
    consider(static_cast<int>(i), placed.tensors[i]);
  }
  consider(-1, placed.workspace);
  return nearest;
}

}  // namespace bytegate
