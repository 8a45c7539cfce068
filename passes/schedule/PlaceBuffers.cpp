//===- PlaceBuffers.cpp - Every tensor gets a place in memory -------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First, backwards: where a value wants to live, because it is an output of the
// program or a part of a concatenation. Then, forwards: each op gets its place,
// or computes it from its operand's (views), and each dispatch becomes a
// launch. Where a wish can't be met, a copy is launched.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/WeightOnly.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/Strides.h"

#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mkc {
#define GEN_PASS_DEF_PLACEBUFFERSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

/// A strided tensor inside a buffer.
struct Place {
  Value buffer;
  int64_t offset = 0;           ///< Bytes.
  SmallVector<int64_t> strides; ///< Elements.
};

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

int64_t elementBytes(Value value) {
  return llvm::divideCeil(typeOf(value).getElementTypeBitWidth(), 8);
}

int64_t denseBytes(RankedTensorType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

class Placer {
public:
  Placer(ModuleOp module, func::FuncOp main)
      : module(module), main(main), weightOnly(main),
        builder(main.getContext()) {}

  LogicalResult run() {
    builder.setInsertionPointToStart(&main.getBody().front());
    placeInputs();
    wishForOutputs();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body())))
      if (auto concat = dyn_cast<tensor::ConcatOp>(op))
        placeConcat(concat);
    for (Operation &op : llvm::make_early_inc_range(body()))
      if (failed(place(&op)))
        return failure();
    finish();
    return success();
  }

