// Elementwise on integers: quotients and remainders of 32 and 64 bits, with divisors from data.
#include "mk.cuh"

// mk-node: 'shape/Div' (Div)
MK_ENTRY k6_compute(u32 slot, u32 seq) {
  MkTask task = mk_task(slot);
  const u8 *a = mk_operand<4>(slot, 0), *b = mk_operand<4>(slot, 1);
  u8 *wide = mk_operand<4>(slot, 2), *narrow = mk_operand<4>(slot, 3);
  for (u32 t = 0; t < task.count; ++t) {
    i64 at = i64(task.start + t * task.stride) * MK_WORKERS + mk_thread();
    i64 n = ld_i64(a, at), d = ld_i64(b, at);
    st_i64(wide, at, mk_div(n, d) + mk_rem(n, d));
    st_i32(narrow, at, mk_div(i32(n), i32(d)) ^ mk_rem(i32(n), i32(d)));
  }
  return seq;
}
