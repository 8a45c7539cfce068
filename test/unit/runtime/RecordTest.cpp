//===- RecordTest.cpp - Records, operands, parameter slots ----------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/Record.h"

#include <gtest/gtest.h>

using namespace mkrt::format;

TEST(OperandRef, KeepsItsFields) {
  for (Space space : {Space::Arena, Space::Weights, Space::State, Space::Input,
                      Space::Output})
    for (unsigned index : {0u, 1u, 65535u})
      for (uint64_t offset :
           {uint64_t(0), uint64_t(64), OperandRef::kMaxOffset}) {
        OperandRef ref(space, uint16_t(index), offset);
        OperandRef again(ref.bits());
        EXPECT_EQ(again.space(), space);
        EXPECT_EQ(again.index(), index);
        EXPECT_EQ(again.offset(), offset);
      }
}

TEST(ParameterSlot, KeepsItsFields) {
  ParameterSlot none;
  EXPECT_EQ(none.bits(), 0);
  EXPECT_EQ(none.kind(), ParameterSlot::Kind::None);
  ParameterSlot slot(ParameterSlot::Kind::Extent, ParameterSlot::kMaxSlot);
  EXPECT_EQ(ParameterSlot(slot.bits()).kind(), ParameterSlot::Kind::Extent);
  EXPECT_EQ(ParameterSlot(slot.bits()).slot(), ParameterSlot::kMaxSlot);
}
