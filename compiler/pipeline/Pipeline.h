//===- Pipeline.h - The passes from level 2 to variants -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "target/CudaChip.h"
#include "target/HostMachine.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace mkc {

/// Level 2 to level 2: layout, elementwise fusion, and if `packForHost` weights
/// packed for the registers of a CPU.
void addGraphPasses(mlir::OpPassManager &pm, bool packForHost = true);
/// Level 2 to level 3: kernels and dispatches.
void addKernelPasses(mlir::OpPassManager &pm);
/// Dispatches on tensors to launches on buffers.
void addBufferPasses(mlir::OpPassManager &pm);
/// Level 3 to level 4 for the host.
void addHostVariantPasses(mlir::OpPassManager &pm, HostMachine machine);

/// Level 3 to level 4 for a GPU, and for the host what runs at compile time.
void addCudaVariantPasses(mlir::OpPassManager &pm, const CudaChip &chip,
                          HostMachine machine);

/// All dialects of all levels and their translations to LLVM IR.
void registerEverything(mlir::DialectRegistry &registry);

} // namespace mkc
