#include "properties/dsa_picture.h"

#include <algorithm>
#include <vector>

#include "oracles/dsa_metadata.h"
#include "oracles/dsa_walker.h"
#include "properties/schedule_picture.h"

namespace bytegate {
namespace {

constexpr int64_t kRowsAbove = 12;
constexpr int64_t kRowsBelow = 4;
constexpr size_t kRunsAbove = 7;
constexpr size_t kRunsBelow = 1;

std::string number(int64_t value) {
  return std::to_string(value);
}

// Values that stand for themselves, are equal, or go up by one; open ones are not stated.
struct Run {
  int64_t first = 0;
  int64_t count = 1;
  int64_t step = 0;
  bool open = false;

  [[nodiscard]] bool takes(int64_t value, bool is_open) const {
    if (open || is_open) return open && is_open;
    if (count == 1) return value == first || value == first + 1;
    return value == first + step * count;
  }
  [[nodiscard]] std::string text() const {
    if (open) return "open*" + number(count);
    if (count == 1) return number(first);
    return step == 0 ? number(first) + "*" + number(count)
                     : number(first) + ".." + number(first + count - 1);
  }
};

std::string runs_text(const std::vector<Run>& runs) {
  if (runs.empty()) return "nothing";
  const bool cut = runs.size() > kRunsAbove + kRunsBelow + 1;
  std::string text;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (cut && i == kRunsAbove) {
      int64_t num_left_out = 0;
      for (; i < runs.size() - kRunsBelow; ++i) num_left_out += runs[i].count;
      text += " .. " + number(num_left_out) + " values ..";
    }
    text += (i > 0 ? " " : "") + runs[i].text();
  }
  return text;
}

// A table of the outputs, with what the contract leaves open in it.
class Table {
 public:
  Table(const Case& c, const Outputs& outputs, int tensor) {
    if (tensor < 0 || !c.tensors[static_cast<size_t>(tensor)].present) return;
    const TensorSpec& spec = c.op->tensors[static_cast<size_t>(tensor)];
    elements_ = &outputs[static_cast<size_t>(tensor)];
    name_ = std::string(spec.name);
    width_ = written_shape(c, tensor)[1];
    stated_.assign(static_cast<size_t>(elements_->size()), 1);
    if (spec.mask != nullptr) spec.mask(c, stated_);
  }

  [[nodiscard]] std::string row_text(int64_t row) const {
    if (elements_ == nullptr) return "";
    std::vector<Run> runs;
    for (int64_t column = 0; column < width_; ++column) {
      const int64_t idx = row * width_ + column;
      const int64_t value = elements_->at(idx);
      const bool open = stated_[static_cast<size_t>(idx)] == 0;
      if (runs.empty() || !runs.back().takes(value, open)) {
        runs.push_back({.first = value, .open = open});
        continue;
      }
      if (runs.back().count == 1) runs.back().step = value - runs.back().first;
      ++runs.back().count;
    }
    return "      " + name_ + "  " + runs_text(runs) + "\n";
  }

 private:
  const Elements* elements_ = nullptr;  // null: the table is left out
  std::string name_;
  int64_t width_ = 0;
  std::vector<uint8_t> stated_;
};

std::string counted(int64_t count, const std::string& what) {
  return number(count) + " " + what + (count == 1 ? "" : "s");
}

std::string rows_text(const Case& c, const DsaCase& batch, const Outputs& outputs) {
  const Table page_table(c, outputs, batch.tensors.page_table);
  const Table real_page_table(c, outputs, batch.tensors.real_page_table);
  const Elements& topk_lens = outputs[static_cast<size_t>(batch.tensors.dsa_cache_seqlens)];
  const bool cut = batch.num_rows > kRowsAbove + kRowsBelow + 1;
  std::string text;
  int64_t row = 0;
  for (int64_t request = 0; request < batch.num_requests; ++request) {
    for (int64_t j = 0; j < dsa_rows_of_request(batch, request); ++j, ++row) {
      if (cut && row == kRowsAbove) {
        text += "    .. " + number(batch.num_rows - kRowsAbove - kRowsBelow) + " rows\n";
      }
      if (cut && row >= kRowsAbove && row < batch.num_rows - kRowsBelow) continue;
      text += "    row " + number(row) + "  request " + number(request) + ", pool row " +
              number(batch.req_pool_indices->at(request)) + ": " +
              counted(dsa_row_len(batch, request, j), "token") + ", of which " +
              number(topk_lens.at(row)) + " attended\n" + page_table.row_text(row) +
              real_page_table.row_text(row);
    }
  }
  return text;
}

}  // namespace

std::string dsa_picture(const Case& c, const Outputs& outputs) {
  const DsaCase batch = view_dsa(c);
  std::string text = "  tables   " + counted(batch.num_rows, "row") + " of " +
                     counted(batch.num_requests, "request") + ", pages of " +
                     counted(batch.page_size, "token") + "\n" + rows_text(c, batch, outputs);
  if (batch.entry != DsaEntry::kRefresh) return text;
  const DsaScalars& scalars = describe_dsa(*c.op).scalars;
  const int lens =
      batch.mode == DsaMode::kDecode ? batch.tensors.cache_seqlens : batch.tensors.seqlens_expanded;
  const PagedMqaMetadataCase schedule = {
      .context_lens = outputs[static_cast<size_t>(lens)].int32(),
      .num_sm = c.scalars[static_cast<size_t>(scalars.num_sm)],
      .remainder = static_cast<Remainder>(c.scalars[static_cast<size_t>(scalars.remainder)])};
  const size_t table = static_cast<size_t>(batch.tensors.schedule_metadata);
  return text + schedule_picture(schedule, outputs[table].int32());
}

}  // namespace bytegate
