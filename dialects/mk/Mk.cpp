//===- Mk.cpp - The mk dialect --------------------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/mk/Mk.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc::mk;

#include "dialects/mk/MkDialect.cpp.inc"
#include "dialects/mk/MkEnums.cpp.inc"
/// In full: as the only form of its argument, it would be printed without its
/// type.
static ParseResult parseWeight(OpAsmParser &parser, WeightAttr &value) {
  return parser.parseAttribute(value);
}
static void printWeight(OpAsmPrinter &printer, WeightOp, WeightAttr value) {
  printer.printAttribute(value);
}

#define GET_ATTRDEF_CLASSES
#include "dialects/mk/MkAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/mk/MkOps.cpp.inc"

void MkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/mk/MkAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/mk/MkOps.cpp.inc"
      >();
}

void WeightOp::build(OpBuilder &, OperationState &state, WeightAttr value) {
  state.addTypes(value.getType());
  state.addAttribute("value", value);
}

//===----------------------------------------------------------------------===//
// mk.kernel, mk.variant: printed like functions
//===----------------------------------------------------------------------===//

template <typename OpTy>
static ParseResult parseFunctionLike(OpAsmParser &parser,
                                     OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      OpTy::getFunctionTypeAttrName(result.name), buildType,
      OpTy::getArgAttrsAttrName(result.name),
      OpTy::getResAttrsAttrName(result.name));
}

template <typename OpTy>
static void printFunctionLike(OpTy op, OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<KernelOp>(parser, result);
}
void KernelOp::print(OpAsmPrinter &p) { printFunctionLike(*this, p); }

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

YieldOp KernelOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

LogicalResult KernelOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("does not end in mk.yield");
  if (yield.getValues().getTypes() != TypeRange(getResultTypes()))
    return yield.emitOpError("gives ")
           << yield.getValues().getTypes() << ", but the kernel's results are "
           << getResultTypes();
  return success();
}

ParseResult VariantOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<VariantOp>(parser, result);
}
void VariantOp::print(OpAsmPrinter &p) { printFunctionLike(*this, p); }

void VariantOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      StringRef kernel, StringRef target, FunctionType type) {
  auto zero = builder.getI64IntegerAttr(0);
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute("kernel",
                     FlatSymbolRefAttr::get(state.getContext(), kernel));
  state.addAttribute("target", builder.getStringAttr(target));
  state.addAttribute("tile_count", zero);
  state.addAttribute("scratch_bytes", zero);
  state.addAttribute("flops", zero);
  state.addAttribute("access_code", builder.getDenseI64ArrayAttr({}));
  state.addAttribute("accesses", builder.getArrayAttr({}));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

//===----------------------------------------------------------------------===//
// mk.dispatch, mk.launch
//===----------------------------------------------------------------------===//

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("unknown kernel ") << getKernelAttr();
  auto type = FunctionType::get(getContext(), getInputs().getTypes(),
                                getOutputs().getTypes());
  if (kernel.getFunctionType() != type)
    return emitOpError("has type ")
           << type << ", but its kernel has " << kernel.getFunctionType();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  size_t operands = getBuffers().size();
  if (getOffsets().size() != operands || getStrides().size() != operands)
    return emitOpError("has ")
           << operands << " buffers, but " << getOffsets().size()
           << " offsets and " << getStrides().size() << " strides";
  Operation *callee = symbols.lookupNearestSymbolFrom(*this, getCalleeAttr());
  size_t expected = 0;
  if (auto kernel = dyn_cast_or_null<KernelOp>(callee))
    expected = kernel.getFunctionType().getNumInputs() +
               kernel.getFunctionType().getNumResults();
  else if (auto variant = dyn_cast_or_null<VariantOp>(callee))
    expected = variant.getFunctionType().getNumInputs() - 3;
  else
    return emitOpError("unknown kernel or variant ") << getCalleeAttr();
  if (expected != operands)
    return emitOpError("has ") << operands << " operands, but "
                               << getCalleeAttr() << " takes " << expected;
  return success();
}
