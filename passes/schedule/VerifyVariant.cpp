//===- VerifyVariant.cpp - Check a variant --------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/VerifyVariant.h"

#include "runtime/format/AccessProgram.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mkc;
using namespace mkrt::format;

static LogicalResult verifySignature(mk::VariantOp variant) {
  ArrayRef<Type> types = variant.getArgumentTypes();
  bool ok = types.size() >= 3 && variant.getResultTypes().empty() &&
            isa<MemRefType>(types[types.size() - 3]) &&
            isa<LLVM::LLVMPointerType>(types[types.size() - 2]) &&
            isa<IndexType>(types.back());
  if (!ok)
    return variant.emitOpError("has type ")
           << variant.getFunctionType()
           << ", which does not end in scratch, environment and tile";
  for (Type type : types.drop_back(3)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || memref.getRank() != 1 || !memref.hasStaticShape() ||
        !memref.getElementType().isIntOrFloat())
      return variant.emitOpError("has an operand of type ")
             << type << ", which is no flat memref of static size";
  }
  if (variant.getBody().empty())
    return variant.emitOpError("has no body");
  return success();
}

static LogicalResult verifyCounts(mk::VariantOp variant) {
  int64_t tiles = variant.getTileCount(), scratch = variant.getScratchBytes();
  if (tiles < 1 || tiles > int64_t(UINT32_MAX))
    return variant.emitOpError("has ") << tiles << " tiles";
  if (scratch < 0 || scratch > int64_t(UINT32_MAX))
    return variant.emitOpError("has ") << scratch << " bytes of scratch";
  return success();
}

/// True if all numbers fit the fields of an encoded access.
static bool fitFields(ArrayRef<int64_t> fields) {
  return llvm::all_of(fields, [](int64_t field) {
    return field >= 0 && field <= int64_t(UINT16_MAX);
  });
}

static LogicalResult decodeCode(mk::VariantOp variant,
                                std::vector<AccessInstr> &code) {
  ArrayRef<int64_t> fields = variant.getAccessCode();
  if (fields.size() % 5 != 0 || fields.size() / 5 > UINT16_MAX)
    return variant.emitOpError("has access_code of ")
           << fields.size() << " numbers, which are no instructions of 5";
  for (size_t i = 0; i < fields.size(); i += 5) {
    if (!fitFields(fields.slice(i, 4)) || fields[i] > UINT8_MAX)
      return variant.emitOpError("has access_code whose instruction ")
             << i / 5 << " does not fit its fields";
    code.push_back({AccessOp(fields[i]), 0, uint16_t(fields[i + 1]),
                    uint16_t(fields[i + 2]), uint16_t(fields[i + 3]),
                    fields[i + 4]});
  }
  return success();
}

static LogicalResult verifyAccess(mk::VariantOp variant, unsigned number,
                                  Attribute attr, ArrayRef<AccessInstr> code) {
  auto array = dyn_cast<DenseI64ArrayAttr>(attr);
  ArrayRef<int64_t> fields = array ? array.asArrayRef() : ArrayRef<int64_t>();
  auto rank = fields.size() < 5 ? -1 : fields[2];
  if (rank < 0 || rank > int64_t(kMaxBoxRank) ||
      int64_t(fields.size()) != 5 + 2 * rank || !fitFields(fields))
    return variant.emitOpError("has accesses whose entry ")
           << number << " is no operand, mode, rank (up to " << kMaxBoxRank
           << "), offset, inner bytes and dims: " << attr;
  int64_t operands = variant.getArgumentTypes().size() - 3;
  if (fields[0] >= operands)
    return variant.emitOpError("has an access to operand ")
           << fields[0] << " of " << operands;
  AccessEntry entry{};
  entry.instrCount = uint16_t(code.size());
  entry.operand = uint16_t(fields[0]);
  entry.mode = AccessMode(std::min<int64_t>(fields[1], UINT8_MAX));
  entry.rank = uint8_t(rank);
  entry.offset = uint16_t(fields[3]);
  entry.innerBytes = uint16_t(fields[4]);
  for (int64_t i = 0; i < rank; ++i) {
    entry.size[i] = uint16_t(fields[5 + 2 * i]);
    entry.stride[i] = uint16_t(fields[6 + 2 * i]);
  }
  if (std::string error = validateAccess(entry, {code.data(), code.size()});
      !error.empty())
    return variant.emitOpError("has a wrong access ")
           << number << ": " << error;
  return success();
}

LogicalResult mkc::verifyVariant(mk::VariantOp variant) {
  std::vector<AccessInstr> code;
  if (failed(verifySignature(variant)) || failed(verifyCounts(variant)) ||
      failed(decodeCode(variant, code)))
    return failure();
  for (auto [i, attr] : llvm::enumerate(variant.getAccesses()))
    if (failed(verifyAccess(variant, i, attr, code)))
      return failure();
  return success();
}
