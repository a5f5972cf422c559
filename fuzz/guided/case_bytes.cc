#include "fuzz/guided/case_bytes.h"

#include <algorithm>
#include <utility>

#include "fuzz/guided/case_bytes_format.h"
#include "fuzz/guided/case_form.h"
#include "fuzz/guided/case_size.h"
#include "fuzz/guided/integer_code.h"
#include "properties/op_properties.h"

namespace bytegate {
namespace {

// A value beyond the range comes from the other side of its end, or is the end.
int64_t fold(int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return value;
  if (value > high) return high;
  int64_t beyond = 0;
  if (__builtin_sub_overflow(low, value, &beyond)) return high;
  int64_t folded = 0;
  return __builtin_add_overflow(low, beyond, &folded) ? high : std::min(folded, high);
}

class Decoder {
 public:
  Decoder(const Op& op, std::span<const uint8_t> bytes, const CaseBytesLimits& limits)
      : op_(op), limits_(limits), in_(bytes), needed_by_(outputs_that_need(op)) {}

  Case decode() {
    case_.op = &op_;
    form_ = CaseForm::of_byte(in_.byte());
    read_path();
    case_.mode = ModeList(op_).of_byte(in_.byte());
    case_.seed = static_cast<uint64_t>(in_.integer());
    read_faults();
    read_scalars();
    read_flags();
    read_dims();
    read_layouts();
    uint64_t num_steps = num_steps_of(in_.count());
    for (size_t i = 0; i < case_.tensors.size(); ++i) {
      Tensor& tensor = case_.tensors[i];
      if (op_.tensors[i].role != Role::kInput || !tensor.present) continue;
      tensor.elements = read_elements(i);
    }
    room_ = limits_.max_elements - size_of(case_).inputs;
    while (num_steps-- > 0 && !in_.at_end() && read_step()) {
    }
    mend();
    set_expectation(case_);
    return std::move(case_);
  }

 private:
  void read_path() {
    const uint8_t place = in_.byte();
    if (place == kOtherPathByte) {
      const uint64_t size = std::min<uint64_t>(in_.count(), kMaxPathLetters);
      for (uint64_t i = 0; i < size; ++i) {
        case_.forced_path += kPathLetters[in_.byte() % kPathLetters.size()];
      }
    } else if (const size_t path = place % (op_.paths.size() + 1); path > 0) {
      case_.forced_path = op_.paths[path - 1];
    }
  }

  void read_faults() {
    if (!form_.has_faults) return;
    constexpr uint64_t kMaxFaults = 4;
    const uint64_t num_faults = in_.count() % kMaxFaults + 1;
    for (uint64_t i = 0; i < num_faults; ++i) {
      CallFault fault;
      fault.kind = static_cast<CallFaultKind>(
          in_.byte() % (static_cast<int>(CallFaultKind::kShortWorkspace) + 1));
      const int num_tensors = static_cast<int>(op_.tensors.size());
      if (fault.kind != CallFaultKind::kShortWorkspace) fault.tensor = in_.byte() % num_tensors;
      if (fault.kind == CallFaultKind::kOverlap) fault.other = in_.byte() % num_tensors;
      case_.call_faults.push_back(fault);
    }
  }

  void read_scalars() {
    case_.scalars.reserve(op_.scalars.size());
    for (const ScalarSpec& spec : op_.scalars) {
      int64_t value = wrapping_sum(in_.integer(), scalar_origin(spec));
      if (!form_.raw_call && spec.symbols.empty()) value = fold(value, spec.min, spec.max);
      if (!form_.raw_call && !spec.symbols.empty()) {
        const int64_t num_symbols = static_cast<int64_t>(spec.symbols.size());
        value = spec.min + ((value - spec.min) % num_symbols + num_symbols) % num_symbols;
      }
      case_.scalars.push_back(value);
    }
  }

  // Which tensors there are decides how large the others may be.
  void read_flags() {
    flags_.reserve(op_.tensors.size());
    case_.tensors.reserve(op_.tensors.size());
    for (const TensorSpec& spec : op_.tensors) {
      flags_.push_back(in_.byte());
      Tensor tensor;
      tensor.dtype = spec.dtypes.front();
      tensor.present = (flags_.back() & kAbsentFlag) == 0;
      case_.tensors.push_back(std::move(tensor));
    }
  }

