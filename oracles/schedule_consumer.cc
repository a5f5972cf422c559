#include "oracles/schedule_consumer.h"

namespace bytegate {
namespace {

int64_t num_splits(int32_t len_tokens) {
  return (int64_t{len_tokens} + kSplitKv - 1) / kSplitKv;
}

std::string number(int64_t value) {
  return std::to_string(value);
}

class Watch {
 public:
  explicit Watch(const PagedMqaMetadataCase& c) : c_(c) { skip_used_up(); }

  // What is wrong with how this SM went, or with one before it.
  std::optional<std::string> follow(int64_t sm, const ScheduleRows& rows,
                                    ScheduleConsumer consumer) {
    sm_ = sm;
    num_visited_ = 0;
    first_read_ = std::nullopt;
    consumer(
        rows, [this](int64_t request) { return read_len(request); },
        [this](int64_t request, int64_t first, int64_t last) { visit(request, first, last); });
    if (!wrong_ && first_read_ && num_visited_ == 0) {
      wrong_ = name() + " has no work, but reads the length of request " + number(*first_read_);
    }
    return wrong_;
  }

  [[nodiscard]] std::optional<std::string> finish() const {
    if (row_ == num_rows()) return std::nullopt;
    return "split " + number(offset_) + " of request " + number(row_) + " is never visited";
  }

 private:
  [[nodiscard]] std::string name() const { return "SM " + number(sm_); }
  [[nodiscard]] int64_t num_rows() const { return static_cast<int64_t>(c_.context_lens.size()); }

  std::optional<int32_t> read_len(int64_t request) {
    if (!first_read_) first_read_ = request;
    if (request >= 0 && request < num_rows()) return c_.context_lens[static_cast<size_t>(request)];
    if (!wrong_) {
      wrong_ =
          name() + " reads the length of request " + number(request) + " of " + number(num_rows());
    }
    return std::nullopt;
  }

  void visit(int64_t request, int64_t first, int64_t last) {
    if (first >= last) return;
    num_visited_ += last - first;
    if (wrong_) return;
    if (request != row_ || first != offset_ || row_ == num_rows()) {
      wrong_ = name() + " visits split " + number(first) + " of request " + number(request) +
               ", but split " + number(offset_) + " of request " + number(row_) + " is next";
      return;
    }
    offset_ = last;
    if (last > num_splits(c_.context_lens[static_cast<size_t>(row_)])) {
      wrong_ = name() + " visits split " + number(last - 1) + " of request " + number(request) +
               ", which it does not have";
    }
    skip_used_up();
  }

  void skip_used_up() {
    while (row_ < num_rows() && offset_ == num_splits(c_.context_lens[static_cast<size_t>(row_)])) {
      ++row_;
      offset_ = 0;
    }
  }

  const PagedMqaMetadataCase& c_;
  int64_t sm_ = 0;
  int64_t row_ = 0;  // the split that is next
  int64_t offset_ = 0;
  int64_t num_visited_ = 0;
  std::optional<int64_t> first_read_;
  std::optional<std::string> wrong_;
};

}  // namespace

void consume_rows(const ScheduleRows& rows, const ReadLen& read_len, const VisitSplits& visit) {
  int64_t row = rows.row;
  int64_t offset = rows.offset;
  while (row < rows.end_row || (row == rows.end_row && offset < rows.end_offset)) {
    const std::optional<int32_t> len = read_len(row);
    if (!len) return;
    visit(row, offset, row < rows.end_row ? num_splits(*len) : rows.end_offset);
    ++row;
    offset = 0;
  }
}

std::optional<std::string> watch_consumer(const PagedMqaMetadataCase& c,
                                          std::span<const int32_t> table,
                                          ScheduleConsumer consumer) {
  const size_t num_sm = static_cast<size_t>(c.num_sm);
  if (table.size() != 2 * (num_sm + 1)) return "the table has another number of rows";
  Watch watch(c);
  for (size_t sm = 0; sm < num_sm; ++sm) {
    const ScheduleRows rows = {.row = table[2 * sm],
                               .offset = table[2 * sm + 1],
                               .end_row = table[2 * sm + 2],
                               .end_offset = table[2 * sm + 3]};
    if (auto wrong = watch.follow(static_cast<int64_t>(sm), rows, consumer)) return wrong;
  }
  return watch.finish();
}

}  // namespace bytegate
