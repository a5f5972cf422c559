/* The C interface through which everything that is tested enters: bytegate's own kernels, the
 * baseline, the canaries, and kernels built elsewhere into a shared library.
 *
 * A shared library exports one function,
 *
 *     const bytegate_candidate* bytegate_get_candidate(void);
 *
 * and needs nothing of bytegate but this header and DLPack's. No exception may cross the interface,
 * no function may print, exit or synchronise more than its stream. Every pointer handed in lives
 * until the call returns; every string handed out must live as long as the library is loaded,
 * except `message`, which is written into the caller's buffer.
 */
#ifndef BYTEGATE_KERNELS_CANDIDATE_H_
#define BYTEGATE_KERNELS_CANDIDATE_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when any struct below changes its meaning or loses a field. A library built with another
 * version is refused by name, never guessed at. */
#define BYTEGATE_INTERFACE_VERSION 1
#define BYTEGATE_ENTRY_POINT "bytegate_get_candidate"

/* Status of `supports`, `workspace_bytes`, `open` and `run`. Any other value is an internal error.
 */
enum {
  BYTEGATE_OK = 0,
  BYTEGATE_INVALID_ARGUMENT = 1, /* the call is outside the contract; nothing was launched */
  BYTEGATE_UNSUPPORTED = 2,      /* inside the contract, but this candidate does not take it */
  BYTEGATE_LAUNCH_FAILED = 3,    /* the device refused or failed the launch */
  BYTEGATE_FAULT = 4,            /* host executor: the kernel did something no GPU allows */
  BYTEGATE_HUNG = 5,             /* host executor: the kernel cannot end */
  BYTEGATE_INTERNAL_ERROR = 6
};

/* Bits of bytegate_candidate.backends. */
enum { BYTEGATE_BACKEND_HOST = 1, BYTEGATE_BACKEND_CUDA = 2 };

typedef struct bytegate_scalar {
  const char* name; /* as in the operation's contract */
  int64_t value;    /* a contract variant is passed as the index of its name */
} bytegate_scalar;

typedef struct bytegate_tensor {
  const char* name;
  /* NULL: an optional tensor that is left out. Otherwise shape and strides are always given, in
   * elements; byte_offset is 0; data is NULL if and only if there are no elements, and aligned to
   * the element only. int32 is {kDLInt, 32, 1}, int64 {kDLInt, 64, 1}. */
  const DLTensor* tensor;
} bytegate_tensor;

/* A part of the workspace that `run` uses. Whatever lies in no part of it must keep its bytes: a
 * candidate that leaves room between the parts learns of a store past one of them, which would
 * else spoil the next one unseen. */
typedef struct bytegate_workspace_section {
  const char* name;
  uint64_t offset; /* bytes, from the first byte of the workspace */
  uint64_t bytes;
} bytegate_workspace_section;

/* How to run a host build that stands on bytegate's SIMT executor; others ignore it. */
typedef struct bytegate_executor_options {
  uint64_t seed;               /* order of lanes and blocks; 0: natural */
  uint64_t shared_limit_bytes; /* per block; 0: 48 KiB */
  uint64_t max_switches;       /* after which a launch counts as hung; 0: the executor's default */
  int32_t arch;                /* 80, 86, 89, 90, 100 or 120; 0: 90 */
  int32_t reserved;
} bytegate_executor_options;

typedef struct bytegate_call {
  uint64_t struct_bytes; /* sizeof(bytegate_call) of the caller */

  const char* op;
  const bytegate_scalar* scalars; /* every scalar of the contract, in its order */
  uint64_t num_scalars;
  const bytegate_tensor* tensors; /* every tensor of the contract, in its order */
  uint64_t num_tensors;

  DLDevice device;          /* kDLCPU or kDLCUDA: where all tensors and the workspace are */
  void* stream;             /* cudaStream_t; NULL on the host */
  void* workspace;          /* 16-byte aligned, arbitrary contents; NULL if its size is 0 */
  uint64_t workspace_bytes; /* as answered by bytegate_candidate.workspace_bytes */

  /* NULL: the candidate chooses. Otherwise the dispatch path to take; one that it does not have, or
   * that cannot take the call, is refused. Given only to candidates that list their paths. */
  const char* forced_path;
  const bytegate_executor_options* executor; /* NULL: defaults */

  /* Out. */
  const char* path_taken; /* optional: the dispatch path that `run` took */
  char* message;          /* optional: why the status is not OK, NUL-terminated, in message_bytes */
  uint64_t message_bytes;

  /* Out, of bytegate_candidate.workspace_bytes alone; there only if struct_bytes reaches behind
   * num_sections. Optional: a candidate that names no section uses the whole workspace. No two may
   * overlap, and none may reach beyond the bytes asked for. */
  bytegate_workspace_section* sections; /* room for max_sections; NULL: nobody asks */
  uint64_t max_sections;
  uint64_t num_sections; /* how many were named; 0 before the call */
} bytegate_call;

typedef struct bytegate_candidate {
  uint32_t interface_version; /* BYTEGATE_INTERFACE_VERSION the library was built with */
  uint32_t backends;          /* BYTEGATE_BACKEND_* */
  const char* name;
  const char* version; /* free text, for reports */

  /* Optional: the dispatch paths that can be forced, ended by NULL. */
  const char* const* paths;

  /* Optional. What a thread keeps between calls. `open` must not touch a device: it may be called
   * in a process that later forks the worker which does; `state` is then handed to every function.
   * One state is never used by two threads at once. */
  int32_t (*open)(void** state, char* message, uint64_t message_bytes);
  void (*close)(void* state);

  /* BYTEGATE_OK or BYTEGATE_UNSUPPORTED, from op, scalars, shapes, dtypes and strides alone: data
   * pointers are NULL here and in `workspace_bytes`. Optional: absent means everything. */
  int32_t (*supports)(void* state, bytegate_call* call);
  /* Bytes of workspace that `run` needs for such a call. Optional: absent means 0. */
  int32_t (*workspace_bytes)(void* state, bytegate_call* call, uint64_t* bytes);
  /* Checks what the host can see, then launches on call->stream, and returns without waiting. */
  int32_t (*run)(void* state, bytegate_call* call);
} bytegate_candidate;

#ifdef _WIN32
#define BYTEGATE_EXPORT __declspec(dllexport)
#else
#define BYTEGATE_EXPORT __attribute__((visibility("default")))
#endif

typedef const bytegate_candidate* (*bytegate_get_candidate_function)(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BYTEGATE_KERNELS_CANDIDATE_H_ */