  // Sizes are known before any tensor is made.
  void read_dims() {
    std::vector<int64_t> spare(op_.dims.size(), 0);
    for (size_t i = 0; i < op_.dims.size(); ++i) {
      const DimSpec& spec = op_.dims[i];
      const int64_t read = static_cast<int64_t>(std::min<uint64_t>(in_.count(), INT32_MAX));
      case_.dims.push_back(
          form_.raw_call ? read
                         : std::clamp(std::min(read, limits_.max_elements), spec.min, spec.max));
      spare[i] = read;
    }
    if (form_.raw_call) needed_by_.assign(op_.dims.size(), -1);
    widen_dims(case_, needed_by_, spare);
    shrink_to_limits(case_, needed_by_, spare, limits_);
    if (fits(size_of(case_), limits_)) return;
    const Case simplest = make_case(op_);
    case_.scalars = simplest.scalars;
    case_.dims = simplest.dims;
  }

  void read_layouts() {
    for (size_t i = 0; i < case_.tensors.size(); ++i) {
      const TensorSpec& spec = op_.tensors[i];
      Tensor& tensor = case_.tensors[i];
      const uint8_t flags = flags_[i];
      const Presence presence = presence_of(spec, case_);
      if (!form_.raw_call && presence != Presence::kOptional) {
        tensor.present = presence == Presence::kRequired;
      }
      const size_t dtype = flags / kDTypeUnit % 4;
      if (tensor.present) {
        tensor.dtype = form_.raw_call ? static_cast<DType>(dtype % 2)
                                      : spec.dtypes[dtype % spec.dtypes.size()];
      }
      tensor.shape = shape_of(case_, static_cast<int>(i));
      tensor.strides = compact_strides(tensor.shape);
      tensor.elements = Elements(tensor.dtype, 0);
      if ((flags & kStridedFlags) == kStridedFlags) read_strides(i);
    }
  }

  void read_strides(size_t i) {
    const TensorSpec& spec = op_.tensors[i];
    Tensor& tensor = case_.tensors[i];
    Dims strides = tensor.strides;
    for (int axis = 0; axis < strides.rank(); ++axis) {
      const auto stride = static_cast<int64_t>(std::min<uint64_t>(in_.count(), INT64_MAX));
      const size_t at = static_cast<size_t>(axis);
      if (form_.raw_call || (at < spec.strided.size() && spec.strided[at])) strides[axis] = stride;
    }
    if (!tensor.present) return;
    tensor.strides = strides;
    if (!form_.raw_call && spec.role == Role::kOutput) part_outputs(i);
    bound_strides(tensor, limits_);
  }

  // Each axis strides past everything that is written inside it.
  void part_outputs(size_t i) {
    Tensor& tensor = case_.tensors[i];
    const Dims written = written_shape(case_, static_cast<int>(i));
    Dims inner_shape;
    Dims inner_strides;
    for (int axis = tensor.shape.rank() - 1; axis >= 0; --axis) {
      const int64_t inner = extent_elements(inner_shape, inner_strides).value_or(1);
      tensor.strides[axis] = std::max(tensor.strides[axis], inner);
      inner_shape.push_back(written[axis]);
      inner_strides.push_back(tensor.strides[axis]);
    }
  }

  Elements read_elements(size_t i) {
    const TensorSpec& spec = op_.tensors[i];
    const Tensor& tensor = case_.tensors[i];
    low_ = dtype_min(tensor.dtype);
    high_ = dtype_max(tensor.dtype);
    if (!form_.raw_elements) {
      low_ = std::max(low_, spec.min_value);
      high_ = std::min(high_, spec.max_value);
    }
    Elements elements(tensor.dtype, num_elements(tensor.shape).value_or(0));
    if (tensor.dtype == DType::kInt32) {
      fill(elements.int32_vector());
    } else {
      fill(elements.int64_vector());
    }
    if (!is_compact(tensor)) unify_aliases(tensor, elements);
    return elements;
  }

  template <typename Value>
  void fill(std::vector<Value>& values) {
    size_t filled = 0;
    while (filled < values.size() && !in_.at_end()) {
      const uint8_t head = in_.byte();
      uint64_t count = head / kNumItemKinds;
      if (count == kLongItem) count += std::min<uint64_t>(in_.count(), values.size());
      count = std::min<uint64_t>(count + 1, values.size() - filled);
      filled = fill_item(values, filled, static_cast<ItemKind>(head % kNumItemKinds), count);
    }
    const int64_t none = fold(0, low_, high_);
    std::fill(values.begin() + static_cast<int64_t>(filled), values.end(),
              static_cast<Value>(none));
  }

