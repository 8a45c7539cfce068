// Elementwise, in place of any operator without reduction: y = x / (1 + 2^-x), x read as f32, written as bf16.
// A tile is 1,024 elements.
#include "mk.cuh"

// mk-node: 'act/Silu' (Mul)
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  MkTask task = mk_task(slot);
  const u8 *x = mk_operand<2>(slot, 0);
  u8 *y = mk_operand<2>(slot, 1);
  for (u32 t = 0; t < task.count; ++t) {
    i64 at = i64(task.start + t * task.stride) * 1024 + mk_thread() * 4;
    uint4 v = ld_act<uint4>((const float *)x + at);
    u32 bits[4] = {v.x, v.y, v.z, v.w};
    float r[4];
#pragma unroll
    for (u32 j = 0; j < 4; ++j) {
      float e = mk_bits<float>(bits[j]);
      r[j] = mk_div(e, 1.f + mk_exp2_approx(-e));
    }
    u64 out = mk_bf16_pair(r[0], r[1]) | u64(mk_bf16_pair(r[2], r[3])) << 32;
    st_act((u16 *)y + at, out);
  }
  return seq;
}
