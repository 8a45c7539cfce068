//===- Report.h - Texts of refusals ---------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/format/Package.h"
#include "runtime/verify/Verify.h"

#include <string>

namespace mkrt::verify {

/// What a step of the verification found; true if it found something.
struct [[nodiscard]] Problem {
  Failure failure = Failure::None;
  std::string message;

  explicit operator bool() const { return failure != Failure::None; }
};

/// An allocation: arena, weights, state, each input and each output are apart.
struct SpaceId {
  format::Space space;
  uint16_t index;

  bool operator==(const SpaceId &) const = default;
};

/// "record 7 (queue 2, position 3, node 'Conv_0')"
std::string recordText(const format::PackageView &view, uint32_t record);

/// "the arena", "input 'x'", ...
std::string spaceText(const format::PackageView &view, SpaceId space);

/// The first tile of a record that touches a byte of a space: "tile 3 writes it
/// through operand 0".
std::string touchText(const format::PackageView &view, uint32_t record,
                      SpaceId space, int64_t byte, bool write);

} // namespace mkrt::verify
