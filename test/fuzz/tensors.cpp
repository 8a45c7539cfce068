//===- tensors.cpp - Fuzzing the readers of tensors -----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/io/Npy.h"
#include "runtime/io/TensorProto.h"
#include "runtime/io/Zip.h"

using namespace mkrt::io;

/// The first byte chooses the format of the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  Tensor tensor;
  if (data[0] % 3 == 0) {
    (void)readNpy(bytes, tensor);
  } else if (data[0] % 3 == 1) {
    TensorProtoView view;
    if (parseTensorProto(bytes, 0, view).empty())
      (void)tensorOf(view, tensor);
  } else {
    std::vector<ZipMember> members;
    std::vector<std::byte> content;
    if (readZipDirectory(bytes, members).empty())
      for (const ZipMember &member : members)
        (void)readZipMember(bytes, member, content);
  }
  return 0;
}
