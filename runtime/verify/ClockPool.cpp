//===- ClockPool.cpp - Rows of positions, one per lane --------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/ClockPool.h"

#include <algorithm>
#include <cstring>

using namespace mkrt::verify;

static constexpr uint32_t kBlock = 16;
static constexpr uint32_t kRowsAtOnce = 64;

ClockPool::ClockPool(uint32_t width)
    : width_((std::max(width, 1u) + kBlock - 1) / kBlock * kBlock) {}

Row ClockPool::takeDirty() {
  if (free_.empty()) {
    size_t size = size_t(width_) * kRowsAtOnce;
    blocks_.emplace_back(new uint32_t[size]);
    for (uint32_t i = kRowsAtOnce; i-- > 0;)
      free_.push_back(blocks_.back().get() + size_t(i) * width_);
  }
  Row row = free_.back();
  free_.pop_back();
  return row;
}

Row ClockPool::take() {
  Row row = takeDirty();
  std::fill(row, row + width_, 0);
  return row;
}

Row ClockPool::takeCopy(const uint32_t *from) {
  Row row = takeDirty();
  std::copy(from, from + width_, row);
  return row;
}

uint64_t ClockPool::bytes() const {
  return blocks_.size() * kRowsAtOnce * width_ * sizeof(uint32_t);
}

void ClockPool::give(Row &row) {
  if (row)
    free_.push_back(row);
  row = nullptr;
}

void ClockPool::join(Row to, const uint32_t *from) const {
  for (uint32_t i = 0; i < width_; ++i)
    to[i] = std::max(to[i], from[i]);
}

void ClockPool::meet(Row to, const uint32_t *from) const {
  for (uint32_t i = 0; i < width_; ++i)
    to[i] = std::min(to[i], from[i]);
}

int ClockPool::firstAbove(const uint32_t *need, const uint32_t *clock) const {
  for (uint32_t begin = 0; begin < width_; begin += kBlock) {
    // Without an early exit, so that the block is compared as vectors.
    uint32_t above = 0;
    for (uint32_t i = begin; i < begin + kBlock; ++i)
      above |= clock[i] < need[i];
    if (above)
      for (uint32_t i = begin;; ++i)
        if (clock[i] < need[i])
          return int(i);
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// PositionSet
//===----------------------------------------------------------------------===//

void PositionSet::set(uint32_t lane, uint32_t position, Pools &pools) {
  if (form_ == Form::Empty || (form_ == Form::One && one_.lane == lane)) {
    form_ = Form::One;
    one_ = {lane, position};
    return;
  }
  if (form_ == Form::One) {
    auto entry = one_;
    row_ = pools.lists.take();
    row_[0] = entry.lane;
    row_[1] = entry.position;
    count_ = 1;
    form_ = Form::List;
  }
  if (form_ == Form::List) {
    for (uint32_t i = 0; i < count_; ++i)
      if (row_[2 * i] == lane) {
        row_[2 * i + 1] = position;
        return;
      }
    if (count_ < pools.sparse) {
      row_[2 * count_] = lane;
      row_[2 * count_ + 1] = position;
      ++count_;
      return;
    }
    Row dense = pools.rows.take();
    for (uint32_t i = 0; i < count_; ++i)
      dense[row_[2 * i]] = row_[2 * i + 1];
    pools.lists.give(row_);
    row_ = dense;
    form_ = Form::Dense;
  }
  row_[lane] = position;
}

uint32_t PositionSet::get(uint32_t lane) const {
  switch (form_) {
  case Form::Empty:
    return 0;
  case Form::One:
    return one_.lane == lane ? one_.position : 0;
  case Form::List:
    for (uint32_t i = 0; i < count_; ++i)
      if (row_[2 * i] == lane)
        return row_[2 * i + 1];
    return 0;
  case Form::Dense:
    return row_[lane];
  }
  return 0;
}

int PositionSet::firstAbove(const uint32_t *clock,
                            const ClockPool &rows) const {
  switch (form_) {
  case Form::Empty:
    return -1;
  case Form::One:
    return clock[one_.lane] < one_.position ? int(one_.lane) : -1;
  case Form::List:
    for (uint32_t i = 0; i < count_; ++i)
      if (clock[row_[2 * i]] < row_[2 * i + 1])
        return int(row_[2 * i]);
    return -1;
  case Form::Dense:
    return rows.firstAbove(row_, clock);
  }
  return -1;
}

void PositionSet::release(Pools &pools) {
  if (form_ == Form::List)
    pools.lists.give(row_);
  else if (form_ == Form::Dense)
    pools.rows.give(row_);
  form_ = Form::Empty;
}
