// Cases and results as bytes, between a process and its worker. Both are the same program, so there
// is no version; but the worker runs code that is tested, so nothing in the bytes is trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "oracles/case.h"

namespace bytegate {

// The first that a worker says.
struct WorkerGreeting {
  BackendKind kind = BackendKind::kAny;  // kAny: there is no backend
  std::string text;                      // its description, or why there is none
};

// Each case's op must be in `ops`; it is written as its place there.
std::vector<std::byte> encode_cases(std::span<const Case> cases, OpTable ops);
std::vector<std::byte> encode_results(std::span<const RunResult> results);
std::vector<std::byte> encode_greeting(const WorkerGreeting& greeting);

// Nothing if the bytes are not exactly what the encoder of the same type writes for some value.
// Never reads outside `bytes`, and allocates in proportion to them.
std::optional<std::vector<Case>> decode_cases(std::span<const std::byte> bytes, OpTable ops);
std::optional<std::vector<RunResult>> decode_results(std::span<const std::byte> bytes);
std::optional<WorkerGreeting> decode_greeting(std::span<const std::byte> bytes);

}  // namespace bytegate
