//===- VerifyLaunches.cpp - Check launches on buffers ---------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/schedule/Passes.h"

#include "dialects/nn/Level2.h"
#include "passes/kernels/VerifyKernels.h"
#include "passes/schedule/VerifyVariant.h"

#include "llvm/ADT/DenseSet.h"

namespace mkc {
#define GEN_PASS_DEF_VERIFYLAUNCHESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

/// Bytes of an operand from its offset on, up to the end of its last element.
/// A variant's operands are flat memrefs of just these elements.
int64_t spanBytes(ShapedType type, ArrayRef<int64_t> strides) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (type.getNumElements() == 0)
    return 0;
  int64_t last = 0;
  if (isa<MemRefType>(type))
    last = type.getDimSize(0) - 1;
  else
    for (auto [size, stride] : llvm::zip(type.getShape(), strides))
      last += (size - 1) * stride;
  return (last + 1) * bytes;
}

class Verifier {
public:
  Verifier(ModuleOp module, func::FuncOp main)
      : symbols(module), main(main), inputs(portCount("mk.inputs")),
        outputs(portCount("mk.outputs")) {}

  LogicalResult run() {
    if (failed(verifyCallees()))
      return failure();
    if (!main.getBody().hasOneBlock())
      return main.emitOpError("has ")
             << main.getBody().getBlocks().size() << " blocks, expected 1";
    for (Operation &op : main.getBody().front()) {
      if (auto buffer = dyn_cast<mk::BufferOp>(op)) {
        if (failed(verifyBuffer(buffer)))
          return failure();
      } else if (auto launch = dyn_cast<mk::LaunchOp>(op)) {
        if (failed(verifyLaunch(launch)))
          return failure();
      } else if (!isa<func::ReturnOp>(op)) {
        return op.emitOpError("is neither a buffer nor a launch");
      }
    }
    return success(succeeded(verifyPorts("mk.inputs")) &&
                   succeeded(verifyPorts("mk.outputs")));
  }

private:
  int64_t portCount(StringRef name) {
    auto ports = main->getAttrOfType<ArrayAttr>(name);
    return ports ? ports.size() : 0;
  }

  LogicalResult verifyCallees() {
    for (Operation &op : *main->getParentOfType<ModuleOp>().getBody()) {
      if (auto kernel = dyn_cast<mk::KernelOp>(op)) {
        if (failed(verifyKernel(kernel)))
          return failure();
      } else if (auto variant = dyn_cast<mk::VariantOp>(op)) {
        if (failed(verifyVariant(variant)))
          return failure();
      } else if (&op != main) {
        return op.emitOpError("is neither a kernel, a variant nor @main");
      }
    }
    return success();
  }

  /// Inputs and outputs are dictionaries of a name and a type.
  LogicalResult verifyPorts(StringRef attribute) {
    auto ports = main->getAttrOfType<ArrayAttr>(attribute);
    if (!ports)
      return main.emitOpError("has no attribute ") << attribute;
    for (auto [i, port] : llvm::enumerate(ports)) {
      auto fields = dyn_cast<DictionaryAttr>(port);
      auto type = fields ? fields.getAs<TypeAttr>("type") : TypeAttr();
      if (!type || !nn::isLevel2Type(type.getValue()) ||
          !fields.getAs<StringAttr>("name"))
        return main.emitOpError("has ")
               << attribute << " whose entry " << i
               << " is no name and type of a static tensor: " << port;
    }
    return success();
  }

  /// A constant fills its buffer: it is copied as a whole.
  LogicalResult verifyValue(mk::BufferOp op, Attribute value) {
    auto weight = dyn_cast<mk::WeightAttr>(value);
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (!weight && !dense)
      return op.emitOpError("has a value that is neither dense nor a weight");
    uint64_t bytes =
        weight
            ? weight.getBytes()
            : dense.getNumElements() *
                  llvm::divideCeil(dense.getType().getElementTypeBitWidth(), 8);
    if (bytes != op.getBytes())
      return op.emitOpError("has ")
             << op.getBytes() << " bytes, but its value has " << bytes;
    return success();
  }

  LogicalResult verifyBuffer(mk::BufferOp op) {
    auto type = cast<MemRefType>(op.getType());
    if (type.getRank() != 1 || !type.getElementType().isInteger(8) ||
        type.getDimSize(0) != op.getBytes())
      return op.emitOpError("has ")
             << op.getBytes() << " bytes, but the type " << type;
    if (op.getValue() && op.getKind() != mk::BufferKind::Weights)
      return op.emitOpError("has a value, but is no weight");
    if (op.getValue() && failed(verifyValue(op, *op.getValue())))
      return failure();
    bool isInput = op.getKind() == mk::BufferKind::Input;
    int64_t ports = isInput ? inputs : outputs;
    if (isInput || op.getKind() == mk::BufferKind::Output)
      if (op.getIndex() >= uint64_t(ports))
        return op.emitOpError("is number ")
               << op.getIndex() << " of " << ports
               << (isInput ? " inputs" : " outputs");
    return success();
  }

