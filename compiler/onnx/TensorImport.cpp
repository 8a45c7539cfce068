//===- TensorImport.cpp - ONNX tensors as attributes ----------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/onnx/TensorImport.h"

#include "compiler/onnx/DataTypes.h"
#include "compiler/onnx/TensorData.h"
#include "compiler/onnx/TypeImport.h"
#include "dialects/mk/Mk.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mkc::onnx;

static FailureOr<TypedAttr> importStrings(Location loc,
                                          const proto::Tensor &tensor,
                                          RankedTensorType type) {
  if (uint64_t(type.getNumElements()) != tensor.stringData.size())
    return emitError(loc) << "tensor of strings has dims for "
                          << type.getNumElements() << " elements, but "
                          << tensor.stringData.size() << " strings";
  return cast<TypedAttr>(DenseStringElementsAttr::get(type, tensor.stringData));
}

static TypedAttr weight(const ImportContext &import, const TensorData &data,
                        RankedTensorType type) {
  return mkc::mk::WeightAttr::get(import.context, data.file, data.offset,
                                  data.bytes.size(), /*hash=*/0, type);
}

/// Imports a tensor of fixed-size elements; `mayRefer` allows a weight.
static FailureOr<TypedAttr> importElements(const ImportContext &import,
                                           Location loc,
                                           const proto::Tensor &tensor,
                                           RankedTensorType type,
                                           bool mayRefer) {
  FailureOr<TensorData> data =
      findTensorData(import, loc, tensor, type.getNumElements());
  if (failed(data))
    return failure();
  bool isUnknownType = storedBits(tensor.dataType) == 0;
  bool isLarge = data->bytes.size() > maxDenseBytes;
  if (data->isInFile() && (isUnknownType || (isLarge && mayRefer)))
    return weight(import, *data, type);
  return cast<TypedAttr>(toDense(*data, tensor.dataType, type));
}

static FailureOr<TypedAttr> importTensor(const ImportContext &import,
                                         Location loc,
                                         const proto::Tensor &tensor,
                                         bool mayRefer) {
  if (tensor.isSegmented)
    return emitError(loc) << "tensor is stored in segments, which no released "
                             "ONNX supports";
  if (tensor.dataType == 0)
    return emitError(loc) << "tensor has no data type";
  FailureOr<RankedTensorType> type =
      tensorDataType(import, loc, tensor.dims, tensor.dataType);
  if (failed(type))
    return failure();
  if (tensor.dataType == int64_t(DataType::String))
    return importStrings(loc, tensor, *type);
  return importElements(import, loc, tensor, *type, mayRefer);
}

FailureOr<TypedAttr> mkc::onnx::importTensor(const ImportContext &import,
                                             Location loc,
                                             const proto::Tensor &tensor) {
  return ::importTensor(import, loc, tensor, /*mayRefer=*/true);
}

/// The coordinates of each value, `rank` of them, checked against the dims.
/// `indices` are such coordinates (2-D), or positions in row-major order (1-D).
static FailureOr<DenseElementsAttr> sparseCoordinates(Location loc,
                                                      DenseElementsAttr indices,
                                                      int64_t valueCount,
                                                      RankedTensorType type) {
  ArrayRef<int64_t> shape = indices.getType().getShape();
  int64_t rank = type.getRank();
  bool isLinear = shape.size() == 1;
  if (!indices.getElementType().isSignlessInteger(64) ||
      (!isLinear && (shape.size() != 2 || shape[1] != rank)) ||
      shape[0] != valueCount)
    return emitError(loc) << "sparse tensor of type " << type << " with "
                          << valueCount << " values has indices of type "
                          << indices.getType();

  SmallVector<int64_t> coordinates;
  for (auto [position, given] : llvm::enumerate(indices.getValues<int64_t>())) {
    int64_t bound =
        isLinear ? type.getNumElements() : type.getDimSize(position % rank);
    if (given < 0 || given >= bound)
      return emitError(loc) << "sparse tensor has index " << given
                            << ", but needs one below " << bound;
    if (!isLinear) {
      coordinates.push_back(given);
      continue;
    }
    size_t start = coordinates.size();
    int64_t rest = given;
    coordinates.resize(start + rank);
    for (int64_t dim = rank; dim-- > 0; rest /= type.getDimSize(dim))
      coordinates[start + dim] = rest % type.getDimSize(dim);
  }
  auto coordinateType =
      RankedTensorType::get({valueCount, rank}, indices.getElementType());
  return DenseElementsAttr::get(coordinateType, ArrayRef(coordinates));
}

FailureOr<TypedAttr>
mkc::onnx::importSparseTensor(const ImportContext &import, Location loc,
                              const proto::SparseTensor &sparse) {
  if (!sparse.values || !sparse.indices)
    return emitError(loc) << "sparse tensor lacks values or indices";
  proto::Tensor values, indices;
  if (failed(import.read(loc, *sparse.values, values)) ||
      failed(import.read(loc, *sparse.indices, indices)))
    return failure();
  FailureOr<RankedTensorType> type =
      tensorDataType(import, loc, sparse.dims, values.dataType);
  FailureOr<TypedAttr> valueAttr =
      ::importTensor(import, loc, values, /*mayRefer=*/false);
  FailureOr<TypedAttr> indexAttr =
      ::importTensor(import, loc, indices, /*mayRefer=*/false);
  if (failed(type) || failed(valueAttr) || failed(indexAttr))
    return failure();

  auto dense = dyn_cast<DenseElementsAttr>(*valueAttr);
  auto denseIndices = dyn_cast<DenseElementsAttr>(*indexAttr);
  if (!dense || !denseIndices || dense.getType().getRank() != 1)
    return emitError(loc) << "sparse tensor has values of type "
                          << valueAttr->getType() << ", not a vector";
  FailureOr<DenseElementsAttr> coordinates =
      sparseCoordinates(loc, denseIndices, dense.getNumElements(), *type);
  if (failed(coordinates))
    return failure();
  return cast<TypedAttr>(SparseElementsAttr::get(
      *type, cast<DenseIntElementsAttr>(*coordinates), dense));
}
