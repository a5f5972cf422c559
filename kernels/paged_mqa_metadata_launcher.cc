// `paged_mqa_metadata` behind the C interface: reads the call, checks, chooses a path, launches.
#include <string>

#include "kernels/builtin_candidate.h"
#include "kernels/paged_mqa_metadata.h"
#include "kernels/paged_mqa_metadata_cuda.h"
#include "kernels/paged_mqa_metadata_host.h"

namespace bytegate {
namespace {

constexpr const char* kBaselinePath = "baseline";

PagedMqaMetadataParams read_params(CallReader& call) {
  PagedMqaMetadataParams params;
  params.num_sm = call.scalar("num_sm");
  params.page_size = call.scalar("page_size");
  params.remainder = call.scalar("remainder");
  const DLTensor* lens = call.tensor("context_lens", 1, 32);
  const DLTensor* table = call.tensor("schedule_metadata", 2, 32);
  params.context_lens = call.contiguous_int32(lens, "context_lens");
  params.schedule_metadata = call.contiguous_int32(table, "schedule_metadata");
  params.num_rows = lens == nullptr ? 0 : lens->shape[0];
  // Said only when num_sm itself is right: it would be blamed on the wrong argument.
  if (table != nullptr && params.num_sm >= 1 && params.num_sm <= kMaxNumSm &&
      (table->shape[0] != params.num_sm + 1 || table->shape[1] != 2)) {
    call.fail("schedule_metadata must be [num_sm + 1, 2]");
  }
  params.workspace = call.call().workspace;
  params.workspace_bytes = call.call().workspace_bytes;
  return params;
}

// The path that the caller forces, or the one for this many rows; fails on an unknown name.
PagedMqaMetadataPath path_of(CallReader& call, int64_t num_rows) {
  const char* forced = call.call().forced_path;
  if (forced == nullptr) return choose_path(num_rows);
  const std::optional<PagedMqaMetadataPath> path = path_of_name(forced);
  if (!path) call.fail("no dispatch path is called " + std::string(forced));
  return path.value_or(PagedMqaMetadataPath::kMultiBlock);
}

int32_t workspace_bytes(CallReader& call, uint64_t& bytes) {
  const DLTensor* lens = call.tensor("context_lens", 1, 32);
  const int64_t num_rows = lens == nullptr ? 0 : lens->shape[0];
  const PagedMqaMetadataPath path = path_of(call, num_rows);
  if (call.failed()) return call.report_invalid();
  bytes = paged_mqa_metadata_workspace_bytes(num_rows, path);
  return BYTEGATE_OK;
}

// Reads and checks; `launch` gets what is right.
template <typename Launch>
int32_t run(CallReader& call, Launch&& launch) {
  const PagedMqaMetadataParams params = read_params(call);
  const PagedMqaMetadataPath path = path_of(call, params.num_rows);
  if (call.failed()) return call.report_invalid();
  if (const auto error = paged_mqa_metadata_error(params, path)) {
    return call.report(BYTEGATE_INVALID_ARGUMENT, *error);
  }
  return launch(kernel_args(params), path);
}

int32_t run_on_host(CallReader& call, simt::Executor& executor) {
  return run(call, [&](const PagedMqaMetadataArgs& args, PagedMqaMetadataPath path) {
    call.set_path(path_name(path).data());
    return report_launch(call, launch_paged_mqa_metadata_on_host(executor, args, path));
  });
}

int32_t run_baseline_on_host(CallReader& call, simt::Executor& executor) {
  return run(call, [&](const PagedMqaMetadataArgs& args, PagedMqaMetadataPath) {
    call.set_path(kBaselinePath);
    return report_launch(call, launch_paged_mqa_metadata_baseline_on_host(executor, args));
  });
}

#if BYTEGATE_WITH_CUDA
int32_t report_error(CallReader& call, const std::string& error) {
  return error.empty() ? int32_t{BYTEGATE_OK} : call.report(BYTEGATE_LAUNCH_FAILED, error);
}

int32_t run_on_cuda(CallReader& call) {
  return run(call, [&](const PagedMqaMetadataArgs& args, PagedMqaMetadataPath path) {
    call.set_path(path_name(path).data());
    return report_error(call, launch_paged_mqa_metadata_on_cuda(args, path, call.call().stream));
  });
}

int32_t run_baseline_on_cuda(CallReader& call) {
  return run(call, [&](const PagedMqaMetadataArgs& args, PagedMqaMetadataPath) {
    call.set_path(kBaselinePath);
    return report_error(call, launch_paged_mqa_metadata_baseline_on_cuda(args, call.call().stream));
  });
}
#else
constexpr int32_t (*run_on_cuda)(CallReader&) = nullptr;
constexpr int32_t (*run_baseline_on_cuda)(CallReader&) = nullptr;
#endif

}  // namespace

OpLauncher paged_mqa_metadata_launcher() {
  return {.op = "paged_mqa_metadata",
          .workspace_bytes = workspace_bytes,
          .run_on_host = run_on_host,
          .run_on_cuda = run_on_cuda};
}

// The baseline takes any number of rows in its one block, and asks for the workspace of the path
// that the front door would check; it does not use it.
OpLauncher paged_mqa_metadata_baseline_launcher() {
  return {.op = "paged_mqa_metadata",
          .workspace_bytes = workspace_bytes,
          .run_on_host = run_baseline_on_host,
          .run_on_cuda = run_baseline_on_cuda};
}

}  // namespace bytegate
