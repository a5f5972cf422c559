#include <algorithm>

#include "fuzz/choose_mode.h"
#include "fuzz/guided/case_bytes_format.h"
#include "fuzz/guided/case_form.h"
#include "fuzz/guided/case_size.h"
#include "fuzz/guided/integer_code.h"

namespace bytegate {
namespace {

class Writer {
 public:
  Writer(const Case& c, CaseForm form) : case_(c), op_(*c.op), form_(form) {}

  std::vector<uint8_t> write() {
    form_.has_faults = !case_.call_faults.empty();
    out_.byte(form_.byte());
    write_path();
    out_.byte(ModeList(op_).byte_of(case_.mode));
    out_.integer(static_cast<int64_t>(case_.seed));
    write_faults();
    write_scalars();
    for (size_t i = 0; i < case_.tensors.size(); ++i) write_flags(i);
    write_dims();
    for (const Tensor& tensor : case_.tensors) {
      if (!is_strided(tensor)) continue;
      for (const int64_t stride : tensor.strides) out_.count(static_cast<uint64_t>(stride));
    }
    out_.count(steps_code(case_.later_steps.size()));
    for (size_t i = 0; i < case_.tensors.size(); ++i) {
      if (op_.tensors[i].role == Role::kInput && case_.tensors[i].present) {
        write_elements(case_.tensors[i].elements, case_.tensors[i].shape);
      }
    }
    for (const Step& step : case_.later_steps) write_step(step);
    return out_.take();
  }

 private:
  void write_path() {
    const auto found = std::find(op_.paths.begin(), op_.paths.end(), case_.forced_path);
    if (found != op_.paths.end()) {
      out_.byte(static_cast<uint8_t>(found - op_.paths.begin() + 1));
    } else if (case_.forced_path.empty()) {
      out_.byte(0);
    } else {
      out_.byte(kOtherPathByte);
      out_.count(case_.forced_path.size());
      for (const char letter : case_.forced_path) {
        out_.byte(static_cast<uint8_t>(kPathLetters.find(letter)));
      }
    }
  }

  void write_faults() {
    if (!form_.has_faults) return;
    out_.count(case_.call_faults.size() - 1);
    for (const CallFault& fault : case_.call_faults) {
      out_.byte(static_cast<uint8_t>(fault.kind));
      if (fault.kind == CallFaultKind::kShortWorkspace) continue;
      out_.byte(static_cast<uint8_t>(fault.tensor));
      if (fault.kind == CallFaultKind::kOverlap) out_.byte(static_cast<uint8_t>(fault.other));
    }
  }

  void write_scalars() {
    for (size_t i = 0; i < op_.scalars.size(); ++i) {
      const ScalarSpec& spec = op_.scalars[i];
      out_.integer(wrapping_difference(case_.scalars[i], scalar_origin(spec)));
    }
  }

  void write_dims() {
    const std::vector<int> needed_by = outputs_that_need(op_);
    Case probe = case_;
    if (!form_.raw_call) {
      widen_dims(probe, needed_by, std::vector<int64_t>(op_.dims.size(), 0));
    }
    for (size_t i = 0; i < op_.dims.size(); ++i) {
      const bool derived = !form_.raw_call && needed_by[i] >= 0;
      const int64_t base = derived ? probe.dims[i] : 0;
      out_.count(static_cast<uint64_t>(std::max<int64_t>(case_.dims[i] - base, 0)));
    }
  }

  static bool is_strided(const Tensor& tensor) { return tensor.present && !is_compact(tensor); }

  void write_flags(size_t i) {
    const Tensor& tensor = case_.tensors[i];
    const std::vector<DType>& dtypes = op_.tensors[i].dtypes;
    uint8_t flags = tensor.present ? 0 : kAbsentFlag;
    const auto dtype = form_.raw_call
                           ? static_cast<int64_t>(tensor.dtype)
                           : std::find(dtypes.begin(), dtypes.end(), tensor.dtype) - dtypes.begin();
    flags = static_cast<uint8_t>(flags + dtype * kDTypeUnit);
    if (is_strided(tensor)) flags |= kStridedFlags;
    out_.byte(flags);
  }

  void write_step(const Step& step) {
    uint64_t changed = 0;
    for (const Step::Change& change : step.changes) {
      changed |= uint64_t{1} << static_cast<unsigned>(change.tensor);
    }
    out_.count(changed);
    for (const Step::Change& change : step.changes) {
      write_elements(change.elements, case_.tensors[static_cast<size_t>(change.tensor)].shape);
    }
  }

