// Internal to read_case(): one pass over the lines, then the questions about the whole.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/case_text.h"
#include "oracles/text_cursor.h"

namespace bytegate {

class CaseReader {
 public:
  CaseReader(std::string_view text, OpTable ops, int64_t max_elements)
      : lines_(text), ops_(ops), max_elements_(max_elements) {}

  // Reads everything; afterwards take() is the case.
  std::optional<ParseError> read();
  Case take() { return std::move(case_); }

 private:
  using Error = std::optional<ParseError>;
  struct Field {
    std::string_view keyword;
    Error (CaseReader::*read)(Words& words);
    bool repeatable;
  };
  // One per keyword of the table.
  static constexpr size_t kMaxFields = 13;
  static std::span<const Field> fields();

  // case_text_read.cc: the fields of one line each.
  Error read_first_line();
  Error read_line(const Line& line);
  Error read_after_end();
  Error read_op(Words& words);
  Error read_expect(Words& words);
  Error read_mode(Words& words);
  Error read_backend(Words& words);
  Error read_path(Words& words);
  Error read_seed(Words& words);
  Error read_fault(Words& words);
  Error read_origin(Words& words);
  Error read_note(Words& words);
  Error read_scalar(Words& words);
  Error read_dim(Words& words);
  Error read_text(Words& words, std::string_view keyword, std::string& text);
  Error read_fault_tensor(Words& words, int& tensor);
  Error expect_line_end(Words& words, std::string_view field) const;

  // case_text_read_tensor.cc: tensors, their values, steps.
  Error read_tensor(Words& words);
  Error read_declaration(Words& words, const TensorSpec& spec, Tensor& tensor);
  Error read_layout(Words& words, const TensorSpec& spec, Tensor& tensor);
  Error read_step(Words& words);
  Error read_change(Words& words, int tensor_idx);
  Error count_elements(std::string_view field, int64_t count);

  // case_text_check.cc: what no single line can say.
  Error check_complete() const;
  Error check_contract();
  Error check_ranges() const;
  Error place_absent_tensors();
  Error check_output_elements() const;
  Error check_steps() const;
  [[nodiscard]] ParseError blame(std::string reason) const;

  [[nodiscard]] ParseError fail(std::string_view field, std::string message) const {
    return {.line = line_, .field = std::string(field), .message = std::move(message)};
  }

  Lines lines_;
  OpTable ops_;
  int64_t max_elements_;
  Case case_;
  int64_t line_ = 0;  // the one being read
  int64_t num_elements_ = 0;
  // Where things were stated; 0 is nowhere yet.
  std::array<int64_t, kMaxFields> field_lines_{};
  std::vector<int64_t> scalar_lines_;
  std::vector<int64_t> dim_lines_;
  std::vector<int64_t> tensor_lines_;
  int64_t fault_line_ = 0;
  // Per step, per change.
  std::vector<std::vector<int64_t>> change_lines_;
};

// Whether the layout's size fits 64 bits with room to spare even if empty axes had one element, so
// that nothing computed from it overflows.
bool has_sane_size(const Dims& shape, const Dims* strides);

}  // namespace bytegate
