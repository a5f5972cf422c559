#include "properties/paged_mqa_metadata.h"

#include <array>

#include "oracles/paged_mqa_metadata.h"
#include "oracles/schedule_walker.h"
#include "properties/paged_mqa_metadata_classes.h"
#include "properties/paged_mqa_metadata_generate.h"
#include "properties/paged_mqa_metadata_lists.h"
#include "properties/paged_mqa_metadata_relations.h"
#include "properties/paged_mqa_metadata_states.h"
#include "properties/paged_mqa_metadata_worlds.h"
#include "properties/schedule_picture.h"

namespace bytegate {
namespace {

using Index = PagedMqaMetadataIndex;

Case of_batch(const trace::ServedBatch& batch, Draw& draw) {
  // Streaming multiprocessors of GPUs that serve: H20, A100 and H800 among them, H100/H200, B200.
  constexpr std::array<int64_t, 6> kServing = {78, 108, 114, 132, 148, 152};
  return make_paged_mqa_metadata_case(batch.context_lens,
                                      draw.among(std::span<const int64_t>(kServing)));
}

std::optional<std::string> broken_invariant(const Case& c, const Outputs& outputs) {
  return walk_schedule(view_paged_mqa_metadata(c), outputs[Index::kScheduleMetadata].int32());
}

std::string picture(const Case& c, const Outputs& outputs) {
  return schedule_picture(view_paged_mqa_metadata(c), outputs[Index::kScheduleMetadata].int32());
}

}  // namespace

OpProperties paged_mqa_metadata_properties() {
  OpProperties properties;
  properties.op = &paged_mqa_metadata_op();
  properties.generate = generate_paged_mqa_metadata;
  properties.of_batch = of_batch;
  properties.classes = paged_mqa_metadata_classes();
  properties.classify = classify_paged_mqa_metadata;
  properties.axes = paged_mqa_metadata_axes();
  properties.products = paged_mqa_metadata_products();
  // A split, a warp, and the rows at which dispatch and tiles change.
  properties.edges = {kSplitKv, kSplitKv, kSplitKv, 32, 64, 1024, 2048, 4096, 8192};
  properties.path_takes = paged_mqa_metadata_path_takes;
  properties.takes_workspace = paged_mqa_metadata_takes_workspace;
  properties.states = paged_mqa_metadata_states();
  properties.walk_states = walk_paged_mqa_metadata_states;
  properties.broken_invariant = broken_invariant;
  properties.picture = picture;
  properties.lists = paged_mqa_metadata_lists();
  properties.worlds = paged_mqa_metadata_worlds();
  properties.relations = paged_mqa_metadata_relations();
  return properties;
}

}  // namespace bytegate
