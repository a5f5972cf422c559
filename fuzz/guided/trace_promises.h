// What a reader of request traces, and the batching behind it, keep whatever the bytes are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "properties/trace/trace_reader.h"

namespace bytegate {

using TraceReader = std::function<trace::TraceResult(std::string_view)>;

enum class TraceFormat { kCsv, kJsonLines };
// Which of the two readers the bytes are for.
TraceFormat trace_format(std::string_view bytes);

// Which promise is broken, and how; nothing when all hold. An error names its line and is
// printable; requests are sorted and in range; written out in either format they are read as the
// same; and no step of their run is larger than its limits.
std::optional<std::string> broken_trace_promise(std::string_view bytes, const TraceReader& read);

}  // namespace bytegate
