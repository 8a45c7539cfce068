//===- Clocks.cpp - The vector clock of each record -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/verify/Clocks.h"

using namespace mkrt::verify;
using namespace mkrt::format;

Clocks::Clocks(const PackageView &view, const Lanes &lanes, ClockPool &pool)
    : view_(view), lanes_(lanes), pool_(pool), rows_(lanes.count()),
      counters_(view.program().counterCount),
      waitsLeft_(view.program().counterCount) {
  for (Row &row : rows_)
    row = pool.take();
  for (const Record &record : view.records())
    for (const Wait &wait : std::span(record.waits, record.waitCount))
      ++waitsLeft_[wait.counter];
}

Clocks::~Clocks() {
  for (std::vector<Row> *rows : {&rows_, &counters_})
    for (Row &row : *rows)
      pool_.give(row);
}

const uint32_t *Clocks::begin(uint32_t record, uint32_t lane) {
  const Record &r = view_.records()[record];
  Row row = rows_[lane];
  for (const Wait &wait : std::span(r.waits, r.waitCount)) {
    if (counters_[wait.counter])
      pool_.join(row, counters_[wait.counter]);
    if (--waitsLeft_[wait.counter] == 0)
      pool_.give(counters_[wait.counter]);
  }
  row[lane] = record - lanes_.begin(lane) + 1;
  return row;
}

void Clocks::end(uint32_t record, uint32_t lane) {
  const Record &r = view_.records()[record];
  for (const Signal &signal : std::span(r.signals, r.signalCount)) {
    if (signal.amount == 0 || waitsLeft_[signal.counter] == 0)
      continue;
    Row &row = counters_[signal.counter];
    if (row)
      pool_.join(row, rows_[lane]);
    else
      row = pool_.takeCopy(rows_[lane]);
  }
}
