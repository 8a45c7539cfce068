//===- EvaluateGeneric.cpp - linalg.generic in the interpreter ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Interpreter/Domain.h"
#include "passes/graph/Interpreter/Evaluate.h"
#include "passes/graph/Interpreter/ScalarProgram.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mkc;

namespace {
/// An operand of the generic: its bytes and where the elements lie.
struct Access {
  char *bytes;
  OffsetTable offsets;
  int64_t size; // of an element

  Access(TensorValue &value, AffineMap map, ArrayRef<int64_t> extents)
      : bytes(value.raw()), offsets(map, extents, value.getShape()),
        size(elementBytes(value.getElementType())) {}
};
} // namespace

/// Copies `n` elements, `from[i * fromStride]` to `to[i * toStride]`.
static void copyElements(char *to, int64_t toStride, const char *from,
                         int64_t fromStride, int64_t size, int64_t n) {
  auto copy = [&](auto element) {
    using T = decltype(element);
    for (int64_t i = 0; i < n; ++i)
      reinterpret_cast<T *>(to)[i * toStride] =
          reinterpret_cast<const T *>(from)[i * fromStride];
  };
  if (size == 1)
    copy(uint8_t());
  else if (size == 2)
    copy(uint16_t());
  else if (size == 4)
    copy(uint32_t());
  else
    copy(uint64_t());
}

/// The dim along which chunks run: the last parallel one, so that a chunk's
/// points write different elements and each element is reduced in the loops'
/// order.
static std::optional<unsigned> chunkDim(linalg::GenericOp op) {
  auto iterators = op.getIteratorTypesArray();
  for (unsigned d = iterators.size(); d-- > 0;)
    if (iterators[d] == utils::IteratorType::parallel)
      return d;
  return std::nullopt;
}

/// Runs the body for the points from `start` on along the chunk dim.
static void runChunk(ScalarProgram &program, MutableArrayRef<Access> accesses,
                     size_t numInputs, std::optional<unsigned> chunk,
                     ArrayRef<int64_t> point, int64_t n) {
  for (auto [i, access] : llvm::enumerate(accesses)) {
    int64_t stride = chunk ? access.offsets.stride(*chunk) : 0;
    copyElements(program.argument(i), 1,
                 access.bytes + access.offsets.offset(point) * access.size,
                 stride, access.size, n);
  }
  program.run(n, [&](int64_t dim, int64_t *to) {
    bool moves = chunk && int64_t(*chunk) == dim;
    for (int64_t i = 0; i < n; ++i)
      to[i] = point[dim] + (moves ? i : 0);
  });
  for (auto [i, access] : llvm::enumerate(accesses.drop_front(numInputs))) {
    int64_t stride = chunk ? access.offsets.stride(*chunk) : 0;
    copyElements(access.bytes + access.offsets.offset(point) * access.size,
                 stride, program.result(i), 1, access.size, n);
  }
}

LogicalResult mkc::evaluateGeneric(linalg::GenericOp op,
                                   Environment &environment,
                                   std::string &error) {
  FailureOr<ScalarProgram> program =
      ScalarProgram::compile(*op.getBody(), error);
  if (failed(program))
    return failure();
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<TensorValue> outputs;
  SmallVector<Access> accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    TensorValue value = environment.lookup(operand.get());
    if (op.isDpsInit(&operand)) {
      TensorValue result(value.getType());
      std::copy_n(value.raw(), value.getNumBytes(), result.raw());
      outputs.push_back(value = result);
    }
    accesses.emplace_back(value, op.getMatchingIndexingMap(&operand), extents);
  }

  std::optional<unsigned> chunk = chunkDim(op);
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < extents.size(); ++d)
    if (d != chunk)
      outer.push_back(d);
  int64_t length = chunk ? extents[*chunk] : 1;
  forEachPoint(extents, outer, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> point(at);
    for (int64_t start = 0; start < length; start += ScalarProgram::kChunk) {
      if (chunk)
        point[*chunk] = start;
      runChunk(*program, accesses, op.getNumDpsInputs(), chunk, point,
               std::min(ScalarProgram::kChunk, length - start));
    }
  });
  for (auto [result, value] : llvm::zip_equal(op.getResults(), outputs))
    environment[result] = value;
  return success();
}
