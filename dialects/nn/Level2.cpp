//===- Level2.cpp - The rules of level 2 ----------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/nn/Level2.h"
#include "dialects/mk/Mk.h"
#include "dialects/nn/ElementTypes.h"
#include "dialects/nn/Nn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc::nn;

static bool isElementType(Type type) {
  return type.isF32() || isHalf(type) || type.isInteger(32) ||
         type.isInteger(64) || type.isInteger(1);
}

bool mkc::nn::isLevel2Type(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isElementType(tensor.getElementType());
}

/// Scalars are constants that generics and fills take.
static LogicalResult verifyType(Operation *op, Type type) {
  if (isLevel2Type(type) ||
      (isa<arith::ConstantOp>(op) && type.isIntOrIndexOrFloat()))
    return success();
  return op->emitOpError("(L2) has type ")
         << type
         << ", which is no static tensor of f32, f16, bf16, i32, i64 or i1";
}

static LogicalResult verifyConstant(arith::ConstantOp op) {
  if (isa<ShapedType>(op.getType()) && !isa<DenseElementsAttr>(op.getValue()))
    return op.emitOpError("(L3) is not dense");
  return success();
}

//===----------------------------------------------------------------------===//
// linalg.generic
//===----------------------------------------------------------------------===//

static bool isScalarConstant(Value value) {
  return matchPattern(value, m_Constant()) && !isa<ShapedType>(value.getType());
}

static LogicalResult verifyOuts(linalg::GenericOp op) {
  for (Value init : op.getDpsInits()) {
    if (init.getDefiningOp<tensor::EmptyOp>() && op.getNumReductionLoops() == 0)
      continue;
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (op.getNumReductionLoops() == 0 || !fill)
      return op.emitOpError("(L4) has ")
             << op.getNumReductionLoops()
             << " reductions, so its outs must be a "
             << (op.getNumReductionLoops() ? "linalg.fill" : "tensor.empty");
  }
  return success();
}

/// A dim, a constant, or `d * c0 + c1`.
static bool isStridedIndex(AffineExpr expr) {
  auto isScaledDim = [](AffineExpr e) {
    if (isa<AffineDimExpr>(e))
      return true;
    auto product = dyn_cast<AffineBinaryOpExpr>(e);
    return product && product.getKind() == AffineExprKind::Mul &&
           isa<AffineDimExpr>(product.getLHS()) &&
           isa<AffineConstantExpr>(product.getRHS());
  };
  if (isa<AffineConstantExpr>(expr) || isScaledDim(expr))
    return true;
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  return sum && sum.getKind() == AffineExprKind::Add &&
         isScaledDim(sum.getLHS()) && isa<AffineConstantExpr>(sum.getRHS());
}

template <typename T> static std::string toText(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static LogicalResult verifyMaps(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      if (!isStridedIndex(expr))
        return op.emitOpError("(L5) index ")
               << toText(expr) << " of input " << input->getOperandNumber()
               << " is no dim, constant or d * c0 + c1";
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    bool ok = op.getNumReductionLoops() ? map.isProjectedPermutation()
                                        : map.isIdentity();
    if (!ok)
      return op.emitOpError("(L6) has the output map ")
             << toText(map)
             << (op.getNumReductionLoops()
                     ? ", which is no projected permutation"
                     : ", which is not the identity");
  }
  return success();
}

bool mkc::nn::computesInHalf(Operation &op) {
  if (llvm::none_of(op.getOperandTypes(), isHalf) &&
      llvm::none_of(op.getResultTypes(), isHalf))
    return false;
  return !isa<linalg::YieldOp, arith::ConstantOp, arith::SelectOp,
              arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(
      op);
}

static LogicalResult verifyBody(linalg::GenericOp op) {
  for (Operation &inner : *op.getBody()) {
    bool known =
        isa<linalg::IndexOp, linalg::YieldOp>(inner) ||
        isa<arith::ArithDialect, math::MathDialect>(inner.getDialect());
    if (!known || inner.getNumRegions() != 0)
      return inner.emitOpError("(L7) is no scalar op of arith or math");
    if (computesInHalf(inner))
      return inner.emitOpError("(L10) computes in f16 or bf16");
    for (Value operand : inner.getOperands())
      if (operand.getParentRegion() != &op.getRegion() &&
          !isScalarConstant(operand))
        return inner.emitOpError("(L7) takes a value from outside the body "
                                 "that is no scalar constant");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

static LogicalResult verifySlice(tensor::ExtractSliceOp op) {
  bool isStatic = op.getOffsets().empty() && op.getSizes().empty() &&
                  op.getStrides().empty();
  if (!isStatic)
    return op.emitOpError("(L8) has offsets, sizes or strides that are not "
                          "static");
  for (int64_t stride : op.getStaticStrides())
    if (stride <= 0)
      return op.emitOpError("(L8) has stride ") << stride << ", below 1";
  if (op.getType().getRank() != op.getSourceType().getRank())
    return op.emitOpError("(L8) reduces the rank from ")
           << op.getSourceType().getRank() << " to " << op.getType().getRank();
  return success();
}

static LogicalResult verifyEmpty(tensor::EmptyOp op) {
  for (OpOperand &use : op->getUses()) {
    auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (!user || !user.isDpsInit(&use))
      return op.emitOpError("(L9) is used by '")
             << use.getOwner()->getName() << "', and not as its outs";
  }
  return success();
}

static LogicalResult verifyFill(linalg::FillOp op) {
  if (!op.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>())
    return op.emitOpError("(L9) fills what is no tensor.empty");
  if (!isScalarConstant(op.getInputs()[0]))
    return op.emitOpError("(L9) fills with what is no scalar constant");
  return success();
}

LogicalResult mkc::nn::verifyLevel2(Operation *op) {
  for (Type type : op->getResultTypes())
    if (failed(verifyType(op, type)))
      return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case(verifyConstant)
      .Case([](linalg::GenericOp op) {
        return success(succeeded(verifyOuts(op)) && succeeded(verifyMaps(op)) &&
                       succeeded(verifyBody(op)));
      })
      .Case(verifySlice)
      .Case(verifyEmpty)
      .Case(verifyFill)
      .Case<ContractOp, PoolOp, ArgPoolOp, GatherOp, ArgReduceOp,
            tensor::ConcatOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            mk::WeightOp, func::ReturnOp>([](Operation *) { return success(); })
      .Default([](Operation *op) {
        return op->emitOpError("(L1) is no op of level 2");
      });
}
