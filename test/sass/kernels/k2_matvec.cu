// Batch-1 matrix-vector: 16 rows of 1,024 bf16 weights per tile, 32 KB in two pages; the vector in registers.
#include "mk.cuh"

constexpr u32 K = 1024, ROWS = 16, ROW_BYTES = K * 2;
constexpr u64 TILE_BYTES = u64(ROWS) * ROW_BYTES;
constexpr u32 PAGE_ROWS = MK_PAGE / ROW_BYTES;

// mk-node: 'lm_head' (MatMul)
MK_ENTRY k2_load(u32 slot, u32 seq) { return mk_load_tiles<TILE_BYTES>(slot, seq, mk_operand<3>(slot, 0)); }

MK_DEV float dot_row(const float (&x)[K / 32], const u8 *row) {
  float even = 0, odd = 0;
#pragma unroll
  for (u32 j = 0; j < K / 256; ++j) {
    uint4 w = ld_page<uint4>(row + (j * 32 + mk_lane()) * 16);
    u32 words[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
    for (u32 h = 0; h < 4; ++h) {
      even = mk_fma(mk_bf16_half(words[h], 0), x[j * 8 + 2 * h], even);
      odd = mk_fma(mk_bf16_half(words[h], 1), x[j * 8 + 2 * h + 1], odd);
    }
  }
  return mk_warp_sum(even + odd);
}

MK_ENTRY k2_compute(u32 slot, u32 seq) {
  MkTask task = mk_task(slot);
  const u8 *vector = mk_operand<3>(slot, 1);
  u8 *y = mk_operand<3>(slot, 2);
  float x[K / 32];
#pragma unroll
  for (u32 j = 0; j < K / 128; ++j) {
    uint4 v = ld_act<uint4>(vector + ((j / 2 * 32 + mk_lane()) * 2 + j % 2) * 16);
    x[j * 4] = mk_bits<float>(v.x), x[j * 4 + 1] = mk_bits<float>(v.y);
    x[j * 4 + 2] = mk_bits<float>(v.z), x[j * 4 + 3] = mk_bits<float>(v.w);
  }
#pragma unroll 1
  for (u32 t = 0; t < task.count; ++t)
#pragma unroll 1
    for (u32 p = 0; p < mk_pages_of(TILE_BYTES); ++p, ++seq) {
      const u8 *page = mk_page_take(seq);
      float sum = dot_row(x, page + mk_warp() * ROW_BYTES);
      mk_page_give(seq); // before the store: the loader is waiting for it
      if (mk_lane() == 0)
        st_f32(y, i64(task.start + t * task.stride) * ROWS + p * PAGE_ROWS + mk_warp(), sum);
    }
  return seq;
}
