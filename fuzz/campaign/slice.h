// The unit of work of a campaign: a slice of a chain. What a slice does, and so its record, follows
// from the campaign's start, its chain and its index alone, whoever runs it and whenever.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/case.h"

namespace bytegate {

// Source of what guided slices found.
constexpr const char* kGuidedSource = "guided";

enum class SliceKind : uint8_t {
  kGuided,  // a coverage-guided target, on the host
  kDrawn,   // cases that the generator draws
};
std::string_view slice_kind_name(SliceKind kind);

// The slices of one kind, operation, backend and stream, each of which may go on from those before.
struct Chain {
  SliceKind kind = SliceKind::kDrawn;
  std::string op;
  BackendKind backend = BackendKind::kHost;
  int64_t stream = 0;

  // "guided.OP.s0" or "drawn.OP.host.s0".
  [[nodiscard]] std::string name() const;
  friend bool operator==(const Chain&, const Chain&) = default;
};
// The chain of that name; nothing for any other text.
std::optional<Chain> parse_chain(std::string_view name);

// How a slice ended. A target that failed in itself ends its slice early, the same way each time.
enum class SliceEnd : uint8_t { kDone, kCrashed, kHung, kExhausted };
std::string_view slice_end_name(SliceEnd end);

using NamedCounts = std::map<std::string, int64_t>;

struct SliceRecord {
  std::string campaign;  // its id
  Chain chain;
  int64_t idx = 0;
  SliceEnd end = SliceEnd::kDone;
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t set_aside = 0;
  NamedCounts expects;   // "bytes", "refused", "survived": of the cases that passed or failed
  NamedCounts verdicts;  // by name; and so on
  NamedCounts paths;
  NamedCounts classes;
  NamedCounts states;
  NamedCounts origins;              // of failures, as they were first judged
  int64_t coverage = 0;             // guided: edges that the target had covered at its end
  std::vector<std::string> inputs;  // guided: digests of those that it added to its chain

  [[nodiscard]] int64_t num_cases() const { return passed + failed + set_aside; }
  friend bool operator==(const SliceRecord&, const SliceRecord&) = default;
};

// The same text for equal records.
std::string slice_record_text(const SliceRecord& record);
// The record, or what is wrong with the text.
struct ParsedSliceRecord {
  std::optional<SliceRecord> value;
  std::string error;
};
ParsedSliceRecord parse_slice_record(const std::string& text);

// "<chain>.<idx>-<digest of the text>.json"
std::string slice_file_name(const Chain& chain, int64_t idx, const std::string& text);

void add_counts(NamedCounts& sum, const NamedCounts& more);

}  // namespace bytegate
