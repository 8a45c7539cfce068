// refused: access without a wrapper: ST
#include "mk.cuh"
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  float *y = (float *)mk_operand<2>(slot, 1);
  y[mk_thread()] = ld_f32(mk_operand<2>(slot, 0), mk_thread());
  return seq;
}