private:
  Block &body() { return main.getBody().front(); }

  //--- Buffers
  //----------------------------------------------------------------//

  Value createBuffer(Location loc, mk::BufferKind kind, int64_t bytes,
                     int64_t index, Attribute value = {}) {
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(&body());
    return mk::BufferOp::create(builder, loc,
                                MemRefType::get({bytes}, builder.getI8Type()),
                                kind, bytes, index, value);
  }

  Place denseIn(Value buffer, RankedTensorType type) {
    return {buffer, 0, denseStrides(type.getShape())};
  }

  Place newPlace(Value value, bool isWeight) {
    RankedTensorType type = typeOf(value);
    auto kind = isWeight ? mk::BufferKind::Weights : mk::BufferKind::Arena;
    return denseIn(createBuffer(value.getLoc(), kind, denseBytes(type), 0),
                   type);
  }

  //--- Where values want to live
  //------------------------------------------------//

  void placeInputs() {
    for (BlockArgument argument : main.getArguments())
      places[argument] = denseIn(
          createBuffer(argument.getLoc(), mk::BufferKind::Input,
                       denseBytes(typeOf(argument)), argument.getArgNumber()),
          typeOf(argument));
  }

  void wishForOutputs() {
    auto terminator = cast<func::ReturnOp>(body().getTerminator());
    for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
      RankedTensorType type = typeOf(value);
      outputs.push_back(
          denseIn(createBuffer(value.getLoc(), mk::BufferKind::Output,
                               denseBytes(type), i),
                  type));
      wish(value, outputs.back());
    }
  }

  /// Asks for `value` at `target`; granted if nothing else was asked for before
  /// and the value is made by a dispatch or concatenation of this run.
  void wish(Value value, const Place &target) {
    if (weightOnly.contains(value) && !isFill(value))
      return;
    Operation *definer = value.getDefiningOp();
    if (isa_and_nonnull<mk::DispatchOp, tensor::ConcatOp>(definer)) {
      places.try_emplace(value, target);
      return;
    }
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            definer))
      return;
    Value source = definer->getOperand(0);
    auto strides = reshapeStrides(typeOf(value).getShape(), target.strides,
                                  typeOf(source).getShape());
    if (strides)
      wish(source, {target.buffer, target.offset, *strides});
  }

  /// A fill is cheaper to repeat than to copy from the weights.
  bool isFill(Value value) {
    auto dispatch = value.getDefiningOp<mk::DispatchOp>();
    return dispatch && dispatch.getInputs().empty() &&
           dispatch.getNumResults() == 1 && value.hasOneUse();
  }

  bool isCompileTime(Value value) {
    auto found = places.find(value);
    if (found == places.end())
      return weightOnly.contains(value);
    auto buffer = found->second.buffer.getDefiningOp<mk::BufferOp>();
    return buffer.getKind() == mk::BufferKind::Weights;
  }

  void placeConcat(tensor::ConcatOp op) {
    Value whole = op.getResult();
    if (!places.contains(whole))
      places[whole] = newPlace(whole, weightOnly.contains(whole));
    bool isWeight = weightOnly.contains(whole);
    int64_t at = 0;
    for (Value part : op.getInputs()) {
      if (isWeight)
        wishWeight(part, slot(op, at));
      else
        wish(part, slot(op, at));
      at += typeOf(part).getDimSize(op.getDim());
    }
  }

  void wishWeight(Value part, const Place &target) {
    if (isa_and_nonnull<mk::DispatchOp, tensor::ConcatOp>(part.getDefiningOp()))
      places.try_emplace(part, target);
  }

  /// The place of a concatenation's part that begins at index `at`.
  Place slot(tensor::ConcatOp op, int64_t at) {
    Place place = places[op.getResult()];
    place.offset +=
        at * place.strides[op.getDim()] * elementBytes(op.getResult());
    return place;
  }

  //--- Forwards
  //-------------------------------------------------------------------//

  LogicalResult place(Operation *op) {
    builder.setInsertionPoint(op);
    if (isa<mk::BufferOp, mk::LaunchOp, tensor::EmptyOp>(op))
      return success();
    if (isa<arith::ConstantOp, mk::WeightOp>(op))
      return placeConstant(op), success();
    if (auto dispatch = dyn_cast<mk::DispatchOp>(op))
      return placeDispatch(dispatch), success();
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      return placeReshape(op), success();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return placeSlice(slice), success();
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return fillConcat(concat), success();
    if (auto terminator = dyn_cast<func::ReturnOp>(op))
      return fillOutputs(terminator), success();
    return op->emitOpError("is no dispatch, view, concatenation or constant");
  }

  void placeConstant(Operation *op) {
    Value value = op->getResult(0);
    if (!isa<RankedTensorType>(value.getType()))
      return;
    Attribute attr = op->getAttr("value");
    places[value] = denseIn(createBuffer(op->getLoc(), mk::BufferKind::Weights,
                                         denseBytes(typeOf(value)), 0, attr),
                            typeOf(value));
  }

  void placeDispatch(mk::DispatchOp op) {
    bool isWeight = true;
    SmallVector<Place> operands;
    for (Value input : op.getInputs())
      operands.push_back(places[input]);
    for (Value output : op.getOutputs()) {
      if (!places.contains(output))
        places[output] = newPlace(output, weightOnly.contains(output));
      operands.push_back(places[output]);
      isWeight &= isCompileTime(output);
    }
    launch(op.getLoc(), op.getKernel(), operands, op.getInputs().size(),
           isWeight);
  }

  void placeReshape(Operation *op) {
    Value source = op->getOperand(0), value = op->getResult(0);
    Place &from = places[source];
    auto strides = reshapeStrides(typeOf(source).getShape(), from.strides,
                                  typeOf(value).getShape());
    if (strides) {
      places[value] = {from.buffer, from.offset, *strides};
      return;
    }
    Place dense = newPlace(source, isCompileTime(source));
    copy(op->getLoc(), typeOf(source), places[source], dense,
         "the strides of the reshape's operand allow no view");
    places[value] = {dense.buffer, 0, denseStrides(typeOf(value).getShape())};
  }

  void placeSlice(tensor::ExtractSliceOp op) {
    Place place = places[op.getSource()];
    for (auto [d, offset, step] :
         llvm::enumerate(op.getStaticOffsets(), op.getStaticStrides())) {
      place.offset += offset * place.strides[d] * elementBytes(op.getSource());
      place.strides[d] *= step;
    }
    places[op.getResult()] = place;
  }

  static bool sameBytes(const Place &a, const Place &b, RankedTensorType type) {
    if (a.buffer != b.buffer || a.offset != b.offset)
      return false;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != 1 && a.strides[d] != b.strides[d])
        return false;
    return true;
  }

  void fillConcat(tensor::ConcatOp op) {
    int64_t at = 0;
    for (Value part : op.getInputs()) {
      Place target = slot(op, at);
      if (!sameBytes(places[part], target, typeOf(part)))
        copy(op.getLoc(), typeOf(part), places[part], target,
             "a part of the concatenation " + whereItIs(part));
      at += typeOf(part).getDimSize(op.getDim());
    }
  }

  void fillOutputs(func::ReturnOp op) {
    for (auto [value, target] : llvm::zip(op.getOperands(), outputs))
      if (!sameBytes(places[value], target, typeOf(value)))
        copy(value.getLoc(), typeOf(value), places[value], target,
             "an output of the model " + whereItIs(value));
  }

  //--- Launches
  //-------------------------------------------------------------------//

  void launch(Location loc, StringRef kernel, ArrayRef<Place> operands,
              int64_t inputs, bool compileTime) {
    SmallVector<Value> buffers;
    SmallVector<int64_t> offsets;
    SmallVector<Attribute> strides;
    for (const Place &place : operands) {
      buffers.push_back(place.buffer);
      offsets.push_back(place.offset);
      strides.push_back(builder.getDenseI64ArrayAttr(place.strides));
    }
    mk::LaunchOp::create(builder, loc, kernel, buffers, offsets,
                         builder.getArrayAttr(strides), inputs, compileTime);
  }

  /// Why a value is not where it was wanted.
  std::string whereItIs(Value value) {
    auto buffer = places[value].buffer.getDefiningOp<mk::BufferOp>();
    switch (buffer.getKind()) {
    case mk::BufferKind::Input:
      return "is an input, too";
    case mk::BufferKind::Weights:
      return "is a constant";
    case mk::BufferKind::Output:
      return "is an output as well, and already has its place there";
    case mk::BufferKind::Arena:
      return "is a view, or is wanted in another place, too";
    }
    return "";
  }

  void copy(Location loc, RankedTensorType type, const Place &from,
            const Place &to, const Twine &reason) {
    emitRemark(loc) << "copies " << denseBytes(type) << " bytes: " << reason;
    auto target = to.buffer.getDefiningOp<mk::BufferOp>();
    launch(loc, copyKernel(type).getSymName(), {from, to}, 1,
           target.getKind() == mk::BufferKind::Weights);
  }

  mk::KernelOp copyKernel(RankedTensorType type) {
    mk::KernelOp &kernel = copyKernels[type];
    if (kernel)
      return kernel;
    OpBuilder::InsertionGuard restore(builder);
    builder.setInsertionPointToStart(module.getBody());
    Location loc = builder.getUnknownLoc();
    kernel = mk::KernelOp::create(
        builder, loc, "copy" + std::to_string(copyKernels.size() - 1),
        builder.getFunctionType({type}, {type}));
    Block *entry = builder.createBlock(&kernel.getBody(), {}, {type}, {loc});
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    AffineMap identity =
        AffineMap::getMultiDimIdentityMap(type.getRank(), type.getContext());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, TypeRange{type}, entry->getArguments(), ValueRange{empty},
        ArrayRef<AffineMap>{identity, identity}, loops,
        [](OpBuilder &b, Location l, ValueRange args) {
          linalg::YieldOp::create(b, l, args[0]);
        });
    mk::YieldOp::create(builder, loc, generic.getResults());
    return kernel;
  }

  /// @main keeps the names of its ports and loses its tensors.
  void finish() {
    Operation *terminator = body().getTerminator();
    builder.setInsertionPoint(terminator);
    func::ReturnOp::create(builder, terminator->getLoc());
    terminator->erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body())))
      if (!isa<mk::BufferOp, mk::LaunchOp, func::ReturnOp>(op))
        op.erase();
    SmallVector<Attribute> inputs, results;
    auto port = [&](Type type, Attribute name) {
      return builder.getDictionaryAttr(
          {builder.getNamedAttr("name",
                                name ? name : builder.getStringAttr("")),
           builder.getNamedAttr("type", TypeAttr::get(type))});
    };
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      inputs.push_back(
          port(main.getArgumentTypes()[i], main.getArgAttr(i, "onnx.name")));
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      results.push_back(
          port(main.getResultTypes()[i], main.getResultAttr(i, "onnx.name")));
    main->setAttr("mk.inputs", builder.getArrayAttr(inputs));
    main->setAttr("mk.outputs", builder.getArrayAttr(results));
    body().eraseArguments([](BlockArgument) { return true; });
    main.removeArgAttrsAttr();
    main.removeResAttrsAttr();
    main.setFunctionType(builder.getFunctionType({}, {}));
  }

  ModuleOp module;
  func::FuncOp main;
  WeightOnly weightOnly;
  OpBuilder builder;
  llvm::DenseMap<Value, Place> places;
  SmallVector<Place> outputs;
  llvm::DenseMap<Type, mk::KernelOp> copyKernels;
};

struct PlaceBuffers : mkc::impl::PlaceBuffersPassBase<PlaceBuffers> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitError("has no function @main");
      return signalPassFailure();
    }
    if (failed(Placer(getOperation(), main).run()))
      signalPassFailure();
  }
};

} // namespace
