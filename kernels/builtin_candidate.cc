#include "kernels/builtin_candidate.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <new>
#include <vector>

namespace bytegate {
namespace {

using OpLaunchers = std::vector<OpLauncher>;

// What a thread keeps: the launchers and, once a host call needs it, an executor.
struct BuiltinState {
  OpLaunchers launchers;
  std::unique_ptr<simt::Executor> executor;
};

simt::ExecutorOptions executor_options(const bytegate_executor_options* asked) {
  simt::ExecutorOptions options;
  if (asked == nullptr) return options;
  if (asked->shared_limit_bytes > 0) options.shared_limit_bytes = asked->shared_limit_bytes;
  if (asked->max_switches > 0) options.max_switches = asked->max_switches;
  if (asked->arch > 0) options.arch = asked->arch;
  return options;
}

bool same_limits(const simt::ExecutorOptions& a, const simt::ExecutorOptions& b) {
  return a.shared_limit_bytes == b.shared_limit_bytes && a.max_switches == b.max_switches &&
         a.arch == b.arch;
}

simt::Executor& executor_of(BuiltinState& state, const bytegate_executor_options* asked) {
  const simt::ExecutorOptions options = executor_options(asked);
  if (state.executor == nullptr || !same_limits(state.executor->options(), options)) {
    state.executor = std::make_unique<simt::Executor>(options);
  }
  state.executor->set_seed(asked == nullptr ? 0 : asked->seed);
  return *state.executor;
}

const OpLauncher* find(const BuiltinState& state, std::string_view op) {
  const auto found = std::find_if(state.launchers.begin(), state.launchers.end(),
                                  [&](const OpLauncher& launcher) { return launcher.op == op; });
  return found == state.launchers.end() ? nullptr : &*found;
}

int32_t open_with(const OpLauncher& schedule, std::span<const OpLauncher> dsa, void** state) {
  try {
    auto opened = std::make_unique<BuiltinState>();
    opened->launchers.push_back(schedule);
    opened->launchers.insert(opened->launchers.end(), dsa.begin(), dsa.end());
    *state = opened.release();
  } catch (const std::bad_alloc&) {
    return BYTEGATE_INTERNAL_ERROR;
  }
  return BYTEGATE_OK;
}

int32_t open_production(void** state, char*, uint64_t) {
  return open_with(paged_mqa_metadata_launcher(), dsa_launchers(), state);
}

int32_t open_baseline(void** state, char*, uint64_t) {
  return open_with(paged_mqa_metadata_baseline_launcher(), dsa_baseline_launchers(), state);
}

void close_state(void* state) {
  delete static_cast<BuiltinState*>(state);
}

int32_t supports(void* state, bytegate_call* call) {
  CallReader reader(*call);
  const OpLauncher* launcher = find(*static_cast<BuiltinState*>(state), call->op);
  if (launcher == nullptr) return reader.report(BYTEGATE_UNSUPPORTED, "no such operation here");
  const bool on_cuda = call->device.device_type == kDLCUDA;
  if (on_cuda ? launcher->run_on_cuda == nullptr : launcher->run_on_host == nullptr) {
    return reader.report(BYTEGATE_UNSUPPORTED, "not built for this device");
  }
  return BYTEGATE_OK;
}

int32_t workspace_bytes(void* state, bytegate_call* call, uint64_t* bytes) {
  *bytes = 0;
  CallReader reader(*call);
  const OpLauncher* launcher = find(*static_cast<BuiltinState*>(state), call->op);
  if (launcher == nullptr || launcher->workspace_bytes == nullptr) return BYTEGATE_OK;
  try {
    return launcher->workspace_bytes(reader, *bytes);
  } catch (const std::exception& error) {
    return reader.report(BYTEGATE_INTERNAL_ERROR, error.what());
  }
}

int32_t launch(void* state, bytegate_call* call, CallReader& reader) {
  const int32_t supported = supports(state, call);
  if (supported != BYTEGATE_OK) return supported;
  BuiltinState& builtin = *static_cast<BuiltinState*>(state);
  const OpLauncher& launcher = *find(builtin, call->op);
  if (call->device.device_type == kDLCUDA) return launcher.run_on_cuda(reader);
  return launcher.run_on_host(reader, executor_of(builtin, call->executor));
}

// No exception crosses the C interface.
int32_t run(void* state, bytegate_call* call) {
  CallReader reader(*call);
  try {
    return launch(state, call, reader);
  } catch (const std::exception& error) {
    return reader.report(BYTEGATE_INTERNAL_ERROR, error.what());
  }
}

constexpr bytegate_candidate make_table(const char* name, const char* const* paths,
                                        int32_t (*open)(void**, char*, uint64_t)) {
  return {.interface_version = BYTEGATE_INTERFACE_VERSION,
          .backends = BYTEGATE_BACKEND_HOST | BYTEGATE_BACKEND_CUDA,
          .name = name,
          .version = BYTEGATE_VERSION,
          .paths = paths,
          .open = open,
          .close = close_state,
          .supports = supports,
          .workspace_bytes = workspace_bytes,
          .run = run};
}

// Of all operations together.
constexpr std::array<const char*, 6> kProductionPaths = {"tiny",  "small", "multi_block",
                                                         "fused", "eager", nullptr};

constexpr bytegate_candidate kProduction =
    make_table("production", kProductionPaths.data(), open_production);
constexpr bytegate_candidate kBaseline = make_table("baseline", nullptr, open_baseline);

}  // namespace

const bytegate_candidate& production_candidate() {
  return kProduction;
}
const bytegate_candidate& baseline_candidate() {
  return kBaseline;
}

const bytegate_candidate* builtin_candidate(std::string_view name) {
  for (const bytegate_candidate* table : {&kProduction, &kBaseline}) {
    if (table->name == name) return table;
  }
  return nullptr;
}

bool takes_every_case(std::string_view candidate) {
  return candidate == kProduction.name;
}

int32_t report_launch(CallReader& call, const simt::Status& status) {
  if (status.ok()) return BYTEGATE_OK;
  switch (status.error) {
    case simt::Error::kHang:
    case simt::Error::kDeadlock:
      return call.report(BYTEGATE_HUNG, status.message);
    case simt::Error::kBadLaunch:
    case simt::Error::kSharedMemoryLimit:
    case simt::Error::kOutOfMemory:
      return call.report(BYTEGATE_LAUNCH_FAILED, status.message);
    default:
      return call.report(BYTEGATE_FAULT, status.message);
  }
}

}  // namespace bytegate
