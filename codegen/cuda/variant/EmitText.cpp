//===- EmitText.cpp - A variant as CUDA C++ -------------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statement by statement, a variable per value; constants are written where
// they are used.
//
//===----------------------------------------------------------------------===//

#include "codegen/cuda/variant/EmitText.h"
#include "codegen/cuda/variant/ScalarText.h"
#include "codegen/cuda/variant/Variant.h"
#include "codegen/tile/ExpandMath.h"
#include "dialects/mk/NodeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mkc;
using namespace mkc::cuda;

namespace {

/// Where a memref's elements are: what its accesses go through.
enum class Space { Activation, Weight, Shared };

struct Pointer {
  std::string base; ///< An expression of type u8 *, or const u8 *.
  Space space;
};

class TextEmitter {
public:
  TextEmitter(mk::VariantOp variant, func::FuncOp body, unsigned id)
      : variant(variant), body(body), id(id), out(text) {}

  FailureOr<std::string> emit() {
    bindArguments();
    out << "#include \"mk.cuh\"\n\n";
    out << "// " << commentText(variant.getSymName().str()) << ": "
        << variant.getTileCount() << " tiles\n";
    nodeComment(variant.getLoc());
    out << "MK_ENTRY k" << id << "_compute(u32 slot, u32 seq) {\n";
    depth = 1;
    line("MkTask task = mk_task(slot);");
    emitOperands();
    line("const " + indexType() + " thread = mk_thread();");
    line("for (u32 t = 0; t < task.count; ++t) {");
    ++depth;
    line("const " + indexType() + " tile = task.start + t * task.stride;");
    if (failed(emitBlock(body.getBody().front())))
      return failure();
    --depth;
    line("}");
    line("return seq;");
    out << "}\n";
    return text;
  }

private:
  //--- Statements -----------------------------------------------------------//

  void line(const Twine &statement) {
    out.indent(2 * depth) << statement << "\n";
  }

  void nodeComment(Location loc) {
    std::string nodes = commentText(mk::nodeNames(loc));
    if (nodes == lastNodes || nodes.empty())
      return;
    lastNodes = nodes;
    line("// mk-node: " + Twine(nodes));
  }

  std::string indexType() const { return wideIndex ? "i64" : "i32"; }

  std::string typeText(Type type) const {
    return type.isIndex() ? indexType() : scalarType(type);
  }

  std::string define(Value value) {
    std::string name = "v" + std::to_string(count++);
    names[value] = name;
    return name;
  }

  std::string use(Value value) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      return literal(constant.getValue(), wideIndex);
    return names.lookup(value);
  }

  void assign(Value result, const Twine &expression) {
    std::string type = typeText(result.getType());
    line("const " + type + " " + define(result) + " = " + expression + ";");
  }

  //--- Arguments ------------------------------------------------------------//

  unsigned operandCount() { return body.getNumArguments() - 3; }

  void bindArguments() {
    for (unsigned i = 0; i < operandCount() + 1; ++i) {
      auto type = cast<MemRefType>(body.getArgument(i).getType());
      // Indices of elements, and a little more, in 31 bits.
      wideIndex |= type.getNumElements() > (int64_t(1) << 30);
    }
    wideIndex |= variant.getTileCount() > (int64_t(1) << 30);
    names[body.getArguments().back()] = "tile";
  }

  void emitOperands() {
    unsigned operands = operandCount();
    for (unsigned i = 0; i < operands; ++i) {
      BlockArgument argument = body.getArgument(i);
      bool weight = variant.getArgAttr(i, kWeightAttr) != nullptr;
      std::string name = (weight ? "w" : "a") + std::to_string(i);
      pointers[argument] = {name, weight ? Space::Weight : Space::Activation};
      if (argument.use_empty())
        continue;
      line("u8 *const " + name + " = mk_operand<" + Twine(operands) +
           ">(slot, " + Twine(i) + ");");
    }
    BlockArgument scratch = body.getArgument(operands);
    pointers[scratch] = {"scratch", Space::Activation};
    if (!scratch.use_empty())
      line("u8 *const scratch = mk_block_scratch();");
  }

  //--- Ops ------------------------------------------------------------------//

