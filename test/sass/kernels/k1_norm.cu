// A row of 4,096 per tile, normalised to mean 0 and variance 1: two reductions over the block, the row kept in scratch.
#include "mk.cuh"

// mk-node: 'encoder/norm' (LayerNormalization)
MK_ENTRY k1_compute(u32 slot, u32 seq) {
  constexpr u32 N = 4096;
  MkTask task = mk_task(slot);
  const u8 *x = mk_operand<2>(slot, 0);
  u8 *y = mk_operand<2>(slot, 1);
  for (u32 t = 0; t < task.count; ++t) {
    i64 row = i64(task.start + t * task.stride) * N;
    u8 *scratch = mk_scratch_begin();
    float sum = 0;
    for (u32 i = mk_thread(); i < N; i += MK_WORKERS) {
      float v = ld_f32(x, row + i);
      st_shared((float *)scratch + i, v);
      sum += v;
    }
    float mean = mk_block_sum(sum) * (1.f / N);
    float squares = 0;
    for (u32 i = mk_thread(); i < N; i += MK_WORKERS) {
      float d = ld_shared<float>((float *)scratch + i) - mean;
      squares = mk_fma(d, d, squares);
    }
    float variance = mk_block_sum(squares) * (1.f / N);
    float scale = mk_rcp(mk_sqrt(variance + 1e-5f));
    for (u32 i = mk_thread(); i < N; i += MK_WORKERS)
      st_f32(y, row + i, (ld_shared<float>((float *)scratch + i) - mean) * scale);
  }
  return seq;
}
