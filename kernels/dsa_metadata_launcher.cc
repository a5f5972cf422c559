// The DSA metadata operations behind the C interface: read the call, check, choose, launch.
#include <cstring>
#include <string>

#include "kernels/builtin_candidate.h"
#include "kernels/dsa_call.h"
#include "kernels/dsa_metadata_cuda.h"
#include "kernels/dsa_metadata_host.h"
#include "kernels/dsa_precompute.h"
#include "kernels/paged_mqa_metadata_cuda.h"
#include "kernels/paged_mqa_metadata_host.h"

namespace bytegate {
namespace {

// Where the launches go. Each answers with a status, its message in the call.
class HostLaunches {
 public:
  HostLaunches(CallReader& call, simt::Executor& executor) : call_(call), executor_(executor) {}

  int32_t metadata(const DsaParams& params, DsaChain chain) {
    const DsaArgs args = dsa_kernel_args(params);
    return report_launch(call_, chain == DsaChain::kFused
                                    ? launch_dsa_fused_on_host(executor_, params.mode, args)
                                    : launch_dsa_eager_on_host(executor_, params.mode, args,
                                                               dsa_eager_workspace(params)));
  }
  int32_t schedule(const DsaScheduleCall& schedule) {
    return report_launch(
        call_, launch_paged_mqa_metadata_on_host(executor_, schedule.args, schedule.path));
  }

 private:
  CallReader& call_;
  simt::Executor& executor_;
};

#if BYTEGATE_WITH_CUDA
class CudaLaunches {
 public:
  explicit CudaLaunches(CallReader& call) : call_(call) {}

  int32_t metadata(const DsaParams& params, DsaChain chain) {
    const DsaArgs args = dsa_kernel_args(params);
    void* stream = call_.call().stream;
    return report(
        chain == DsaChain::kFused
            ? launch_dsa_fused_on_cuda(params.mode, args, stream)
            : launch_dsa_eager_on_cuda(params.mode, args, dsa_eager_workspace(params), stream));
  }
  int32_t schedule(const DsaScheduleCall& schedule) {
    return report(
        launch_paged_mqa_metadata_on_cuda(schedule.args, schedule.path, call_.call().stream));
  }

 private:
  int32_t report(const std::string& error) {
    return error.empty() ? int32_t{BYTEGATE_OK} : call_.report(BYTEGATE_LAUNCH_FAILED, error);
  }

