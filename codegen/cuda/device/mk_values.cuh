//===- mk_values.cuh - Elements of tensors in global memory ---------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <mk_ptx.cuh>

MK_DEV float mk_to_f32(f16 x) { return mk_f16_to_f32(x); }
MK_DEV float mk_to_f32(bf16 x) { return mk_bits<float>(u32(x.bits) << 16); }

/// Halves of a word that holds two elements: 0 is the lower address.
MK_DEV float mk_f16_half(u32 pair, u32 half) {
  return mk_to_f32(f16{u16(pair >> 16 * half)});
}
MK_DEV float mk_bf16_half(u32 pair, u32 half) {
  return mk_bits<float>(half ? pair & 0xffff0000u : pair << 16);
}
MK_DEV u32 mk_f16_pair(float low, float high) {
  return mk_f32_to_f16(low).bits | u32(mk_f32_to_f16(high).bits) << 16;
}
MK_DEV u32 mk_bf16_pair(float low, float high) {
  return mk_f32_to_bf16(low).bits | u32(mk_f32_to_bf16(high).bits) << 16;
}

/// Element `i` of an activation.
MK_DEV float ld_f32(const void *p, i64 i) {
  return ld_act<float>((const float *)p + i);
}
MK_DEV float ld_f16(const void *p, i64 i) {
  return mk_to_f32(ld_act<f16>((const f16 *)p + i));
}
MK_DEV float ld_bf16(const void *p, i64 i) {
  return mk_to_f32(ld_act<bf16>((const bf16 *)p + i));
}
MK_DEV double ld_f64(const void *p, i64 i) {
  return ld_act<double>((const double *)p + i);
}
MK_DEV i32 ld_i32(const void *p, i64 i) {
  return ld_act<i32>((const i32 *)p + i);
}
MK_DEV i64 ld_i64(const void *p, i64 i) {
  return ld_act<i64>((const i64 *)p + i);
}
/// A byte per element; any nonzero is true.
MK_DEV bool ld_bool(const void *p, i64 i) {
  return ld_act<u8>((const u8 *)p + i) != 0;
}

MK_DEV void st_f32(void *p, i64 i, float v) { st_act((float *)p + i, v); }
MK_DEV void st_f16(void *p, i64 i, float v) {
  st_act((f16 *)p + i, mk_f32_to_f16(v));
}
MK_DEV void st_bf16(void *p, i64 i, float v) {
  st_act((bf16 *)p + i, mk_f32_to_bf16(v));
}
MK_DEV void st_f64(void *p, i64 i, double v) { st_act((double *)p + i, v); }
MK_DEV void st_i32(void *p, i64 i, i32 v) { st_act((i32 *)p + i, v); }
MK_DEV void st_i64(void *p, i64 i, i64 v) { st_act((i64 *)p + i, v); }
MK_DEV void st_bool(void *p, i64 i, bool v) { st_act((u8 *)p + i, u8(v)); }
