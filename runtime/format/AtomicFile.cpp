//===- AtomicFile.cpp - Output files that appear whole or not at all ------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/format/AtomicFile.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace mkrt::format;

/// Where a path leads, links to what does not exist yet included. Empty if
/// links go round in circles.
static std::string followLinks(std::filesystem::path path) {
  constexpr int kMaxLinks = 40; // As many as Linux follows.
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    std::filesystem::path link = std::filesystem::read_symlink(path, error);
    if (error)
      return path;
    path = path.parent_path() / link; // An absolute link replaces all.
  }
  return {};
}

std::string AtomicFile::replacedFile(const std::string &path) {
  std::string target = followLinks(path);
  struct stat info;
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return {};
  return target;
}

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), target_(followLinks(path_)) {
  if (target_.empty()) {
    errno = ELOOP;
    fail("cannot create the file");
    return;
  }
  struct stat info;
  bool exists = stat(target_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd_ < 0)
      fail("cannot open for writing");
    return;
  }
  static std::atomic<unsigned> serial{0};
  temporary_ = target_ + ".tmp." + std::to_string(getpid()) + "." +
               std::to_string(serial++);
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    fail("cannot create the file");
    temporary_.clear();
  } else if (exists && fchmod(fd_, info.st_mode & 07777)) {
    fail("cannot set the permissions of the file");
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0)
    close(fd_);
  if (!temporary_.empty())
    unlink(temporary_.c_str());
}

void AtomicFile::fail(const char *what) {
  if (error_.empty())
    error_ = path_ + ": " + what + ": " + std::strerror(errno);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  // Linux writes at most 2 GB at once.
  constexpr size_t kChunk = size_t(1) << 30;
  while (error_.empty() && !bytes.empty()) {
    ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), kChunk));
    if (n >= 0)
      bytes = bytes.subspan(size_t(n));
    else if (errno != EINTR)
      fail("cannot write");
  }
}

void AtomicFile::writeZeros(uint64_t count) {
  static constexpr std::array<std::byte, 4096> zeros{};
  while (error_.empty() && count) {
    uint64_t n = std::min<uint64_t>(count, zeros.size());
    write(std::span(zeros).first(n));
    count -= n;
  }
}

std::string AtomicFile::commit() {
  if (!error_.empty())
    return error_;
  int fd = fd_;
  fd_ = -1;
  if (close(fd))
    fail("cannot write");
  else if (temporary_.empty())
    return {};
  else if (rename(temporary_.c_str(), target_.c_str()))
    fail("cannot rename the finished file");
  else
    temporary_.clear();
  return error_;
}
