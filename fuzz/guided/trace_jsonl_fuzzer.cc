// Any bytes are read as a request trace in JSON Lines; those that the other reader would get are
// left to it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/guided/trace_promises.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytegate::trace_format(bytes) != bytegate::TraceFormat::kJsonLines) return 0;
  if (const auto broken = bytegate::broken_trace_promise(bytes, bytegate::trace::read_trace)) {
    std::fprintf(stderr, "%s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
