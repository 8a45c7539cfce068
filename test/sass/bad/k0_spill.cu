// refused: spill in a loop
#include "mk.cuh"
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  constexpr u32 N = 220; // accumulators, more than there are registers
  const u8 *x = mk_operand<2>(slot, 0);
  float sum[N] = {};
#pragma unroll 1
  for (u32 t = 0; t < mk_task(slot).count; ++t)
#pragma unroll
    for (u32 i = 0; i < N; ++i)
      sum[i] = mk_fma(sum[i], ld_f32(x, t), ld_f32(x, t * 256 + i));
#pragma unroll
  for (u32 i = 0; i < N; ++i)
    st_f32(mk_operand<2>(slot, 1), i * 256 + mk_thread(), sum[i]);
  return seq;
}