  LogicalResult emitBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(emitOp(op)))
        return failure();
    return success();
  }

  LogicalResult emitOp(Operation &op) {
    if (isa<arith::ConstantOp>(op))
      return success();
    nodeComment(op.getLoc());
    return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
        .Case<scf::ForOp, scf::IfOp>([&](auto typed) { return emit(typed); })
        .Case<memref::LoadOp, memref::StoreOp, memref::ViewOp, mk::SharedOp,
              mk::ThreadIdOp, mk::SyncOp, mk::CheckIndexOp>([&](auto typed) {
          emit(typed);
          return success();
        })
        .Default([&](Operation *) { return emitScalar(op); });
  }

  LogicalResult emitScalar(Operation &op) {
    SmallVector<std::string> operands;
    for (Value operand : op.getOperands())
      operands.push_back(use(operand));
    std::optional<std::string> expression =
        scalarExpression(op, operands, wideIndex);
    if (!expression)
      return op.emitOpError("has no CUDA text");
    assign(op.getResult(0), *expression);
    return success();
  }

  void emit(mk::ThreadIdOp op) { names[op] = "thread"; }

  void emit(mk::SharedOp op) {
    line("u8 *const shared = mk_scratch_begin();");
    pointers[op.getResult()] = {"shared", Space::Shared};
  }

  void emit(mk::SyncOp) { line("mk_sync();"); }

  void emit(mk::CheckIndexOp op) {
    assign(op.getOk(),
           "mk_check_index(slot, tile, " + Twine(use(op.getIndex())) + ", " +
               use(op.getShown()) + ", " + Twine(op.getBound()) + ")");
  }

  //--- Memory ---------------------------------------------------------------//

  void emit(memref::ViewOp op) {
    Pointer base = pointers.lookup(op.getSource());
    base.base = "(" + base.base + " + " + use(op.getByteShift()) + ")";
    pointers[op.getResult()] = base;
  }

  std::string address(const Pointer &pointer, Type element, ValueRange at) {
    std::string index = use(at[0]);
    return "(" + scalarType(element) + " *)" + pointer.base + " + " + index;
  }

  void emit(memref::LoadOp op) {
    const Pointer &pointer = pointers[op.getMemRef()];
    Type element = op.getMemRefType().getElementType();
    const char *function = pointer.space == Space::Weight   ? "mk_load_weight"
                           : pointer.space == Space::Shared ? "ld_shared"
                                                            : "ld_act";
    assign(op.getResult(), Twine(function) + "<" + scalarType(element) + ">(" +
                               address(pointer, element, op.getIndices()) +
                               ")");
  }

  void emit(memref::StoreOp op) {
    const Pointer &pointer = pointers[op.getMemRef()];
    Type element = op.getMemRefType().getElementType();
    line(Twine(pointer.space == Space::Shared ? "st_shared" : "st_act") + "<" +
         scalarType(element) + ">(" +
         address(pointer, element, op.getIndices()) + ", " +
         use(op.getValueToStore()) + ");");
  }

  //--- Control flow ---------------------------------------------------------//

  /// Variables that a loop or branch assigns.
  void declareResults(Operation *op, ValueRange inits) {
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      std::string declaration =
          typeText(result.getType()) + " " + define(result);
      line(declaration +
           (inits.empty() ? std::string() : " = " + use(inits[i])) + ";");
    }
  }

  void yieldTo(Operation *op, Block &block) {
    ValueRange yielded = block.getTerminator()->getOperands();
    SmallVector<std::string> values;
    // A value may be a variable that is assigned before it is read.
    for (auto [result, value] : llvm::zip(op->getResults(), yielded)) {
      values.push_back(use(value));
      bool isVariable = llvm::any_of(op->getResults(), [&](Value other) {
        return other != result && names.lookup(other) == values.back();
      });
      if (isVariable) {
        std::string copy = "v" + std::to_string(count++);
        line("const " + typeText(result.getType()) + " " + copy + " = " +
             values.back() + ";");
        values.back() = copy;
      }
    }
    for (auto [result, value] : llvm::zip(op->getResults(), values))
      if (names.lookup(result) != value)
        line(names.lookup(result) + " = " + value + ";");
  }

  LogicalResult emit(scf::ForOp op) {
    declareResults(op, op.getInitArgs());
    for (auto [argument, result] :
         llvm::zip(op.getRegionIterArgs(), op.getResults()))
      names[argument] = names.lookup(result);
    std::string i = define(op.getInductionVar());
    // As far as loads of a few rounds can be in flight: a task has some 74
    // registers that need not be saved.
    bool isInner = op.getBody()->getOps<scf::ForOp>().empty();
    line(isInner ? "#pragma unroll 2" : "#pragma unroll 1");
    line("for (" + indexType() + " " + i + " = " + use(op.getLowerBound()) +
         "; " + i + " < " + use(op.getUpperBound()) + "; " + i +
         " += " + use(op.getStep()) + ") {");
    ++depth;
    if (failed(emitBlock(*op.getBody())))
      return failure();
    yieldTo(op, *op.getBody());
    --depth;
    line("}");
    return success();
  }

  LogicalResult emit(scf::IfOp op) {
    declareResults(op, {});
    line("if (" + use(op.getCondition()) + ") {");
    for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
      if (region->empty())
        continue;
      if (region == &op.getElseRegion())
        line("} else {");
      ++depth;
      if (failed(emitBlock(region->front())))
        return failure();
      yieldTo(op, region->front());
      --depth;
    }
    line("}");
    return success();
  }

  mk::VariantOp variant;
  func::FuncOp body;
  unsigned id;
  std::string text;
  llvm::raw_string_ostream out;
  unsigned depth = 0, count = 0;
  bool wideIndex = false;
  std::string lastNodes;
  llvm::DenseMap<Value, std::string> names;
  llvm::DenseMap<Value, Pointer> pointers;
};

/// The body as a function of its own, simplified and without math functions.
OwningOpRef<ModuleOp> prepare(mk::VariantOp variant) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(variant.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  auto function =
      func::FuncOp::create(builder, variant.getLoc(), variant.getSymName(),
                           variant.getFunctionType());
  IRMapping mapping;
  variant.getBody().cloneInto(&function.getBody(), mapping);
  Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc());
  end->erase();
  PassManager pm(module->getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(codegen::createExpandMathPass());
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (failed(pm.run(*module)))
    return {};
  return module;
}

} // namespace

FailureOr<CudaModule> mkc::cuda::emitModule(mk::VariantOp variant,
                                            unsigned id) {
  OwningOpRef<ModuleOp> module = prepare(variant);
  if (!module)
    return failure();
  auto function = *module->getOps<func::FuncOp>().begin();
  FailureOr<std::string> text = TextEmitter(variant, function, id).emit();
  if (failed(text))
    return failure();
  return CudaModule{"k" + std::to_string(id) + ".cu", std::move(*text)};
}
