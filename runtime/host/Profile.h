//===- Profile.h - When each record of a run was run ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace mkrt::host {

/// Collects the times of all records of one run, if RunOptions names it. Each
/// worker writes to a buffer of its own, which is large enough before the run
/// begins.
class Profile {
public:
  using Clock = std::chrono::steady_clock;

  /// From before the first tile of a record to behind the last.
  struct Sample {
    uint32_t record;
    Clock::time_point begin, end;
  };

  /// Forgets the last run. Called by the context.
  void begin(size_t workers, size_t records) {
    buffers_.resize(workers);
    for (Buffer &buffer : buffers_) {
      buffer.samples.clear();
      buffer.samples.reserve(records);
    }
    begin_ = Clock::now();
  }
  void end() { end_ = Clock::now(); }
  void add(size_t worker, const Sample &sample) {
    buffers_[worker].samples.push_back(sample);
  }

  size_t workers() const { return buffers_.size(); }
  std::span<const Sample> samples(size_t worker) const {
    return buffers_[worker].samples;
  }
  /// From the start of the workers to the end of the last.
  std::chrono::nanoseconds duration() const { return end_ - begin_; }
  Clock::time_point start() const { return begin_; }

private:
  struct alignas(64) Buffer {
    std::vector<Sample> samples;
  };
  std::vector<Buffer> buffers_;
  Clock::time_point begin_, end_;
};

} // namespace mkrt::host