  LogicalResult verifyLaunch(mk::LaunchOp op) {
    SmallVector<ShapedType> types;
    std::optional<int64_t> kernelInputs;
    Operation *callee = symbols.lookup(op.getCallee());
    if (auto kernel = dyn_cast_or_null<mk::KernelOp>(callee)) {
      for (Type type : kernel.getArgumentTypes())
        types.push_back(cast<ShapedType>(type));
      for (Type type : kernel.getResultTypes())
        types.push_back(cast<ShapedType>(type));
      kernelInputs = kernel.getArgumentTypes().size();
    } else {
      auto variant = cast<mk::VariantOp>(callee); // LaunchOp's own verifier
      for (Type type : variant.getArgumentTypes().drop_back(3))
        types.push_back(cast<ShapedType>(type));
    }
    int64_t operands = types.size(), reads = op.getNumInputs();
    for (auto [i, buffer] : llvm::enumerate(op.getBuffers()))
      if (!buffer.getDefiningOp<mk::BufferOp>())
        return op.emitOpError("operand ") << i << " is no mk.buffer";
    if (reads < 0 || (kernelInputs ? reads != *kernelInputs : reads > operands))
      return op.emitOpError("reads ")
             << reads << " operands, but @" << op.getCallee() << " has "
             << kernelInputs.value_or(operands);
    for (auto [i, type] : llvm::enumerate(types))
      if (failed(verifyPlace(op, i, type)) ||
          failed(int64_t(i) < reads ? verifyRead(op, i) : verifyWrite(op, i)))
        return failure();
    for (Value buffer : op.getBuffers().drop_front(reads))
      written.insert(buffer);
    return success();
  }

  LogicalResult verifyPlace(mk::LaunchOp op, unsigned i, ShapedType type) {
    auto array = dyn_cast<DenseI64ArrayAttr>(op.getStrides()[i]);
    if (!array)
      return op.emitOpError("operand ") << i << " has strides that are no "
                                        << "array of i64";
    ArrayRef<int64_t> strides = array.asArrayRef();
    if (!isa<MemRefType>(type) && int64_t(strides.size()) != type.getRank())
      return op.emitOpError("operand ")
             << i << " has " << strides.size()
             << " strides, but its tensor has rank " << type.getRank();
    for (int64_t stride : strides)
      if (stride < 0)
        return op.emitOpError("operand ") << i << " has stride " << stride;
    int64_t offset = op.getOffsets()[i],
            end = offset + spanBytes(type, strides);
    int64_t bytes = bufferOf(op, i).getBytes();
    if (offset < 0 || end > bytes)
      return op.emitOpError("operand ")
             << i << " covers bytes " << offset << " to " << end
             << ", but its buffer has " << bytes;
    return success();
  }

  LogicalResult verifyRead(mk::LaunchOp op, unsigned i) {
    mk::BufferOp buffer = bufferOf(op, i);
    bool isWeight = buffer.getKind() == mk::BufferKind::Weights;
    if (op.getCompileTime() && !isWeight)
      return op.emitOpError("is done at compile time, but operand ")
             << i << " reads " << mk::stringifyBufferKind(buffer.getKind())
             << " memory";
    bool hasContent = buffer.getKind() == mk::BufferKind::Input ||
                      buffer.getValue() || buffer.getBytes() == 0;
    if (!hasContent && !written.contains(buffer))
      return op.emitOpError("operand ")
             << i << " reads a buffer that nothing has written";
    return success();
  }

  LogicalResult verifyWrite(mk::LaunchOp op, unsigned i) {
    mk::BufferOp buffer = bufferOf(op, i);
    bool isWeight = buffer.getKind() == mk::BufferKind::Weights;
    if (buffer.getKind() == mk::BufferKind::Input || buffer.getValue())
      return op.emitOpError("operand ")
             << i << " writes to " << (isWeight ? "a constant" : "an input");
    if (isWeight != op.getCompileTime())
      return op.emitOpError("is done at ")
             << (isWeight ? "run time" : "compile time") << ", but operand "
             << i << " writes to " << mk::stringifyBufferKind(buffer.getKind())
             << " memory";
    return success();
  }

  static mk::BufferOp bufferOf(mk::LaunchOp op, unsigned i) {
    return op.getBuffers()[i].getDefiningOp<mk::BufferOp>();
  }

  SymbolTable symbols;
  func::FuncOp main;
  int64_t inputs, outputs;
  llvm::DenseSet<Value> written;
};

struct VerifyLaunches : mkc::impl::VerifyLaunchesPassBase<VerifyLaunches> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitError("has no function @main");
      return signalPassFailure();
    }
    if (failed(Verifier(getOperation(), main).run()))
      signalPassFailure();
  }
};

} // namespace
