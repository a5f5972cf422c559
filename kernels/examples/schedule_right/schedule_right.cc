// A candidate in one file: deals the attention work of a batch to the SMs, one SM after the other.
// Built into a shared library, it is gated with `bytegate gate --candidate libschedule_right.so`.
#include <bytegate/candidate.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

constexpr int64_t kTokensPerSplit = 256;
constexpr int64_t kPageSize = 64;
constexpr int64_t kMostSms = 1024;
constexpr int64_t kRemainderLast = 0;
constexpr int64_t kRemainderFirst = 1;

// What the operation's contract names.
struct Arguments {
  int64_t num_sm = 0;
  int64_t page_size = 0;
  int64_t remainder = 0;
  const DLTensor* lens = nullptr;   // int32 [B]
  const DLTensor* table = nullptr;  // int32 [num_sm + 1, 2]
};

bool read_scalar(const bytegate_call& call, const char* name, int64_t& value) {
  for (uint64_t i = 0; i < call.num_scalars; ++i) {
    if (std::strcmp(call.scalars[i].name, name) != 0) continue;
    value = call.scalars[i].value;
    return true;
  }
  return false;
}

const DLTensor* find_tensor(const bytegate_call& call, const char* name) {
  for (uint64_t i = 0; i < call.num_tensors; ++i) {
    if (std::strcmp(call.tensors[i].name, name) == 0) return call.tensors[i].tensor;
  }
  return nullptr;
}

bool is_int32_on_host(const DLTensor* tensor, int rank) {
  return tensor != nullptr && tensor->ndim == rank && tensor->device.device_type == kDLCPU &&
         tensor->dtype.code == kDLInt && tensor->dtype.bits == 32 && tensor->dtype.lanes == 1;
}

bool is_contiguous(const DLTensor& tensor) {
  int64_t stride = 1;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    const bool any = tensor.strides == nullptr || tensor.shape[axis] <= 1;
    if (!any && tensor.strides[axis] != stride) return false;
    stride *= tensor.shape[axis];
  }
  return true;
}

bool overlap(const DLTensor& a, const DLTensor& b) {
  const auto num_bytes = [](const DLTensor& tensor) {
    uintptr_t bytes = sizeof(int32_t);
    for (int axis = 0; axis < tensor.ndim; ++axis) {
      bytes *= static_cast<uintptr_t>(tensor.shape[axis]);
    }
    return bytes;
  };
  const uintptr_t a_begin = reinterpret_cast<uintptr_t>(a.data);
  const uintptr_t b_begin = reinterpret_cast<uintptr_t>(b.data);
  return a_begin < b_begin + num_bytes(b) && b_begin < a_begin + num_bytes(a);
}

// What is wrong with the call, or null.
const char* error_of(const Arguments& args) {
  if (args.num_sm < 1 || args.num_sm > kMostSms) return "num_sm must be 1 .. 1024";
  if (args.page_size != kPageSize) return "page_size must be 64";
  if (args.remainder != kRemainderLast && args.remainder != kRemainderFirst) {
    return "remainder must be last or first";
  }
  if (!is_int32_on_host(args.lens, 1)) return "context_lens must be int32 [B] on the host";
  if (!is_int32_on_host(args.table, 2) || args.table->shape[0] != args.num_sm + 1 ||
      args.table->shape[1] != 2) {
    return "schedule_metadata must be int32 [num_sm + 1, 2] on the host";
  }
  if (!is_contiguous(*args.lens)) return "context_lens must be contiguous";
  if (!is_contiguous(*args.table)) return "schedule_metadata must be contiguous";
  if ((args.lens->data == nullptr) != (args.lens->shape[0] == 0)) {
    return "context_lens must be null if and only if it has no elements";
  }
  if (args.table->data == nullptr) return "schedule_metadata is null";
  if (overlap(*args.lens, *args.table)) return "schedule_metadata overlaps context_lens";
  return nullptr;
}

int64_t num_splits(int32_t len_tokens) {
  return (len_tokens + kTokensPerSplit - 1) / kTokensPerSplit;
}

// Number of splits that lie before SM `sm`.
int64_t first_split(const Arguments& args, int64_t sm, int64_t total) {
  const int64_t share = total / args.num_sm;
  const int64_t num_larger = total % args.num_sm;
  const int64_t first_larger = args.remainder == kRemainderLast ? args.num_sm - num_larger : 0;
  int64_t larger_before = sm > first_larger ? sm - first_larger : 0;
  if (larger_before > num_larger) larger_before = num_larger;
  return sm * share + larger_before;
}

void fill_table(const Arguments& args) {
  const int32_t* lens = static_cast<const int32_t*>(args.lens->data);
  int32_t* table = static_cast<int32_t*>(args.table->data);
  const int64_t num_rows = args.lens->shape[0];
  int64_t total = 0;
  for (int64_t row = 0; row < num_rows; ++row) total += num_splits(lens[row]);

  int64_t row = 0;
  int64_t before = 0;  // splits of the rows above `row`
  for (int64_t sm = 0; sm <= args.num_sm; ++sm) {
    const int64_t start = first_split(args, sm, total);
    while (row < num_rows && before + num_splits(lens[row]) <= start) {
      before += num_splits(lens[row]);
      ++row;
    }
    table[2 * sm] = static_cast<int32_t>(row);
    table[2 * sm + 1] = row < num_rows ? static_cast<int32_t>(start - before) : 0;
  }
}

int32_t refuse(bytegate_call& call, const char* why) {
  if (call.message != nullptr && call.message_bytes > 0) {
    std::snprintf(call.message, call.message_bytes, "%s", why);
  }
  return BYTEGATE_INVALID_ARGUMENT;
}

int32_t supports(void*, bytegate_call* call) {
  return std::strcmp(call->op, "paged_mqa_metadata") == 0 ? BYTEGATE_OK : BYTEGATE_UNSUPPORTED;
}

int32_t run(void*, bytegate_call* call) {
  Arguments args;
  if (!read_scalar(*call, "num_sm", args.num_sm)) return refuse(*call, "num_sm is missing");
  if (!read_scalar(*call, "page_size", args.page_size)) {
    return refuse(*call, "page_size is missing");
  }
  if (!read_scalar(*call, "remainder", args.remainder)) {
    return refuse(*call, "remainder is missing");
  }
  args.lens = find_tensor(*call, "context_lens");
  args.table = find_tensor(*call, "schedule_metadata");
  if (const char* error = error_of(args)) return refuse(*call, error);
  fill_table(args);
  call->path_taken = "serial";
  return BYTEGATE_OK;
}

constexpr bytegate_candidate kCandidate = {
    .interface_version = BYTEGATE_INTERFACE_VERSION,
    .backends = BYTEGATE_BACKEND_HOST,
    .name = "schedule_right",
    .version = "1",
    .paths = nullptr,
    .open = nullptr,
    .close = nullptr,
    .supports = supports,
    .workspace_bytes = nullptr,
    .run = run,
};

}  // namespace

extern "C" BYTEGATE_EXPORT const bytegate_candidate* bytegate_get_candidate() {
  return &kCandidate;
}
