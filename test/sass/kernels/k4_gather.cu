// Rows picked by indices from data, with a residual, a bias from weights and a mask: seven operands, so that the last two
// come from the operand table. A tile is one output row of 512.
#include "mk.cuh"

// mk-node: 'embed/Gather' (Gather)
MK_ENTRY k4_compute(u32 slot, u32 seq) {
  constexpr u32 N = 512;
  constexpr i64 TABLE_ROWS = 32000;
  MkTask task = mk_task(slot);
  const u8 *table = mk_operand<7>(slot, 0), *indices = mk_operand<7>(slot, 1), *residual = mk_operand<7>(slot, 2);
  const u8 *bias = mk_operand<7>(slot, 3), *mask = mk_operand<7>(slot, 4);
  u8 *y = mk_operand<7>(slot, 5), *picked = mk_operand<7>(slot, 6);
  for (u32 t = 0; t < task.count; ++t) {
    u32 tile = task.start + t * task.stride;
    i64 index = ld_i64(indices, tile);
    if (index < 0)
      index += TABLE_ROWS;
    bool valid = mk_check_index(slot, tile, index, TABLE_ROWS);
    for (u32 i = mk_thread(); i < N; i += MK_WORKERS) {
      float v = valid && ld_bool(mask, tile) ? ld_f16(table, index * N + i) : 0.f;
      v += ld_f32(residual, i64(tile) * N + i) + mk_load_weight<float>((const float *)bias + i);
      st_f16(y, i64(tile) * N + i, v);
    }
    if (mk_thread() == 0)
      st_i32(picked, tile, i32(index));
  }
  return seq;
}
