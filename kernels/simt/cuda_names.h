#pragma once

// The one header a kernel body includes. Under nvcc CUDA's own names are in reach already; under a
// host compiler the same names mean the same on the SIMT executor, for the lane that is running:
//
//   threadIdx blockIdx blockDim gridDim warpSize
//   __syncthreads[_count|_and|_or] __syncwarp __threadfence[_block|_system] __nanosleep
//   __shfl[_up|_down|_xor]_sync __ballot_sync __any_sync __all_sync __match_any_sync
//   __reduce_{add,min,max,and,or,xor}_sync __activemask
//   atomic{Add,Sub,Min,Max,And,Or,Xor,Exch,CAS,Inc,Dec} __ldg
//   __popc __popcll __ffs __ffsll __clz __clzll __brev __brevll
//   dim3 int2 int4 uint2 uint4 longlong2 ulonglong2 float2 float4 make_*
//
// Where CUDA leaves a result undefined the host gives a poison pattern (a shuffle from a lane
// outside the mask) or the least that CUDA promises (__activemask is the calling lane alone). A
// spin loop must contain an atomic, a fence, __nanosleep or load_acquire; under a host compiler
// nothing else lets other lanes run. atomics and fences are sequentially consistent there.
//
// BYTEGATE_DEVICE stands before every function of a kernel; it says `inline` already.
//
// Neutral names, the same in both worlds, in bytegate::simt:
//
//   T load_aligned<T>(const void*)          one load of a whole T; alignment is checked on the host
//   void store_aligned<T>(void*, const T&)  likewise
//   T load_acquire(const T*), void store_release(T*, T)    device scope; T of 4 or 8 bytes
//   T* dynamic_shared<T>()                  dynamic shared memory, 128-byte aligned
//   int architecture()                      80, 86, 89, 90, 100, 120

#ifdef __CUDACC__
#include "kernels/simt/device_names.h"
#else
#include "kernels/simt/host_atomics.h"
#include "kernels/simt/host_names.h"
#include "kernels/simt/host_vectors.h"
#endif
