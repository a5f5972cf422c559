// The CSV format of request traces. Internal to the trace library.
#pragma once

#include <string_view>

#include "properties/trace/trace_reader.h"

namespace bytegate::trace {

// In file order, with arrivals as the file has them (not relative to the first); maybe none.
TraceResult read_csv_trace(std::string_view text);

}  // namespace bytegate::trace
