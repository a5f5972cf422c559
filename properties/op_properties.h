// How one operation is searched: its generator, its classes, and what must hold without any oracle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracles/case.h"
#include "properties/case_list.h"
#include "properties/class_axis.h"
#include "properties/draw.h"
#include "properties/relation.h"
#include "properties/trace/served_batch.h"
#include "properties/world.h"

namespace bytegate {

struct OpProperties {
  const Op* op = nullptr;
  // A valid case that follows from `draw` alone.
  Case (*generate)(Draw& draw) = nullptr;
  // The case of one decode step of a serving engine. What the batch does not say (multiprocessors,
  // widths, the values beyond the tokens held) follows from `draw`. Absent: the op has none.
  Case (*of_batch)(const trace::ServedBatch& batch, Draw& draw) = nullptr;
  // Names of all boundary classes, and which of them a case belongs to (indices, ascending).
  std::vector<std::string_view> classes = {};
  std::vector<int> (*classify)(const Case& c) = nullptr;
  // Which of the classes exclude each other, and which combinations a gate promises.
  std::vector<ClassAxis> axes = {};
  std::vector<ClassProduct> products = {};
  // What the outputs of a valid single-step case break, or nothing.
  std::optional<std::string> (*broken_invariant)(const Case& c, const Outputs& outputs) = nullptr;
  // Numbers of rows, tokens or splits at which something changes, beyond those in the description:
  // what coverage-guided search tries the neighbourhood and the multiples of.
  std::vector<int64_t> edges = {};
  // Whether the path that a case forces takes it; absent: each path takes every case.
  bool (*path_takes)(const Case& c) = nullptr;
  // Whether production takes a workspace for the case, so that there is one to shorten, wherever it
  // does not refuse it at once; absent: never.
  bool (*takes_workspace)(const Case& c) = nullptr;
  // What a consumer of the outputs goes through, as a finite set of states, for coverage-guided
  // search: those that it passes in this valid case with these outputs of its first step, in order.
  std::vector<std::string_view> states = {};
  std::vector<int> (*walk_states)(const Case& c, const Outputs& outputs) = nullptr;
  // The expected outputs of a valid single-step case for people, in lines; nothing relies on it.
  // Absent: the numbers must do.
  std::string (*picture)(const Case& c, const Outputs& outputs) = nullptr;
  std::vector<Relation> relations = {};
  std::vector<World> worlds = {};
  std::vector<CaseList> lists = {};
  // Cases of a gate when the caller does not say, per backend.
  int64_t gate_cases = 100000;
};

using PropertyTable = std::span<const OpProperties>;
const OpProperties* find_properties(PropertyTable table, const Op& op);

// Every operation that bytegate ships, and the same as an OpTable.
PropertyTable all_properties();
OpTable all_ops();

}  // namespace bytegate
