// refused: call: CALL
#include "mk.cuh"
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  const u8 *x = mk_operand<2>(slot, 0);
  st_f32(mk_operand<2>(slot, 1), mk_thread(), ld_f32(x, mk_thread()) / ld_f32(x, mk_thread() + 256));
  return seq;
}