  template <typename Value>
  size_t fill_item(std::vector<Value>& values, size_t filled, ItemKind kind, uint64_t count) {
    const size_t end = filled + count;
    const auto folded = [&](int64_t value) { return static_cast<Value>(fold(value, low_, high_)); };
    if (kind == ItemKind::kLiteral) {
      // The bytes may end first: the rest is no item yet.
      for (; filled < end && !in_.at_end(); ++filled) values[filled] = folded(in_.integer());
      return filled;
    }
    if (kind == ItemKind::kEarlier) {
      const uint64_t distance = in_.count();
      for (; filled < end; ++filled) {
        const bool held = distance > 0 && distance <= filled;
        values[filled] = held ? values[filled - distance] : folded(0);
      }
      return end;
    }
    int64_t value = in_.integer();
    const int64_t step = kind == ItemKind::kProgression ? in_.integer() : 0;
    for (; filled < end; ++filled, value = wrapping_sum(value, step)) {
      values[filled] = folded(value);
    }
    return end;
  }

  // False: there is no room for another one.
  bool read_step() {
    const uint64_t changed = in_.count();
    Step step;
    for (size_t i = 0; i < case_.tensors.size(); ++i) {
      if (op_.tensors[i].role != Role::kInput || !case_.tensors[i].present) continue;
      if ((changed >> i & 1) == 0) continue;
      room_ -= case_.tensors[i].elements.size();
      if (room_ < 0) return false;
      step.changes.push_back({.tensor = static_cast<int>(i), .elements = read_elements(i)});
    }
    case_.later_steps.push_back(std::move(step));
    return true;
  }

  void mend() {
    if (!form_.raw_call && op_.settle != nullptr) {
      op_.settle(case_);
      shrink_elements_to_limits(case_, limits_);
    }
    std::erase_if(case_.call_faults, [&](const CallFault& fault) { return is_idle(fault); });
    // A candidate that takes an overlap writes a whole tensor where another one lies, and there has
    // to be room for that.
    const bool overlaps =
        std::any_of(case_.call_faults.begin(), case_.call_faults.end(),
                    [](const CallFault& fault) { return fault.kind == CallFaultKind::kOverlap; });
    for (Tensor& tensor : case_.tensors) {
      if (is_compact(tensor)) continue;
      bound_strides(tensor, limits_);
      if (overlaps) bound_reach(tensor, limits_);
    }
    // What settling an alias twice would take, no bytes that mean something have.
    if (malformed_reason(case_) || !fits(size_of(case_), limits_)) case_ = make_case(op_);
  }

  // A fault that spoils nothing would make a case that says nothing.
  [[nodiscard]] bool is_idle(const CallFault& fault) const {
    if (fault.kind != CallFaultKind::kShortWorkspace) return idle_reason(case_, fault).has_value();
    const OpProperties* properties = find_properties(all_properties(), op_);
    return properties == nullptr || properties->takes_workspace == nullptr ||
           !properties->takes_workspace(case_);
  }

  const Op& op_;
  const CaseBytesLimits& limits_;
  ByteReader in_;
  std::vector<int> needed_by_;
  std::vector<uint8_t> flags_;  // of the tensors
  CaseForm form_;
  Case case_;
  int64_t low_ = 0;
  int64_t high_ = 0;
  int64_t room_ = 0;
};

bool path_takes(const Case& c) {
  if (c.forced_path.empty()) return true;
  const Op& op = *c.op;
  if (std::find(op.paths.begin(), op.paths.end(), c.forced_path) == op.paths.end()) return false;
  const OpProperties* properties = find_properties(all_properties(), op);
  if (properties == nullptr || properties->path_takes == nullptr) return true;
  return properties->path_takes(c);
}

// Whatever is no part of the bytes.
Case bare(const Case& c) {
  Case stripped = c;
  stripped.origin.clear();
  stripped.note.clear();
  stripped.backend = BackendKind::kAny;
  for (Tensor& tensor : stripped.tensors) tensor.pattern.reset();
  return stripped;
}

}  // namespace

void set_expectation(Case& c) {
  c.expect = Expect::kBytes;
  if (!path_takes(c)) {
    c.expect = Expect::kRefused;
  } else if (invalid_reason(c)) {
    c.expect = invalid_call_reason(c) ? Expect::kRefused : Expect::kSurvived;
  }
}

Case case_of_bytes(const Op& op, std::span<const uint8_t> bytes, const CaseBytesLimits& limits) {
  return Decoder(op, bytes, limits).decode();
}

std::optional<std::vector<uint8_t>> bytes_of_case(const Case& c, const CaseBytesLimits& limits) {
  if (!fits(size_of(c), limits)) return std::nullopt;
  const Case wanted = bare(c);
  for (const bool raw_call : {false, true}) {
    for (const bool raw_elements : {false, true}) {
      std::vector<uint8_t> bytes = write_case_bytes(
          wanted, {.raw_elements = raw_elements, .raw_call = raw_call, .has_faults = false});
      if (case_of_bytes(*c.op, bytes, limits) == wanted) return bytes;
    }
  }
  return std::nullopt;
}

}  // namespace bytegate
