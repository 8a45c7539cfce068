//===- mk_ptx.cuh - Everything that only a GPU can do ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine interface: no other device file and no emitted module names a
// CUDA built-in or writes PTX. The simulator puts a file of the same name, with
// the same functions, before this one in its include path; so this one is
// included with <>.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_types.cuh"

#define MK_DEV __device__ __forceinline__
/// Entry points of kernels: `MK_ENTRY k0_compute(u32 slot, u32 seq) { ... }`.
#define MK_ENTRY extern "C" __device__ __noinline__ u32
/// The persistent kernel itself.
#define MK_KERNEL                                                              \
  extern "C" __global__ void __launch_bounds__(mkrt::format::kBlockThreads, 1)
#define MK_PARAMETER const __grid_constant__

template <> struct MkWord<16> {
  using type = uint4;
};

//===----------------------------------------------------------------------===//
// Who and when
//===----------------------------------------------------------------------===//

MK_DEV u32 mk_thread() { return threadIdx.x; }
MK_DEV u32 mk_lane() { return threadIdx.x & 31; }
MK_DEV u32 mk_warp() { return threadIdx.x >> 5; }
MK_DEV u32 mk_block() { return blockIdx.x; }
MK_DEV u32 mk_blocks() { return gridDim.x; }
MK_DEV u32 mk_sm() {
  u32 sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
/// Clocks of this SM.
MK_DEV u64 mk_clock() {
  u64 t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
/// Nanoseconds, the same on all SMs; some chips count in steps of 1,000.
MK_DEV u64 mk_nanoseconds() {
  u64 t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}
/// Gives the issue slots away for about that long.
MK_DEV void mk_pause(u32 nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds) : "memory");
}
/// Tells the simulator which record this warp works on.
MK_DEV void mk_at(u32 rank) {}

//===----------------------------------------------------------------------===//
// Warp and block
//===----------------------------------------------------------------------===//

MK_DEV void warp_sync() { __syncwarp(); }
MK_DEV bool warp_all(bool value) { return __all_sync(MK_ALL_LANES, value); }
MK_DEV bool warp_any(bool value) { return __any_sync(MK_ALL_LANES, value); }
MK_DEV u32 warp_ballot(bool value) {
  return __ballot_sync(MK_ALL_LANES, value);
}
MK_DEV u32 warp_shuffle_xor(u32 value, u32 mask) {
  return __shfl_xor_sync(MK_ALL_LANES, value, mask);
}
MK_DEV u32 warp_shuffle(u32 value, u32 lane) {
  return __shfl_sync(MK_ALL_LANES, value, lane);
}
/// Barrier of the consumer warps: the only one that kN_compute may use.
MK_DEV void mk_sync() {
  asm volatile("bar.sync 1, %0;" ::"n"(MK_WORKERS) : "memory");
}
/// Barrier of all warps; used once, at the entry of mk_main.
MK_DEV void block_sync() { __syncthreads(); }

//===----------------------------------------------------------------------===//
// Shared memory and its barriers
//===----------------------------------------------------------------------===//

extern __shared__ __align__(128) u8 mk_dynamic_shared[];
MK_DEV u8 *mk_shared() { return mk_dynamic_shared; }
MK_DEV u32 mk_shared_address(const void *p) {
  return u32(__cvta_generic_to_shared(p));
}

MK_DEV void mbar_init(u64 *barrier, u32 arrivals) {
  asm volatile(
      "mbarrier.init.shared.b64 [%0], %1;" ::"r"(mk_shared_address(barrier)),
      "r"(arrivals)
      : "memory");
}
/// Release within the block.
MK_DEV void mbar_arrive(u64 *barrier) {
  [[maybe_unused]] u64 state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state)
               : "r"(mk_shared_address(barrier))
               : "memory");
}
/// Whether the phase with that parity is over; acquire within the block.
MK_DEV bool mbar_test(u64 *barrier, u32 parity) {
  u32 over;
  asm volatile("{ .reg .pred p;\n"
               "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(mk_shared_address(barrier)), "r"(parity)
               : "memory");
  return over;
}
/// The same, but may suspend the thread for a while first: for who has nothing
/// else to do.
MK_DEV bool mbar_try(u64 *barrier, u32 parity) {
#if MK_BULK
  u32 over;
  asm volatile("{ .reg .pred p;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p; }"
               : "=r"(over)
               : "r"(mk_shared_address(barrier)), "r"(parity)
               : "memory");
  return over;
#else
  return mbar_test(barrier, parity);
#endif
}