  void write_elements(const Elements& elements, const Dims& shape) {
    const int64_t row = shape.rank() < 2 ? 0 : shape[shape.rank() - 1];
    int64_t literal_begin = 0;
    int64_t idx = 0;
    while (idx < elements.size()) {
      const Item item = item_at(elements, idx, row);
      if (item.count == 0) {
        ++idx;
        continue;
      }
      write_literal(elements, literal_begin, idx);
      write_head(item.kind, item.count);
      if (item.kind == ItemKind::kEarlier) {
        out_.count(static_cast<uint64_t>(row));
      } else {
        out_.integer(elements.at(idx));
        if (item.kind == ItemKind::kProgression) out_.integer(item.step);
      }
      idx += item.count;
      literal_begin = idx;
    }
    write_literal(elements, literal_begin, idx);
  }

  struct Item {
    ItemKind kind = ItemKind::kLiteral;
    int64_t count = 0;  // 0: a literal is no longer than this
    int64_t step = 0;
  };

  static Item item_at(const Elements& elements, int64_t idx, int64_t row) {
    if (row > 0 && idx >= row) {
      const int64_t count = run_length(
          elements, idx, [&](int64_t i) { return elements.at(i) == elements.at(i - row); });
      if (count >= kMinEarlier) return {.kind = ItemKind::kEarlier, .count = count};
    }
    if (idx + 1 >= elements.size()) return {};
    const int64_t step = wrapping_difference(elements.at(idx + 1), elements.at(idx));
    const int64_t count = 1 + run_length(elements, idx + 1, [&](int64_t i) {
                            return wrapping_difference(elements.at(i), elements.at(i - 1)) == step;
                          });
    if (step == 0 && count >= kMinRepeat) return {.kind = ItemKind::kRepeat, .count = count};
    if (count >= kMinProgression) {
      return {.kind = ItemKind::kProgression, .count = count, .step = step};
    }
    return {};
  }

  template <typename Holds>
  static int64_t run_length(const Elements& elements, int64_t first, Holds&& holds) {
    int64_t idx = first;
    while (idx < elements.size() && holds(idx)) ++idx;
    return idx - first;
  }

  void write_literal(const Elements& elements, int64_t begin, int64_t end) {
    if (begin == end) return;
    write_head(ItemKind::kLiteral, end - begin);
    for (int64_t idx = begin; idx < end; ++idx) out_.integer(elements.at(idx));
  }

  void write_head(ItemKind kind, int64_t count) {
    const int64_t inline_count = std::min<int64_t>(count - 1, kLongItem);
    out_.byte(static_cast<uint8_t>(inline_count * kNumItemKinds + static_cast<int64_t>(kind)));
    if (inline_count == kLongItem) out_.count(static_cast<uint64_t>(count - 1 - kLongItem));
  }

  static constexpr int64_t kMinRepeat = 3;
  static constexpr int64_t kMinProgression = 4;
  static constexpr int64_t kMinEarlier = 8;

  const Case& case_;
  const Op& op_;
  CaseForm form_;
  ByteWriter out_;
};

// Escapes are the last of the first bytes: seven of eight inputs of random bytes have none.
constexpr uint8_t kFirstEscape = 0xe0;

}  // namespace

CaseForm CaseForm::of_byte(uint8_t byte) {
  if (byte < kFirstEscape) return {};
  return {
      .raw_elements = (byte & 1) != 0, .raw_call = (byte & 2) != 0, .has_faults = (byte & 4) != 0};
}

uint8_t CaseForm::byte() const {
  const int flags = (raw_elements ? 1 : 0) + (raw_call ? 2 : 0) + (has_faults ? 4 : 0);
  return flags == 0 ? uint8_t{0} : static_cast<uint8_t>(kFirstEscape + flags);
}

ModeList::ModeList(const Op& op) {
  const auto on_host = [&](Mode mode) {
    return mode == Mode::kPlain || has_mode(op, mode, BackendKind::kHost);
  };
  size_t next = 0;
  for (const ModeSpec& spec : kModes) {
    if (on_host(spec.mode)) modes[next++] = spec.mode;
  }
  num_host_modes = next;
  for (const ModeSpec& spec : kModes) {
    if (!on_host(spec.mode)) modes[next++] = spec.mode;
  }
}

Mode ModeList::of_byte(uint8_t byte) const {
  const size_t num_others = modes.size() - num_host_modes;
  const size_t from_last = 0xffU - byte;
  if (from_last < num_others) return modes[modes.size() - 1 - from_last];
  return modes[byte % num_host_modes];
}

uint8_t ModeList::byte_of(Mode mode) const {
  const auto place =
      static_cast<size_t>(std::find(modes.begin(), modes.end(), mode) - modes.begin());
  if (place < num_host_modes) return static_cast<uint8_t>(place);
  return static_cast<uint8_t>(0xffU - (modes.size() - 1 - place));
}

std::vector<uint8_t> write_case_bytes(const Case& c, CaseForm form) {
  return Writer(c, form).write();
}

}  // namespace bytegate
