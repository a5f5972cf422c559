#include "kernels/wire.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <string>
#include <type_traits>

namespace bytegate {
namespace {

// Writer and reader have the same face, so that each type's layout is stated once, in `transfer`.
class Writer {
 public:
  template <typename T>
  using Arg = const T;

  // Room for so many bytes, so that huge outputs are not copied to grow.
  void reserve(size_t bytes) { bytes_.reserve(bytes); }

  void raw(const void* data, size_t bytes) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }
  // The number of items that follow.
  size_t count(size_t num_items, size_t) {
    const uint64_t wide = num_items;
    raw(&wide, sizeof wide);
    return num_items;
  }
  template <typename Enum>
  void choice(const Enum& value, Enum) {
    raw(&value, sizeof value);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// After the first fault all that is read is zero.
class Reader {
 public:
  template <typename T>
  using Arg = T;

  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  void raw(void* data, size_t bytes) {
    if (bytes == 0) return;
    if (bytes > rest_.size()) return fail();
    std::memcpy(data, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
  }
  // Each item takes at least `item_bytes`, so that no count asks for more memory than came.
  size_t count(size_t, size_t item_bytes) {
    uint64_t num_items = 0;
    raw(&num_items, sizeof num_items);
    if (num_items > rest_.size() / item_bytes) {
      fail();
      return 0;
    }
    return num_items;
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    std::underlying_type_t<Enum> number = 0;
    raw(&number, sizeof number);
    if (number > static_cast<std::underlying_type_t<Enum>>(last)) fail();
    value = failed_ ? Enum{} : static_cast<Enum>(number);
  }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return !failed_; }
  [[nodiscard]] bool ended() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

template <typename Wire>
constexpr bool kReads = std::is_same_v<Wire, Reader>;

// Every item below takes a byte at least.
constexpr size_t kMinItemBytes = 1;

template <typename Wire, std::integral T>
void transfer(Wire& wire, T& value) {
  static_assert(!std::is_same_v<std::remove_const_t<T>, bool>);
  wire.raw(&value, sizeof value);
}

enum class Flag : uint8_t { kNo, kYes };

template <typename Wire>
bool transfer_flag(Wire& wire, bool value) {
  Flag flag = value ? Flag::kYes : Flag::kNo;
  wire.choice(flag, Flag::kYes);
  return flag == Flag::kYes;
}

template <typename Wire>
void transfer_text(Wire& wire, typename Wire::template Arg<std::string>& text) {
  const size_t size = wire.count(text.size(), 1);
  if constexpr (kReads<Wire>) text.resize(size);
  wire.raw(text.data(), size);
}

template <typename Wire, typename Numbers>
void transfer_numbers(Wire& wire, Numbers& numbers) {
  constexpr size_t kBytes = sizeof(typename Numbers::value_type);
  const size_t size = wire.count(numbers.size(), kBytes);
  if constexpr (kReads<Wire>) numbers.resize(size);
  wire.raw(numbers.data(), size * kBytes);
}

// A vector, item by item.
template <typename Wire, typename Items, typename TransferItem>
void transfer_each(Wire& wire, Items& items, TransferItem&& transfer_item) {
  const size_t size = wire.count(items.size(), kMinItemBytes);
  if constexpr (kReads<Wire>) {
    items.clear();
    for (size_t i = 0; i < size && wire.ok(); ++i) transfer_item(items.emplace_back());
  } else {
    for (auto& item : items) transfer_item(item);
  }
}

template <typename Wire, typename Optional, typename TransferValue>
void transfer_optional(Wire& wire, Optional& optional, TransferValue&& transfer_value) {
  const bool held = transfer_flag(wire, optional.has_value());
  if constexpr (kReads<Wire>) {
    optional.reset();
    if (held) transfer_value(optional.emplace());
  } else {
    if (held) transfer_value(*optional);
  }
}

template <typename Wire>
void transfer_dims(Wire& wire, typename Wire::template Arg<Dims>& dims) {
  size_t rank = wire.count(static_cast<size_t>(dims.rank()), sizeof(int64_t));
  if constexpr (kReads<Wire>) {
    if (rank > kMaxRank) {
      wire.fail();
      rank = 0;
    }
    dims = {};
    for (size_t axis = 0; axis < rank; ++axis) dims.push_back(0);
  }
  for (size_t axis = 0; axis < rank; ++axis) {
    auto&& extent = dims[static_cast<int>(axis)];
    transfer(wire, extent);
  }
}

template <typename Wire>
void transfer_elements(Wire& wire, typename Wire::template Arg<Elements>& elements) {
  DType dtype = elements.dtype();
  wire.choice(dtype, DType::kInt64);
  const size_t size = wire.count(static_cast<size_t>(elements.size()), dtype_bytes(dtype));
  if constexpr (kReads<Wire>) elements = Elements(dtype, static_cast<int64_t>(size));
  wire.raw(elements.data(), elements.bytes());
}

template <typename Wire>
void transfer_tensor(Wire& wire, typename Wire::template Arg<Tensor>& tensor) {
  const bool present = transfer_flag(wire, tensor.present);
  if constexpr (kReads<Wire>) tensor.present = present;
  wire.choice(tensor.dtype, DType::kInt64);
  transfer_dims(wire, tensor.shape);
  transfer_dims(wire, tensor.strides);
  transfer_elements(wire, tensor.elements);
  transfer_optional(wire, tensor.pattern, [&](auto& pattern) {
    transfer(wire, pattern.version);
    transfer(wire, pattern.seed);
    transfer(wire, pattern.low);
    transfer(wire, pattern.high);
  });
}

template <typename Wire>
void transfer_op(Wire& wire, typename Wire::template Arg<const Op*>& op, OpTable ops) {
  const auto place = std::find(ops.begin(), ops.end(), op);
  size_t op_idx = static_cast<size_t>(place - ops.begin());
  transfer(wire, op_idx);
  if constexpr (kReads<Wire>) {
    if (op_idx >= ops.size()) return wire.fail();
    op = ops[op_idx];
  }
}

template <typename Wire>
void transfer_case(Wire& wire, typename Wire::template Arg<Case>& c, OpTable ops) {
  transfer_op(wire, c.op, ops);
  transfer_numbers(wire, c.scalars);
  transfer_numbers(wire, c.dims);
  transfer_each(wire, c.tensors, [&](auto& tensor) { transfer_tensor(wire, tensor); });
  transfer_each(wire, c.later_steps, [&](auto& step) {
    transfer_each(wire, step.changes, [&](auto& change) {
      transfer(wire, change.tensor);
      transfer_elements(wire, change.elements);
    });
  });
  wire.choice(c.expect, Expect::kSurvived);
  wire.choice(c.mode, kLastMode);
  wire.choice(c.backend, BackendKind::kCuda);
  transfer_text(wire, c.forced_path);
  transfer(wire, c.seed);
  transfer_each(wire, c.call_faults, [&](auto& fault) {
    wire.choice(fault.kind, CallFaultKind::kShortWorkspace);
    transfer(wire, fault.tensor);
    transfer(wire, fault.other);
  });
  transfer_text(wire, c.origin);
  transfer_text(wire, c.note);
}

template <typename Wire>
void transfer_damage(Wire& wire, typename Wire::template Arg<std::optional<Damage>>& held) {
  transfer_optional(wire, held, [&](auto& damage) {
    wire.choice(damage.kind, Damage::Kind::kWrite);
    transfer(wire, damage.tensor);
    transfer(wire, damage.byte_offset);
  });
}

template <typename Wire>
void transfer_step_result(Wire& wire, typename Wire::template Arg<StepResult>& step) {
  transfer_each(wire, step.outputs, [&](auto& elements) { transfer_elements(wire, elements); });
  transfer_each(wire, step.untouched, [&](auto& set) { transfer_numbers(wire, set.words()); });
  transfer_damage(wire, step.damage);
}

template <typename Wire>
void transfer_result(Wire& wire, typename Wire::template Arg<RunResult>& result) {
  wire.choice(result.status, kLastRunStatus);
  transfer_text(wire, result.message);
  transfer_text(wire, result.path);
  transfer_each(wire, result.steps, [&](auto& step) { transfer_step_result(wire, step); });
  transfer_damage(wire, result.trespass);
}

template <typename Wire>
void transfer_greeting(Wire& wire, typename Wire::template Arg<WorkerGreeting>& greeting) {
  wire.choice(greeting.kind, BackendKind::kCuda);
  transfer_text(wire, greeting.text);
}

template <typename Value, typename Transfer>
std::optional<Value> decode(std::span<const std::byte> bytes, Transfer&& transfer_value) {
  Reader reader(bytes);
  Value value;
  transfer_value(reader, value);
  if (!reader.ended()) return std::nullopt;
  return value;
}

// Of a case or result besides elements; more is no mistake.
constexpr size_t kUsualBytes = 512;

}  // namespace

std::vector<std::byte> encode_cases(std::span<const Case> cases, OpTable ops) {
  Writer writer;
  size_t bytes = cases.size() * kUsualBytes;
  for (const Case& c : cases) {
    for (const Tensor& tensor : c.tensors) bytes += tensor.elements.bytes();
  }
  writer.reserve(bytes);
  transfer_each(writer, cases, [&](const Case& c) { transfer_case(writer, c, ops); });
  return writer.take();
}

std::vector<std::byte> encode_results(std::span<const RunResult> results) {
  Writer writer;
  size_t bytes = results.size() * kUsualBytes;
  for (const RunResult& result : results) {
    for (const StepResult& step : result.steps) {
      for (const Elements& output : step.outputs) bytes += output.bytes();
      for (const ElementSet& set : step.untouched) bytes += set.words().size() * sizeof(uint64_t);
    }
  }
  writer.reserve(bytes);
  transfer_each(writer, results, [&](const RunResult& result) { transfer_result(writer, result); });
  return writer.take();
}

std::vector<std::byte> encode_greeting(const WorkerGreeting& greeting) {
  Writer writer;
  transfer_greeting(writer, greeting);
  return writer.take();
}

std::optional<std::vector<Case>> decode_cases(std::span<const std::byte> bytes, OpTable ops) {
  return decode<std::vector<Case>>(bytes, [&](Reader& reader, std::vector<Case>& cases) {
    transfer_each(reader, cases, [&](Case& c) { transfer_case(reader, c, ops); });
  });
}

std::optional<std::vector<RunResult>> decode_results(std::span<const std::byte> bytes) {
  return decode<std::vector<RunResult>>(bytes, [](Reader& reader, auto& results) {
    transfer_each(reader, results, [&](RunResult& result) { transfer_result(reader, result); });
  });
}

std::optional<WorkerGreeting> decode_greeting(std::span<const std::byte> bytes) {
  return decode<WorkerGreeting>(bytes, transfer_greeting<Reader>);
}

}  // namespace bytegate
