//===- Files.cpp - Whole files and folders --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

using namespace mkrt;
using namespace mkrt::io;

std::string mkrt::io::readFile(const std::string &path,
                               std::vector<std::byte> &out) {
  struct Close {
    void operator()(std::FILE *f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file)
    return path + ": cannot open the file: " + std::strerror(errno);
  out.clear();
  constexpr size_t kChunk = 1 << 20;
  size_t n;
  do {
    size_t at = out.size();
    out.resize(at + kChunk);
    n = std::fread(out.data() + at, 1, kChunk, file.get());
    out.resize(at + n);
  } while (n == kChunk);
  if (std::ferror(file.get()))
    return path + ": cannot read the file: " + std::strerror(errno);
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
