//===- Families.h - The parts of the table of operators -------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/conversion/OnnxToNn/OpTable.h"

#include <vector>

namespace mkc {

// Each family's file adds its rows to the table.
void addActivations(std::vector<OpEntry> &table);
void addArithmetic(std::vector<OpEntry> &table);
void addLogic(std::vector<OpEntry> &table);
void addReductions(std::vector<OpEntry> &table);
void addNormalizations(std::vector<OpEntry> &table);
void addMatMuls(std::vector<OpEntry> &table);
void addConvolutions(std::vector<OpEntry> &table);
void addPooling(std::vector<OpEntry> &table);
void addShapeOps(std::vector<OpEntry> &table);
void addDataOps(std::vector<OpEntry> &table);
void addPad(std::vector<OpEntry> &table);
void addConstants(std::vector<OpEntry> &table);

} // namespace mkc
