#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "oracles/case_text_values.h"

namespace bytegate {
namespace {

constexpr size_t kMaxColumns = 100;
// The shortest runs worth writing as such: below them the numbers themselves read better.
constexpr size_t kMinRepeat = 4;
constexpr size_t kMinProgression = 6;

// Appends items to a line that ends in `=`, and moves them below it when they do not fit.
class ItemWriter {
 public:
  explicit ItemWriter(std::string& text)
      : text_(&text), first_item_(text.size()), line_start_(text.rfind('\n') + 1) {}

  void append(std::string_view item) {
    if (!fits(item) && on_first_line_) {
      text_->insert(first_item_, "\n ");
      line_start_ = first_item_ + 1;
      on_first_line_ = false;
    }
    if (!fits(item) && text_->size() > line_start_ + 1) {
      line_start_ = text_->size() + 1;
      *text_ += "\n ";
    }
    *text_ += ' ';
    *text_ += item;
  }

 private:
  [[nodiscard]] bool fits(std::string_view item) const {
    return text_->size() - line_start_ + 1 + item.size() <= kMaxColumns;
  }

  std::string* text_;
  size_t first_item_;
  size_t line_start_;
  bool on_first_line_ = true;
};

// One item, built without allocating.
class Item {
 public:
  Item& add(char c) {
    bytes_[size_++] = c;
    return *this;
  }
  template <typename Int>
  Item& add_int(Int value) {
    char* const end = bytes_.data() + bytes_.size();
    size_ =
        static_cast<size_t>(std::to_chars(bytes_.data() + size_, end, value).ptr - bytes_.data());
    return *this;
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 80> bytes_{};  // three 64-bit integers and what is between them
  size_t size_ = 0;
};

struct Run {
  int64_t step = 0;
  size_t length = 1;
};

// The longest arithmetic progression that starts at `first`; a step beyond 64 bits ends it.
template <typename T>
Run run_at(std::span<const T> values, size_t first) {
  Run run;
  if (first + 1 == values.size()) return run;
  const auto step_after = [&](size_t i, int64_t& step) {
    return !__builtin_sub_overflow(values[i + 1], values[i], &step);
  };
  if (!step_after(first, run.step)) return {};
  int64_t step = 0;
  for (run.length = 2; first + run.length < values.size(); ++run.length) {
    if (!step_after(first + run.length - 1, step) || step != run.step) break;
  }
  return run;
}

template <typename T>
void write_runs(ItemWriter& writer, std::span<const T> values) {
  for (size_t i = 0; i < values.size();) {
    const Run run = run_at(values, i);
    Item item;
    item.add_int(values[i]);
    if (run.length < (run.step == 0 ? kMinRepeat : kMinProgression)) {
      writer.append(item.view());
      ++i;
      continue;
    }
    if (run.step > 0) item.add('+');
    if (run.step != 0) item.add_int(run.step);
    item.add('*').add_int(run.length);
    writer.append(item.view());
    i += run.length;
  }
}

// Nothing when there are too many for the pattern to be worth keeping.
template <typename T>
std::optional<std::vector<size_t>> find_overrides(const Pattern& pattern,
                                                  std::span<const T> values) {
  std::vector<size_t> overrides;
  const int64_t count = static_cast<int64_t>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == pattern_value(pattern, static_cast<int64_t>(i))) continue;
    overrides.push_back(i);
    if (!keeps_pattern(count, static_cast<int64_t>(overrides.size()))) return std::nullopt;
  }
  return overrides;
}

template <typename T>
void write_typed(ItemWriter& writer, std::span<const T> values,
                 const std::optional<Pattern>& pattern) {
  const auto overrides = pattern ? find_overrides(*pattern, values) : std::nullopt;
  if (!overrides) {
    write_runs(writer, values);
    return;
  }
  writer.append("pattern " + std::to_string(pattern->version) + " " +
                std::to_string(pattern->seed) + " " + std::to_string(pattern->low) + " " +
                std::to_string(pattern->high));
  for (const size_t idx : *overrides) {
    writer.append(Item().add('@').add_int(idx).add(' ').add_int(values[idx]).view());
  }
}

}  // namespace

void write_values(std::string& text, const Elements& elements,
                  const std::optional<Pattern>& pattern) {
  const DType dtype = elements.dtype();
  const auto& writable = pattern && is_writable(*pattern, dtype) ? pattern : std::nullopt;
  ItemWriter writer(text);
  if (dtype == DType::kInt32) {
    write_typed(writer, elements.int32(), writable);
  } else {
    write_typed(writer, elements.int64(), writable);
  }
}

}  // namespace bytegate
