// Changes of what the tensors of a case are: whether they are there, of which type, and how they
// lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/guided/case_bytes.h"
#include "fuzz/guided/interesting.h"
#include "oracles/case.h"
#include "properties/draw.h"

namespace bytegate {

class TensorChanges {
 public:
  // All must outlive it.
  TensorChanges(Case& c, Interesting& interesting, Draw& draw, const CaseBytesLimits& limits)
      : c_(c), op_(*c.op), interesting_(interesting), draw_(draw), limits_(limits) {}

  // One of those that are wanted: -1 when there is none.
  int some(bool (*wanted)(const TensorSpec&, const Tensor&));

  // Of some tensor that leaves the choice; nothing where none does.
  void change_presence();
  void change_dtype();
  void change_strides();

  void toggle(size_t tensor);
  // Elements that the type does not hold become the nearest that it does.
  void set_dtype(size_t tensor, DType dtype);
  int64_t some_stride(int64_t now);
  void compact_wide_strides();

 private:
  Case& c_;
  const Op& op_;
  Interesting& interesting_;
  Draw& draw_;
  const CaseBytesLimits& limits_;
};

}  // namespace bytegate
