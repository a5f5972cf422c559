#include "kernels/testing/hostile_acts.h"

#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "kernels/simt/cuda_names.h"
#include "kernels/testing/faulty_kernels.h"

namespace bytegate {
namespace {

// Opaque to the compiler, which would otherwise make use of what is undefined here.
template <typename T>
T* hidden(T* pointer) {
  asm volatile("" : "+r"(pointer));
  return pointer;
}

[[gnu::noinline]] int recurse(volatile char* caller, int64_t depth) {
  volatile char frame[4096];
  frame[0] = caller == nullptr ? '\0' : *caller;
  if (depth == INT64_MAX) return 0;
  return recurse(hidden(frame), depth + 1) + frame[0];
}

[[noreturn]] void loop() {
  volatile int turns = 0;
  while (true) turns = turns + 1;
}

void free_twice() {
  void* volatile block = std::malloc(2000);
  std::free(block);
  std::free(block);
}

void take_all_memory() {
  std::vector<void*> blocks;
  while (true) {
    constexpr size_t kBlock = size_t{32} << 20;
    void* block = std::malloc(kBlock);
    if (block == nullptr) return;
    std::memset(hidden(block), 1, kBlock);
    blocks.push_back(block);
  }
}

// The sanitizers would end the process in their own way.
__attribute__((no_sanitize("address", "undefined"))) void end_process(Hostility hostility) {
  switch (hostility) {
    case Hostility::kAbort:
      std::abort();
    case Hostility::kThrow:
      throw std::runtime_error("thrown across the interface");
    case Hostility::kExitZero:
      std::exit(0);
    case Hostility::kCrash:
      *hidden(static_cast<volatile int*>(nullptr)) = 1;
      break;
    case Hostility::kWildWrite:
      *hidden(reinterpret_cast<volatile int*>(uintptr_t{0x7000'0000'0000})) = 1;
      break;
    case Hostility::kOverflowStack:
      recurse(nullptr, 0);
      break;
    case Hostility::kTrap:
      __builtin_trap();
    case Hostility::kKillItself:
      raise(SIGKILL);
      break;
    case Hostility::kFreeTwice:
      free_twice();
      break;
    case Hostility::kLoop:
      loop();
    case Hostility::kSleep:
      while (true) pause();
    case Hostility::kTakeAllMemory:
      take_all_memory();
      break;
    default:
      break;
  }
}

}  // namespace

int32_t act_on_process(Hostility hostility, bytegate_call* call) {
  switch (hostility) {
    case Hostility::kRefuse:
      std::snprintf(call->message, call->message_bytes, "not today");
      return BYTEGATE_INVALID_ARGUMENT;
    case Hostility::kFail:
      return BYTEGATE_LAUNCH_FAILED;
    case Hostility::kAnswerNonsense:
      return 12345;
    case Hostility::kNameWildPath:
      call->path_taken = reinterpret_cast<const char*>(uintptr_t{0x7000'0000'0000});
      return BYTEGATE_OK;
    case Hostility::kPrint:
      std::printf("hello from a candidate\n");
      return BYTEGATE_OK;
    case Hostility::kComplain:
      std::fprintf(stderr, "warning: a candidate\n");
      return BYTEGATE_OK;
    default:
      end_process(hostility);
      return BYTEGATE_OK;
  }
}

int32_t act_on_executor(Hostility hostility, bytegate_call* call) {
  CallReader reader(*call);
  switch (hostility) {
    case Hostility::kDivergeAtBarrier:
      return run_diverging_kernel(reader);
    case Hostility::kWaitForNobody:
      return run_waiting_kernel(reader);
    case Hostility::kOverrunSharedMemory:
      return run_overrunning_kernel(reader);
    default:
      return run_misaligned_kernel(reader);
  }
}

std::string own_library_name() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&own_library_name), &info) == 0) return "";
  return std::filesystem::path(info.dli_fname).stem().string();
}

}  // namespace bytegate
