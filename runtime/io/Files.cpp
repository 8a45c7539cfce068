//===- Files.cpp - Whole files and folders --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Files.h"

#include "runtime/format/RegularFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unistd.h>

using namespace mkrt;
using namespace mkrt::io;

std::string mkrt::io::readFile(const std::string &path,
                               std::vector<std::byte> &out) {
  format::RegularFile file;
  if (std::string error = file.open(path); !error.empty())
    return error;
  out.clear();
  out.resize(file.size());
  size_t at = 0;
  while (at < out.size()) {
    ssize_t n = read(file.descriptor(), out.data() + at, out.size() - at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return path + ": cannot read the file: " + std::strerror(errno);
    if (n == 0)
      return path + ": the file ends after " + std::to_string(at) +
             " bytes of " + std::to_string(out.size());
    at += size_t(n);
  }
  return {};
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes the run of digits that starts at `i`, without leading zeros.
static std::string_view takeNumber(const std::string &s, size_t &i) {
  size_t begin = i;
  while (i < s.size() && isDigit(s[i]))
    ++i;
  while (begin + 1 < i && s[begin] == '0')
    ++begin;
  return std::string_view(s).substr(begin, i - begin);
}

bool mkrt::io::naturalLess(const std::string &a, const std::string &b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (isDigit(a[i]) && isDigit(b[j])) {
      std::string_view x = takeNumber(a, i), y = takeNumber(b, j);
      if (x.size() != y.size())
        return x.size() < y.size();
      if (x != y)
        return x < y;
    } else {
      if (a[i] != b[j])
        return a[i] < b[j];
      ++i, ++j;
    }
  }
  if (a.size() - i != b.size() - j)
    return a.size() - i < b.size() - j;
  return a < b; // "01" and "1" are different files.
}

std::string mkrt::io::listFolder(const std::string &folder,
                                 const std::string &prefix,
                                 const std::string &suffix,
                                 std::vector<std::string> &names) {
  names.clear();
  std::error_code error;
  std::filesystem::directory_iterator it(folder, error), end;
  while (!error && it != end) {
    std::string name = it->path().filename();
    if (name.size() >= prefix.size() + suffix.size() &&
        name.starts_with(prefix) && name.ends_with(suffix))
      names.push_back(std::move(name));
    it.increment(error);
  }
  if (error)
    return folder + ": cannot list the folder: " + error.message();
  std::sort(names.begin(), names.end(), naturalLess);
  return {};
}
