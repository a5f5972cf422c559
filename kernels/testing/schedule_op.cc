#include "kernels/testing/schedule_op.h"

namespace bytegate {
namespace {

int64_t num_table_rows(const Case& c) {
  return c.scalars[0] + 1;
}
int64_t num_table_columns(const Case&) {
  return 2;
}

const Op& schedule_op() {
  static const Op op = [] {
    Op made;
    made.name = "paged_mqa_metadata";
    made.scalars = {{.name = "num_sm", .min = 1, .max = kMaxNumSm, .simplest = 1},
                    {.name = "page_size",
                     .min = kPagedMqaPageSize,
                     .max = kPagedMqaPageSize,
                     .simplest = kPagedMqaPageSize},
                    {.name = "remainder", .min = 0, .max = 1}};
    made.dims = {{.name = "B"}};
    made.tensors = {{.name = "context_lens", .shape = {{.dim = 0}}},
                    {.name = "schedule_metadata",
                     .role = Role::kOutput,
                     .shape = {{.compute = num_table_rows}, {.compute = num_table_columns}}}};
    return made;
  }();
  return op;
}

}  // namespace

Case make_schedule_case(const ScheduleCall& call) {
  Case c = make_case(schedule_op());
  c.scalars = {call.num_sm, kPagedMqaPageSize, static_cast<int64_t>(call.remainder)};
  c.dims = {static_cast<int64_t>(call.lens.size())};
  c.tensors[0].elements = Elements(call.lens);
  fit_tensors(c);
  return c;
}

}  // namespace bytegate
