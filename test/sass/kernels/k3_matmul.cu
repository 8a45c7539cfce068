// C[64, 64 n] = A[64, 256] * B on tensor cores: A through scratch in rows of 256 + 8 (no bank conflicts), B from pages in
// the order of the mma fragments: [k16][half of n][two n8 pairs][lane][4 words]. f16, bf16 and, for the compile check, tf32.
#include "mk.cuh"

constexpr u32 K = 256, PITCH = (K + 8) * 2;
constexpr u64 TILE_BYTES = u64(K) * 64 * 2;

// mk-node: 'attention/qkv' (MatMul)
MK_ENTRY k3_load(u32 slot, u32 seq) { return mk_load_tiles<TILE_BYTES>(slot, seq, mk_operand<3>(slot, 0)); }

MK_ENTRY k3_compute(u32 slot, u32 seq) {
  MkTask task = mk_task(slot);
  const u8 *a = mk_operand<3>(slot, 1);
  u8 *c = mk_operand<3>(slot, 2);
  u32 warp = mk_warp(), m = warp & 3, half = warp >> 2, lane = mk_lane(), g = lane >> 2, q = lane & 3;
  u8 *scratch = mk_scratch_begin();
  for (u32 i = mk_thread(); i < 64 * K / 8; i += MK_WORKERS)
    st_shared(scratch + i / (K / 8) * PITCH + i % (K / 8) * 16, ld_act<uint4>(a + i * 16));
  mk_sync();
  for (u32 t = 0; t < task.count; ++t) {
    float d[4][4] = {};
#pragma unroll 1
    for (u32 p = 0; p < mk_pages_of(TILE_BYTES); ++p, ++seq) {
      const u8 *page = mk_page_take(seq);
      const u8 *rows = scratch + (m * 16 + g) * PITCH + p * 256 + q * 4;
#pragma unroll
      for (u32 k = 0; k < 8; ++k) {
        u32 fragment[4] = {ld_shared<u32>(rows + k * 32), ld_shared<u32>(rows + k * 32 + 8 * PITCH),
                           ld_shared<u32>(rows + k * 32 + 16), ld_shared<u32>(rows + k * 32 + 8 * PITCH + 16)};
#pragma unroll
        for (u32 n = 0; n < 2; ++n) {
          uint4 b = ld_page<uint4>(page + ((k * 2 + half) * 2 + n) * 512 + lane * 16);
          mma_bf16(d[2 * n], fragment, b.x, b.y);
          mma_f16(d[2 * n + 1], fragment, b.z, b.w);
        }
      }
      mk_page_give(seq);
    }
    i64 column = i64(task.start + t * task.stride) * 64 + half * 32 + q * 2;
#pragma unroll
    for (u32 n = 0; n < 4; ++n) {
      float *at = (float *)c + i64(m * 16 + g) * 1024 + column + n * 8;
      st_act(at, u64(mk_bits<u32>(d[n][0])) | u64(mk_bits<u32>(d[n][1])) << 32);
      st_act(at + 8 * 1024, u64(mk_bits<u32>(d[n][2])) | u64(mk_bits<u32>(d[n][3])) << 32);
    }
  }
  return seq;
}
