//===- NnBuilder.h - Emits level-2 ops and folds them ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mkc::nn {
enum class PoolKind : uint32_t;
} // namespace mkc::nn

namespace mkc {

/// Constants up to this size are in the IR; larger ones are references to a
/// file's bytes.
constexpr int64_t kInlineConstantBytes = 64 * 1024;

/// Tensors with more elements are refused, so that no index or size in bytes
/// overflows.
constexpr int64_t kMostElements = int64_t(1) << 40;

/// The value of a constant of the IR, or null.
mlir::DenseElementsAttr constantOf(mlir::Value value);

/// The one element that `value` repeats, if it is a constant splat or a fill
/// with a constant.
mlir::TypedAttr splatOf(mlir::Value value);

/// Emits ops of level 2 in the form that docs/ir.md asks for. It is the one
/// place that emits them, so it is also the one place that folds:
///
/// (F1) An op whose operands are constants and whose result is small is
/// evaluated at once (Interpreter.h)
///      and becomes an `arith.constant`. Large results stay ops: compiled code
///      evaluates them later.
/// (F2) A result without elements is a constant, whatever the operands are.
/// (F3) Splats are read as scalar constants in the bodies of generics.
/// (F4) A generic reads through reshapes that only add or drop dims of size 1,
/// by its maps. (F5) A reshape of a reshape is one reshape; one to the same
/// shape is none.
/// (F6) A tensor of f16 or bf16 that is only extended to f32 (`widened`) is
/// moved before it is extended, and read as it is: bodies extend its elements,
/// and the ops of nn take both types.
class NnBuilder {
public:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;
  using Shape = llvm::ArrayRef<int64_t>;

  NnBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// A constant, whatever its size.
  mlir::Value constant(mlir::DenseElementsAttr elements);
  /// A tensor that repeats `element`.
  mlir::Value splat(Shape shape, mlir::TypedAttr element);
  /// A constant i64 or f32 vector.
  mlir::Value vectorOf(llvm::ArrayRef<int64_t> values);

  /// `x` in the type that its elements are computed in: f16 and bf16 as f32.
  mlir::Value widened(mlir::Value x);
  /// `x` rounded to `element`, which is f16 or bf16. If `x` is the result of an
  /// elementwise op without uses, that op is replaced by one that rounds, and
  /// `x` is no more.
  mlir::Value rounded(mlir::Value x, mlir::Type element);

  /// An elementwise op with operands that broadcast to `shape` by ONNX's rules.
  mlir::Value elementwise(llvm::ArrayRef<mlir::Value> operands, Shape shape,
                          mlir::Type element, Body body);
  /// An elementwise op whose operand i is read at maps[i].
  mlir::Value generic(llvm::ArrayRef<mlir::Value> operands,
                      llvm::ArrayRef<mlir::AffineMap> maps, Shape shape,
                      mlir::Type element, Body body);
  /// Reduces the dims in `axes` of the operands, which all have one shape, and
  /// drops them. `body` gets the operands' elements and then the accumulator,
  /// which starts as `init`.
  mlir::Value reduce(llvm::ArrayRef<mlir::Value> operands,
                     llvm::ArrayRef<int64_t> axes, mlir::TypedAttr init,
                     Body body);

  /// Result dim i is x's dim perm[i].
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value reshape(mlir::Value x, Shape shape);
  mlir::Value broadcast(mlir::Value x, Shape shape);
  /// Any step but 0; a negative one reads backwards from `offsets`.
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> offsets,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> steps);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> parts, int64_t axis);
  mlir::Value contract(mlir::Value x, mlir::Value w, Shape extents,
                       mlir::AffineMap xMap, mlir::AffineMap wMap,
                       mlir::AffineMap resultMap);
  mlir::Value pool(mlir::Value x, nn::PoolKind kind, Shape extents,
                   mlir::AffineMap xMap, mlir::AffineMap resultMap);
  /// The values and the indices of `nn.arg_pool`.
  std::pair<mlir::Value, mlir::Value>
  argPool(mlir::Value x, llvm::ArrayRef<int64_t> indexStrides, Shape extents,
          mlir::AffineMap xMap, mlir::AffineMap resultMap);
  mlir::Value gather(mlir::Value data, mlir::Value indices, int64_t axis);
  mlir::Value argReduce(mlir::Value x, int64_t axis, bool isMax, bool last);

  /// The first result with more than kMostElements elements, if there was one:
  /// what was emitted is then of no use.
  std::optional<mlir::RankedTensorType> getTooLarge() const { return tooLarge; }

  mlir::Location getLoc() const { return loc; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  mlir::AffineExpr dim(unsigned d) const {
    return mlir::getAffineDimExpr(d, getContext());
  }
  mlir::AffineExpr number(int64_t n) const {
    return mlir::getAffineConstantExpr(n, getContext());
  }
  mlir::AffineMap map(unsigned dims,
                      llvm::ArrayRef<mlir::AffineExpr> results) const {
    return mlir::AffineMap::get(dims, 0, results, getContext());
  }

  mlir::OpBuilder &builder;

private:
  mlir::Value reduceWithoutUnits(llvm::ArrayRef<mlir::Value> operands,
                                 llvm::ArrayRef<int64_t> axes,
                                 mlir::TypedAttr init, Body body);
  /// `rounded` for the result of an op that only moves elements: they are
  /// rounded before. Null for others.
  mlir::Value roundedBeforeMove(mlir::Value x, mlir::Type element);
  /// Folds `op` by (F1) or (F2), or gives its results, which have one shape.
  llvm::SmallVector<mlir::Value> finishAll(mlir::Operation *op);
  /// The same for an op with one result.
  mlir::Value finish(mlir::Operation *op);
  /// The value of a result that needs no op, or null: the constant for one
  /// without elements, and something of the right type for one that is too
  /// large.
  mlir::Value emptyResult(mlir::RankedTensorType type);

  mlir::Location loc;
  std::optional<mlir::RankedTensorType> tooLarge;
};

mlir::RankedTensorType tensorTypeOf(mlir::Value value);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);
bool isFloat(mlir::Value value);

/// The shape that two shapes broadcast to by ONNX's rules, or nothing.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// Erases ops without uses and side effects.
void eraseDeadOps(mlir::Block &block);

} // namespace mkc