  CallReader& call_;
};
#endif

int32_t refuse(CallReader& call, const std::string& error) {
  return call.report(BYTEGATE_INVALID_ARGUMENT, error);
}

// An allocator that hands out the buffers of the call's own outputs.
void* hand_out(void* context, const char* output, size_t bytes) {
  const bytegate_call& call = static_cast<CallReader*>(context)->call();
  for (uint64_t i = 0; i < call.num_tensors; ++i) {
    const DLTensor* tensor = call.tensors[i].tensor;
    if (std::strcmp(call.tensors[i].name, output) != 0 || tensor == nullptr) continue;
    size_t tensor_bytes = sizeof(int32_t);
    for (int axis = 0; axis < tensor->ndim; ++axis) {
      tensor_bytes *= static_cast<size_t>(tensor->shape[axis]);
    }
    return tensor_bytes == bytes ? tensor->data : nullptr;
  }
  return nullptr;
}

template <typename Launches>
int32_t run_metadata(CallReader& call, const DsaParams& params, DsaChain chain, Launches launches) {
  if (auto error = dsa_buffers_error(params, dsa_workspace_bytes(params, chain))) {
    return refuse(call, *error);
  }
  call.set_path(chain_name(chain).data());
  return launches.metadata(params, chain);
}

// Outputs of a precompute are compact. The launch knows of no table that is laid out otherwise.
std::optional<std::string> compact_table_error(std::string_view name, const DsaTable& table,
                                               int64_t num_rows, int64_t num_columns) {
  if (!table.present) return "tensor " + std::string(name) + " is missing";
  if (table.num_columns != num_columns) {
    return std::string(name) + " has " + std::to_string(table.num_columns) +
           " columns, must have " + std::to_string(num_columns);
  }
  if (num_rows <= 1 || num_columns == 0 || table.row_stride == num_columns) return std::nullopt;
  return std::string(name) + " must be contiguous";
}

std::optional<std::string> precompute_error(const DsaParams& params, DsaChain chain) {
  const int64_t num_rows = dsa_num_rows(params);
  if (auto error = compact_table_error("page_table", params.page_table, num_rows, params.max_len)) {
    return error;
  }
  if (params.real_page_table.present) {
    if (auto error = compact_table_error("real_page_table", params.real_page_table, num_rows,
                                         dsa_num_pages(params))) {
      return error;
    }
  }
  return dsa_buffers_error(params, dsa_workspace_bytes(params, chain));
}

template <typename Launches>
int32_t run_precompute(CallReader& call, const DsaParams& params, DsaChain chain,
                       Launches launches) {
  // First what the caller handed in, so that a bad buffer is refused as itself.
  if (auto error = precompute_error(params, chain)) return refuse(call, *error);
  DsaParams own = params;
  own.page_table = {};
  own.real_page_table = {};
  DsaPrecomputed result;
  if (auto error = allocate_dsa_precompute({.allocate = hand_out, .context = &call}, own, result)) {
    return refuse(call, *error);
  }
  return run_metadata(call, own, chain, launches);
}

template <typename Launches>
int32_t run_refresh(CallReader& call, const DsaParams& params, DsaChain chain, Launches launches) {
  DsaRefreshParams refresh = {.metadata = params};
  read_dsa_schedule(call, refresh);
  if (call.failed()) return call.report_invalid();
  if (auto error = dsa_refresh_error(refresh, chain)) return refuse(call, *error);
  call.set_path(chain_name(chain).data());
  const int32_t status = launches.metadata(params, chain);
  return status != BYTEGATE_OK ? status : launches.schedule(dsa_schedule_call(refresh, chain));
}

template <DsaMode kMode, DsaEntry kEntry, typename Launches>
int32_t run(CallReader& call, DsaChain chain, Launches launches) {
  DsaParams params = read_dsa_inputs(call, kMode);
  if (call.failed()) return call.report_invalid();
  if (auto error = dsa_call_error(params)) return refuse(call, *error);
  read_dsa_outputs(call, params, kEntry);
  if (call.failed()) return call.report_invalid();
  if constexpr (kEntry == DsaEntry::kPrecompute) {
    return run_precompute(call, params, chain, launches);
  } else if constexpr (kEntry == DsaEntry::kRefresh) {
    return run_refresh(call, params, chain, launches);
  } else {
    return run_metadata(call, params, chain, launches);
  }
}

template <DsaMode kMode, DsaEntry kEntry>
int32_t workspace_bytes_of_chain(CallReader& call, DsaChain chain, uint64_t& bytes) {
  const DsaParams params = read_dsa_inputs(call, kMode);
  if (call.failed()) return call.report_invalid();
  // Data pointers are null here, so only what does not depend on them is checked.
  if (auto error = dsa_sizes_error(params)) return refuse(call, *error);
  constexpr bool kRefresh = kEntry == DsaEntry::kRefresh;
  bytes = kRefresh ? dsa_refresh_workspace_bytes({.metadata = params}, chain)
                   : dsa_workspace_bytes(params, chain);
  for (const DsaSection& section : kRefresh ? dsa_refresh_sections({.metadata = params}, chain)
                                            : dsa_workspace_sections(params, chain)) {
    call.add_section({section.name, section.offset, section.bytes});
  }
  return BYTEGATE_OK;
}

// The launchers of one operation: `Chain` reads the chain of a call.
template <DsaMode kMode, DsaEntry kEntry, DsaChain (*kChain)(CallReader&)>
OpLauncher launcher(std::string_view op) {
  OpLauncher launcher;
  launcher.op = op;
  launcher.workspace_bytes = [](CallReader& call, uint64_t& bytes) {
    return workspace_bytes_of_chain<kMode, kEntry>(call, kChain(call), bytes);
  };
  launcher.run_on_host = [](CallReader& call, simt::Executor& executor) {
    return run<kMode, kEntry>(call, kChain(call), HostLaunches(call, executor));
  };
#if BYTEGATE_WITH_CUDA
  launcher.run_on_cuda = [](CallReader& call) {
    return run<kMode, kEntry>(call, kChain(call), CudaLaunches(call));
  };
#endif
  return launcher;
}

DsaChain always_eager(CallReader&) {
  return DsaChain::kEager;
}

template <DsaChain (*kChain)(CallReader&)>
std::array<OpLauncher, kNumDsaOps> launchers() {
  using enum DsaMode;
  using enum DsaEntry;
  return {launcher<kDecode, kMetadata, kChain>("dsa_decode_metadata"),
          launcher<kTargetVerify, kMetadata, kChain>("dsa_target_verify_metadata"),
          launcher<kDraftExtend, kMetadata, kChain>("dsa_draft_extend_metadata"),
          launcher<kDecode, kPrecompute, kChain>("dsa_decode_precompute"),
          launcher<kTargetVerify, kPrecompute, kChain>("dsa_target_verify_precompute"),
          launcher<kDecode, kRefresh, kChain>("dsa_decode_refresh"),
          launcher<kTargetVerify, kRefresh, kChain>("dsa_target_verify_refresh"),
          launcher<kDraftExtend, kRefresh, kChain>("dsa_draft_extend_refresh")};
}

}  // namespace

std::array<OpLauncher, kNumDsaOps> dsa_launchers() {
  return launchers<read_dsa_chain>();
}

std::array<OpLauncher, kNumDsaOps> dsa_baseline_launchers() {
  return launchers<always_eager>();
}

}  // namespace bytegate
