#include "oracles/op.h"

#include "oracles/case.h"

namespace bytegate {
namespace {

template <typename Spec>
int index_of(const std::vector<Spec>& specs, std::string_view name) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

int Op::scalar_index(std::string_view scalar) const {
  return index_of(scalars, scalar);
}
int Op::tensor_index(std::string_view tensor) const {
  return index_of(tensors, tensor);
}
int Op::dim_index(std::string_view dim) const {
  return index_of(dims, dim);
}

const Op* find_op(OpTable ops, std::string_view name) {
  for (const Op* op : ops) {
    if (op->name == name) return op;
  }
  return nullptr;
}

Presence presence_of(const TensorSpec& spec, const Case& c) {
  return spec.presence == nullptr ? Presence::kRequired : spec.presence(c);
}

}  // namespace bytegate
