#include "properties/dsa_metadata.h"

#include "oracles/dsa_metadata.h"
#include "oracles/dsa_validity.h"
#include "oracles/dsa_walker.h"
#include "properties/dsa_axes.h"
#include "properties/dsa_batch.h"
#include "properties/dsa_classes.h"
#include "properties/dsa_generate.h"
#include "properties/dsa_lists.h"
#include "properties/dsa_picture.h"
#include "properties/dsa_relations.h"
#include "properties/dsa_states.h"
#include "properties/dsa_worlds.h"

namespace bytegate {
namespace {

// What the eager steps hand on, and the sums of the tiles of a schedule of many rows.
bool takes_workspace(const Case& c) {
  constexpr int64_t kRowsOfOneBlock = 2048;
  const DsaDescription& description = describe_dsa(*c.op);
  if (c.forced_path == "eager") {
    return c.dims[static_cast<size_t>(description.dims.num_requests)] > 0;
  }
  const bool fused = c.forced_path.empty() || c.forced_path == "fused";
  return fused && description.entry == DsaEntry::kRefresh &&
         dsa_num_rows(description, c) > kRowsOfOneBlock;
}

template <const Op& (*kOp)()>
OpProperties properties_of() {
  OpProperties properties;
  properties.op = &kOp();
  properties.generate = [](Draw& draw) { return generate_dsa_case(kOp(), draw); };
  properties.of_batch = [](const trace::ServedBatch& batch, Draw& draw) {
    return dsa_case_of_batch(kOp(), batch, draw);
  };
  properties.classes = dsa_classes(kOp());
  properties.classify = classify_dsa;
  properties.axes = dsa_axes(kOp());
  properties.products = dsa_products(
      kOp(), [](int first, int second) { return dsa_cell_is_possible(kOp(), first, second); });
  // Tokens of a page and of a split; threads of a warp and of a block.
  properties.edges = {64, 256, 32, 128, 1024, 2048, 65536};
  properties.takes_workspace = takes_workspace;
  properties.states = dsa_states();
  properties.walk_states = walk_dsa_states;
  properties.broken_invariant = walk_dsa;
  properties.picture = dsa_picture;
  properties.lists = dsa_lists(kOp());
  properties.worlds = dsa_worlds<kOp>();
  properties.relations = dsa_relations(kOp());
  properties.gate_cases = 10000;
  return properties;
}

}  // namespace

std::array<OpProperties, 8> dsa_properties() {
  return {properties_of<dsa_decode_metadata_op>(),
          properties_of<dsa_target_verify_metadata_op>(),
          properties_of<dsa_draft_extend_metadata_op>(),
          properties_of<dsa_decode_precompute_op>(),
          properties_of<dsa_target_verify_precompute_op>(),
          properties_of<dsa_decode_refresh_op>(),
          properties_of<dsa_target_verify_refresh_op>(),
          properties_of<dsa_draft_extend_refresh_op>()};
}

}  // namespace bytegate
