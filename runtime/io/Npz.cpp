//===- Npz.cpp - Named arrays as numpy saves them -------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Npz.h"

#include "runtime/io/Files.h"
#include "runtime/io/Npy.h"
#include "runtime/io/Zip.h"

#include <set>

using namespace mkrt;
using namespace mkrt::io;

static constexpr std::string_view kSuffix = ".npy";

std::string mkrt::io::readNpz(const std::string &path, NamedTensors &out) {
  return readNpz(path, [](const std::string &) { return true; }, out);
}

std::string
mkrt::io::readNpz(const std::string &path,
                  const std::function<bool(const std::string &name)> &wanted,
                  NamedTensors &out) {
  std::vector<std::byte> archive, bytes;
  if (std::string error = readFile(path, archive); !error.empty())
    return error;
  std::vector<ZipMember> members;
  if (std::string error = readZipDirectory(archive, members); !error.empty())
    return path + ": " + error;
  NamedTensors tensors;
  std::set<std::string> seen;
  for (const ZipMember &member : members) {
    if (!member.name.ends_with(kSuffix))
      continue;
    std::string name =
        member.name.substr(0, member.name.size() - kSuffix.size());
    if (!wanted(name))
      continue;
    if (!seen.insert(name).second)
      return path + ": '" + member.name + "' is there twice";
    if (std::string error = readZipMember(archive, member, bytes);
        !error.empty())
      return path + ": " + error;
    Tensor tensor;
    if (std::string error = readNpy(bytes, tensor); !error.empty())
      return path + ": '" + member.name + "': " + error;
    tensors.emplace_back(std::move(name), std::move(tensor));
  }
  out = std::move(tensors);
  return {};
}

std::string mkrt::io::writeNpz(
    const std::string &path,
    std::span<const std::pair<std::string, const Tensor *>> tensors) {
  ZipWriter writer(path);
  for (const auto &[name, tensor] : tensors)
    writer.add(name + std::string(kSuffix), writeNpy(*tensor));
  return writer.finish();
}