/// Ordinary accesses to shared memory: scratch and the header.
template <class T> MK_DEV T ld_shared(const void *p) { return *(const T *)p; }
template <class T> MK_DEV void st_shared(void *p, T value) { *(T *)p = value; }
/// Reads of a page between mk_page_take and mk_page_give. Nothing writes pages
/// but the loader's copies.
template <class T> MK_DEV T ld_page(const void *p) { return *(const T *)p; }

/// One word that other threads change or read at any time: shared memory, or
/// memory that the host sees. No order.
MK_DEV u32 ld_volatile(const u32 *p) { return *(const volatile u32 *)p; }
MK_DEV void st_volatile(u32 *p, u32 value) { *(volatile u32 *)p = value; }
/// Orders writes to memory that the host sees.
MK_DEV void fence_system() { __threadfence_system(); }

//===----------------------------------------------------------------------===//
// Counters and the abort flag
//===----------------------------------------------------------------------===//

MK_DEV u32 ld_acquire(const u32 *p) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(p)
               : "memory");
  return value;
}
MK_DEV u32 ld_relaxed(const u32 *p) {
  u32 value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(p)
               : "memory");
  return value;
}
MK_DEV void red_release(u32 *p, u32 amount) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(p), "r"(amount)
               : "memory");
}
/// The value before; `desired` is stored if that was `expected`.
MK_DEV u32 cas_relaxed(u32 *p, u32 expected, u32 desired) {
  u32 before;
  asm volatile("atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(p), "r"(expected), "r"(desired)
               : "memory");
  return before;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies into shared memory, by all lanes of one warp
//===----------------------------------------------------------------------===//

/// Arrivals that complete a phase of a copy's barrier.
constexpr u32 MK_COPY_ARRIVALS = MK_BULK ? 1 : 32;

/// Before the copies that the phase counts: announces their bytes.
MK_DEV void copy_begin(u64 *full, u32 bytes) {
#if MK_BULK
  [[maybe_unused]] u64 state;
  if (mk_lane() == 0)
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                 : "=l"(state)
                 : "r"(mk_shared_address(full)), "r"(bytes)
                 : "memory");
#endif
}
/// Global to shared; both addresses and `bytes` are multiples of 16.
MK_DEV void copy_issue(void *to, const void *from, u32 bytes, u64 *full) {
#if MK_BULK
  if (mk_lane() == 0)
    asm volatile(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
        "[%0], [%1], %2, [%3];" ::"r"(mk_shared_address(to)),
        "l"(from), "r"(bytes), "r"(mk_shared_address(full))
        : "memory");
#else
  for (u32 i = mk_lane() * 16; i < bytes; i += 512)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     mk_shared_address(to) + i),
                 "l"((const u8 *)from + i)
                 : "memory");
#endif
}
/// After them: the phase is over when they have landed.
MK_DEV void copy_end(u64 *full) {
#if !MK_BULK
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                   mk_shared_address(full))
               : "memory");
#endif
}
/// Ordinary accesses before, bulk copies after. Never the form without a state
/// space: it adds a device-wide barrier.
MK_DEV void fence_async_global() {
#if MK_BULK
  asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}
MK_DEV void fence_async_shared() {
#if MK_BULK
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// One access of 1, 2, 4, 8 or 16 bytes. The operands of the asm need a
/// different constraint for each width.
#define MK_LOAD(NAME, PTX, QUALIFIERS, CLOBBER)                                \
  MK_DEV void NAME(u8 &v, const void *p) {                                     \
    u32 wide;                                                                  \
    asm QUALIFIERS(PTX ".u8 %0, [%1];" : "=r"(wide) : "l"(p)CLOBBER);          \
    v = u8(wide);                                                              \
  }                                                                            \
  MK_DEV void NAME(u16 &v, const void *p) {                                    \
    asm QUALIFIERS(PTX ".u16 %0, [%1];" : "=h"(v) : "l"(p)CLOBBER);            \
  }                                                                            \
  MK_DEV void NAME(u32 &v, const void *p) {                                    \
    asm QUALIFIERS(PTX ".u32 %0, [%1];" : "=r"(v) : "l"(p)CLOBBER);            \
  }                                                                            \
  MK_DEV void NAME(u64 &v, const void *p) {                                    \
    asm QUALIFIERS(PTX ".u64 %0, [%1];" : "=l"(v) : "l"(p)CLOBBER);            \
  }                                                                            \
  MK_DEV void NAME(uint4 &v, const void *p) {                                  \
    asm QUALIFIERS(PTX ".v4.u32 {%0, %1, %2, %3}, [%4];"                       \
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)                \
                   : "l"(p)CLOBBER);                                           \
  }
