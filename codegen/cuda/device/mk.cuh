//===- mk.cuh - What an emitted module includes ---------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mk_integer.cuh"
#include "mk_layout.cuh"
#include "mk_math.cuh"
#include "mk_pages.cuh"
#include "mk_record.cuh"
#include "mk_reduce.cuh"
#include "mk_scalar.cuh"
#include "mk_types.cuh"
#include "mk_values.cuh"
#include "mk_wait.cuh"
#include <mk_ptx.cuh>
