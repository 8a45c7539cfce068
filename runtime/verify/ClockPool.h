//===- ClockPool.h - Rows of positions, one per lane ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mkrt::verify {

/// A row: per lane (queue with records), a position + 1, or 0 for none. As a
/// clock of a record: up to where it is ordered behind that lane.
using Row = uint32_t *;

/// Recycles rows of one width.
class ClockPool {
public:
  /// Rows are padded so that they are handled in blocks.
  explicit ClockPool(uint32_t width);

  uint32_t width() const { return width_; }
  /// Of all rows that were ever taken.
  uint64_t bytes() const;
  /// A row of zeros.
  Row take();
  Row takeCopy(const uint32_t *from);
  /// Gives a row back; null is allowed. Sets `row` to null.
  void give(Row &row);

  /// to = max(to, from), per lane.
  void join(Row to, const uint32_t *from) const;
  void meet(Row to, const uint32_t *from) const;
  /// The first lane where `need` exceeds `clock`, or -1.
  int firstAbove(const uint32_t *need, const uint32_t *clock) const;

private:
  Row takeDirty();
  uint32_t width_;
  std::vector<std::unique_ptr<uint32_t[]>> blocks_;
  std::vector<Row> free_;
};

/// The last position of each of a few lanes, as long as they are few: one
/// entry inline, then a list, then a dense row. Freed by `release`, to whose
/// pools it belongs.
class PositionSet {
public:
  struct Pools {
    ClockPool &rows;
    ClockPool &lists; ///< Rows of 2 * `sparse` numbers: lane, position.
    uint32_t sparse;
  };

  void set(uint32_t lane, uint32_t position, Pools &pools);
  uint32_t get(uint32_t lane) const;
  /// The first lane (in no particular order) whose position exceeds the
  /// clock's, or -1.
  int firstAbove(const uint32_t *clock, const ClockPool &rows) const;
  void release(Pools &pools);

private:
  enum class Form : uint8_t { Empty, One, List, Dense };

  Form form_ = Form::Empty;
  uint32_t count_ = 0; ///< Entries of a list.
  union {
    struct {
      uint32_t lane, position;
    } one_;
    Row row_;
  };
};

} // namespace mkrt::verify
