// refused: barrier of all warps
#include "mk.cuh"
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  st_shared(mk_scratch_begin() + mk_thread() * 4, ld_f32(mk_operand<2>(slot, 0), mk_thread()));
  __syncthreads();
  st_f32(mk_operand<2>(slot, 1), mk_thread(), ld_shared<float>(mk_scratch() + (mk_thread() ^ 1) * 4));
  return seq;
}
