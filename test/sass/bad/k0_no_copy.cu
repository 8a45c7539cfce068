// refused: k0_load: no copy
#include "mk.cuh"
MK_ENTRY k0_load(u32 slot, u32 seq) { return seq + mk_load_task(slot).count; }
MK_ENTRY k0_compute(u32 slot, u32 seq) {
  for (u32 t = 0; t < mk_task(slot).count; ++t, ++seq) {
    st_f32(mk_operand<2>(slot, 1), t * 256 + mk_thread(), ld_page<float>(mk_page_take(seq) + mk_thread() * 4));
    mk_page_give(seq);
  }
  return seq;
}
