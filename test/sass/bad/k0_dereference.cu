// refused: access without a wrapper: LD
#include "mk.cuh"
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  const float *x = (const float *)mk_operand<2>(slot, 0);
  st_f32(mk_operand<2>(slot, 1), mk_thread(), x[mk_thread()]);
  return seq;
}