#define MK_MEMORY_CLOBBER : "memory"
#define MK_NO_CLOBBER
MK_LOAD(mk_ptx_load, "ld.global", volatile, MK_MEMORY_CLOBBER)
MK_LOAD(mk_ptx_load_weight, "ld.global.nc.L2::128B", , MK_NO_CLOBBER)
#undef MK_LOAD
#undef MK_MEMORY_CLOBBER
#undef MK_NO_CLOBBER

MK_DEV void mk_ptx_store(void *p, u8 v) {
  asm volatile("st.global.u8 [%0], %1;" ::"l"(p), "r"(u32(v)) : "memory");
}
MK_DEV void mk_ptx_store(void *p, u16 v) {
  asm volatile("st.global.u16 [%0], %1;" ::"l"(p), "h"(v) : "memory");
}
MK_DEV void mk_ptx_store(void *p, u32 v) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
MK_DEV void mk_ptx_store(void *p, u64 v) {
  asm volatile("st.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
MK_DEV void mk_ptx_store(void *p, uint4 v) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x),
               "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

/// Activations: anything that a task of this run may write. Never read-only.
template <class T> MK_DEV T ld_act(const void *p) {
  typename MkWord<sizeof(T)>::type word;
  mk_ptx_load(word, p);
  return mk_bits<T>(word);
}
template <class T> MK_DEV void st_act(void *p, T value) {
  mk_ptx_store(p, mk_bits<typename MkWord<sizeof(T)>::type>(value));
}
/// Weights, through the read-only path. Only for operands in the weights space.
/// The prefetch of 128 bytes also marks the instruction: the check of the SASS
/// refuses any other read-only load.
template <class T> MK_DEV T mk_load_weight(const void *p) {
  typename MkWord<sizeof(T)>::type word;
  mk_ptx_load_weight(word, p);
  return mk_bits<T>(word);
}
/// Tables that are constant during a run: records, queues, parameters.
template <class T> MK_DEV T ld_plan(const T *p) {
  typename MkWord<sizeof(T)>::type word;
  mk_ptx_load(word, p);
  return mk_bits<T>(word);
}
/// The entry of the kernel clears counters of the next run's bank.
MK_DEV void st_counter(u32 *p, u32 value) { mk_ptx_store(p, value); }

//===----------------------------------------------------------------------===//
// Arithmetic that C++ has no operator for. Modules are compiled with
// --fmad=false: products and sums are fused only here.
//===----------------------------------------------------------------------===//

MK_DEV float mk_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
MK_DEV double mk_fma(double a, double b, double c) { return __fma_rn(a, b, c); }
MK_DEV u32 mk_mul_high(u32 a, u32 b) { return __umulhi(a, b); }
MK_DEV u64 mk_mul_high(u64 a, u64 b) { return __umul64hi(a, b); }

/// Approximations, with the errors that PTX states; denormals are flushed.
MK_DEV float mk_rcp_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
MK_DEV double mk_rcp_approx(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
MK_DEV float mk_rsqrt_approx(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
MK_DEV float mk_exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
MK_DEV float mk_log2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// To whole numbers: down, up, towards zero, to the nearest and even.
#define MK_ROUND(NAME, MODE)                                                   \
  MK_DEV float NAME(float x) {                                                 \
    float y;                                                                   \
    asm("cvt." MODE ".f32.f32 %0, %1;" : "=f"(y) : "f"(x));                    \
    return y;                                                                  \
  }                                                                            \
  MK_DEV double NAME(double x) {                                               \
    double y;                                                                  \
    asm("cvt." MODE ".f64.f64 %0, %1;" : "=d"(y) : "d"(x));                    \
    return y;                                                                  \
  }
MK_ROUND(mk_floor, "rmi")
MK_ROUND(mk_ceil, "rpi")
MK_ROUND(mk_trunc, "rzi")
MK_ROUND(mk_round_even, "rni")
#undef MK_ROUND
/// A NaN if one operand is.
MK_DEV float mk_max(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
MK_DEV float mk_min(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
/// Conversions round to nearest, ties to even.
MK_DEV float mk_f16_to_f32(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
MK_DEV f16 mk_f32_to_f16(float x) {
  u16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return f16{y};
}
MK_DEV bf16 mk_f32_to_bf16(float x) {
  u16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return bf16{y};
}
/// To the nearest tf32, ties away from zero; the bits of an f32.
MK_DEV u32 mk_f32_to_tf32(float x) {
  u32 y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}

//===----------------------------------------------------------------------===//
// Tensor cores: d += a * b, fragments as in the PTX manual
//===----------------------------------------------------------------------===//

/// m16n8k16; a and b hold pairs of f16.
MK_DEV void mma_f16(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// m16n8k16; a and b hold pairs of bf16.
MK_DEV void mma_bf16(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
/// m16n8k8; a and b hold results of mk_f32_to_tf32.
MK_DEV void mma_tf32(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
