// Any bytes are read as a case file: nothing may crash, and what is read must be what is written.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "oracles/case_text.h"
#include "properties/op_properties.h"

namespace {

// Small enough for thousands of runs a second.
constexpr int64_t kMaxElements = int64_t{1} << 14;

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bytegate::OpTable ops = bytegate::all_ops();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const bytegate::ParseResult first = bytegate::read_case(bytes, ops, kMaxElements);
  if (!first.value) {
    require(first.error.line > 0 && !first.error.field.empty() && !first.error.message.empty(),
            "an error without line, field or message", std::string(bytes));
    return 0;
  }
  const std::string text = bytegate::write_case(*first.value);
  const bytegate::ParseResult second = bytegate::read_case(text, ops, kMaxElements);
  require(second.value.has_value(), "what was written is not read", text);
  require(*second.value == *first.value, "what was written is read differently", text);
  require(bytegate::write_case(*second.value) == text, "it is written differently again", text);
  return 0;
}
