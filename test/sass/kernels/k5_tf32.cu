// One m16n8 product of 8 by tf32 per warp and tile, and a maximum of i64: types that the other modules leave out.
#include "mk.cuh"

// mk-node: 'score/MatMul' (MatMul)
MK_ENTRY k5_compute(u32 slot, u32 seq) {
  MkTask task = mk_task(slot);
  const u8 *a = mk_operand<4>(slot, 0), *b = mk_operand<4>(slot, 1);
  u8 *c = mk_operand<4>(slot, 2), *best = mk_operand<4>(slot, 3);
  u32 lane = mk_lane(), g = lane >> 2, q = lane & 3;
  for (u32 t = 0; t < task.count; ++t) {
    i64 tile = i64(task.start + t * task.stride) * MK_CONSUMERS + mk_warp();
    auto element = [&](i64 at) { return mk_f32_to_tf32(ld_f32(a, tile * 128 + at)); };
    u32 fragment[4] = {element(g * 8 + q), element((g + 8) * 8 + q), element(g * 8 + q + 4), element((g + 8) * 8 + q + 4)};
    float d[4] = {};
    mma_tf32(d, fragment, mk_f32_to_tf32(ld_f32(b, q * 8 + g)), mk_f32_to_tf32(ld_f32(b, (q + 4) * 8 + g)));
    i64 largest = -1;
    for (u32 i = 0; i < 4; ++i) {
      i64 at = tile * 128 + (g + i / 2 * 8) * 8 + q * 2 + i % 2;
      st_f32(c, at, d[i]);
      largest = d[i] > 0 ? at : largest;
    }
    i64 winner = mk_block_max(largest);
    if (mk_thread() == 0)
      st_i64(best, task.start + t * task.stride, winner);
  }
  return seq;
}
