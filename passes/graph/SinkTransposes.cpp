//===- SinkTransposes.cpp - Moves transposes down until they cancel -------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "passes/graph/Layout.h"
#include "passes/graph/Passes.h"

#include "dialects/mk/Mk.h"
#include "dialects/nn/Nn.h"
#include "passes/graph/Build/NnBuilder.h"
#include "passes/graph/Build/Reshape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mkc {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "passes/graph/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {
/// One walk down a block. A transpose is not moved op by op: its result is
/// noted as a *layout* of its operand (Layout.h) and each op that has operands
/// with layouts is emitted again on their sources, its own result having a
/// layout in turn. Where an op needs the plain value, the transpose is emitted,
/// once per value.
class TransposeSinker {
public:
  explicit TransposeSinker(Block &block)
      : block(block), builder(block.getParent()->getContext()) {}

  void run();

private:
  void visit(Operation *op);
  bool isConstantWork(Operation *op);

  // Each gives false if the op can't work on the sources, so that its operands
  // become plain.
  bool sinkGeneric(linalg::GenericOp op);
  bool sinkContract(nn::ContractOp op);
  bool sinkPool(nn::PoolOp op);
  bool sinkArgPool(nn::ArgPoolOp op);
  bool sinkConcat(tensor::ConcatOp op);
  bool sinkSlice(tensor::ExtractSliceOp op);
  bool sinkReshape(Operation *op);
  bool sinkArgReduce(nn::ArgReduceOp op);

  std::optional<Layout> layoutOf(Value value) {
    auto found = layouts.find(value);
    return found == layouts.end() ? std::nullopt : std::optional(found->second);
  }
  /// Notes that `value` is `layout`, or replaces it if the layout moves no
  /// data.
  void setLayout(Value value, Layout layout);
  Value plain(Value value);
  void absorb(Value &operand, AffineMap &map);
  SmallVector<unsigned> loopOrder(linalg::GenericOp op,
                                  ArrayRef<AffineMap> maps,
                                  ArrayRef<Value> inputs);
  Value emitInit(linalg::GenericOp op, ArrayRef<int64_t> shape);

  Block &block;
  OpBuilder builder;
  DenseMap<Value, Layout> layouts;
  DenseMap<Value, Value> emitted;
  DenseSet<Value> constants;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layouts of values
//===----------------------------------------------------------------------===//

void TransposeSinker::setLayout(Value value, Layout layout) {
  if (!layout.movesData()) {
    NnBuilder nn(builder, value.getLoc());
    value.replaceAllUsesWith(nn.reshape(layout.source, shapeOf(value)));
    return;
  }
  layouts[value] = std::move(layout);
}

Value TransposeSinker::plain(Value value) {
  std::optional<Layout> layout = layoutOf(value);
  if (!layout)
    return value;
  Value &result = emitted[value];
  if (!result)
    result = NnBuilder(builder, value.getLoc())
                 .transpose(layout->source, layout->perm);
  return result;
}

/// Replaces an operand, read at `map`, by the source of its layout.
void TransposeSinker::absorb(Value &operand, AffineMap &map) {
  if (std::optional<Layout> layout = layoutOf(operand)) {
    map = AffineMap::get(map.getNumDims(), 0,
                         layout->toSource(map.getResults()), map.getContext());
    operand = layout->source;
  }
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

/// The order in which the loops follow the largest input's memory: order[i] is
/// the old dim that becomes dim i. The loops stay as they are unless that input
/// has a layout and is read along all loops.
SmallVector<unsigned> TransposeSinker::loopOrder(linalg::GenericOp op,
                                                 ArrayRef<AffineMap> maps,
                                                 ArrayRef<Value> inputs) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<unsigned> order;
  std::optional<unsigned> reference;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    int64_t size = tensorTypeOf(input).getNumElements();
    int64_t best =
        reference ? tensorTypeOf(inputs[*reference]).getNumElements() : -1;
    bool hasLayout = layouts.contains(op.getInputs()[i]);
    if (size > best || (size == best && hasLayout &&
                        !layouts.contains(op.getInputs()[*reference])))
      reference = i;
  }
  if (reference && layouts.contains(op.getInputs()[*reference]))
    for (AffineExpr expr : maps[*reference].getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        order.push_back(dim.getPosition());
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  // Loops that the input isn't read along follow the loop before them, and must
  // be of size 1.
  for (unsigned d = 0; d < numLoops; ++d) {
    if (llvm::is_contained(order, d))
      continue;
    if (extents[d] != 1 || order.empty())
      return llvm::to_vector(llvm::seq<unsigned>(0, numLoops));
    auto *before = d == 0 ? order.begin() : std::next(llvm::find(order, d - 1));
    order.insert(before, d);
  }
  return order;
}

Value TransposeSinker::emitInit(linalg::GenericOp op, ArrayRef<int64_t> shape) {
  Value init = op.getOutputs()[0];
  Value empty =
      tensor::EmptyOp::create(builder, op.getLoc(), shape, elementOf(init));
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return empty;
  return linalg::FillOp::create(builder, op.getLoc(), fill.getInputs()[0],
                                empty)
      .getResult(0);
}

/// The permutation of a generic that does nothing else.
static std::optional<SmallVector<int64_t>> transposePerm(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  Operation *yield = op.getBody()->getTerminator();
  if (!map.isPermutation() ||
      yield->getOperand(0) != op.getBody()->getArgument(0))
    return std::nullopt;
  SmallVector<int64_t> perm(map.getNumResults());
  for (unsigned i = 0; i < perm.size(); ++i)
    perm[map.getDimPosition(i)] = i;
  return perm;
}

bool TransposeSinker::sinkGeneric(linalg::GenericOp op) {
  if (op->getNumResults() != 1 || layouts.contains(op.getOutputs()[0]))
    return false;
  if (auto perm = transposePerm(op)) {
    Layout layout = layoutOf(op.getInputs()[0])
                        .value_or(Layout::identity(op.getInputs()[0]));
    setLayout(op.getResult(0), layout.transposed(*perm));
    return true;
  }
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [input, map] : llvm::zip(inputs, maps))
    absorb(input, map);
  SmallVector<unsigned> order = loopOrder(op, maps, inputs);

  // Old dim d becomes position[d].
  unsigned numLoops = order.size();
  SmallVector<unsigned> position(numLoops);
  SmallVector<utils::IteratorType> iterators;
  for (auto [i, d] : llvm::enumerate(order)) {
    position[d] = i;
    iterators.push_back(op.getIteratorTypesArray()[d]);
  }
  SmallVector<AffineExpr> renamed;
  for (unsigned d : position)
    renamed.push_back(builder.getAffineDimExpr(d));
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(renamed, {}, numLoops, 0);

  // The result's dims follow the loops.
  SmallVector<int64_t> sorted =
      llvm::to_vector(llvm::seq<int64_t>(0, maps.back().getNumResults()));
  AffineMap resultMap = maps.back();
  llvm::sort(sorted, [&](int64_t a, int64_t b) {
    return resultMap.getDimPosition(a) < resultMap.getDimPosition(b);
  });
  SmallVector<int64_t> shape, perm(sorted.size());
  SmallVector<AffineExpr> index;
  for (auto [i, old] : llvm::enumerate(sorted)) {
    shape.push_back(shapeOf(op.getResult(0))[old]);
    index.push_back(resultMap.getResult(old));
    perm[old] = i;
  }
  maps.back() = AffineMap::get(numLoops, 0, index, builder.getContext());

  Value init = emitInit(op, shape);
  auto result = linalg::GenericOp::create(builder, op.getLoc(), init.getType(),
                                          inputs, init, maps, iterators);
  IRMapping mapping;
  op.getRegion().cloneInto(&result.getRegion(), mapping);
  result.walk([&](linalg::IndexOp at) { at.setDim(position[at.getDim()]); });
  setLayout(op.getResult(0), {result.getResult(0), perm});
  return true;
}

//===----------------------------------------------------------------------===//
// nn ops
//===----------------------------------------------------------------------===//

bool TransposeSinker::sinkContract(nn::ContractOp op) {
  Value x = op.getX(), w = op.getW();
  AffineMap xMap = op.getXMap(), wMap = op.getWMap();
  absorb(x, xMap);
  absorb(w, wMap);
  op.getResult().replaceAllUsesWith(
      NnBuilder(builder, op.getLoc())
          .contract(x, w, op.getExtents(), xMap, wMap, op.getResultMap()));
  return true;
}

bool TransposeSinker::sinkPool(nn::PoolOp op) {
  Value x = op.getX();
  AffineMap xMap = op.getXMap();
  absorb(x, xMap);
  op.getResult().replaceAllUsesWith(
      NnBuilder(builder, op.getLoc())
          .pool(x, op.getKind(), op.getExtents(), xMap, op.getResultMap()));
  return true;
}

/// The strides of indices go with the dims of x, so indices stay what they are.
bool TransposeSinker::sinkArgPool(nn::ArgPoolOp op) {
  Value x = op.getX();
  AffineMap xMap = op.getXMap();
  std::optional<Layout> layout = layoutOf(x);
  SmallVector<int64_t> strides = layout->toSource(op.getIndexStrides());
  absorb(x, xMap);
  auto [values, indices] =
      NnBuilder(builder, op.getLoc())
          .argPool(x, strides, op.getExtents(), xMap, op.getResultMap());
  op.getValues().replaceAllUsesWith(values);
  op.getIndices().replaceAllUsesWith(indices);
  return true;
}

bool TransposeSinker::sinkArgReduce(nn::ArgReduceOp op) {
  std::optional<Layout> layout = layoutOf(op.getX());
  int64_t axis = op.getAxis(), sourceAxis = layout->perm[axis];
  Value result =
      NnBuilder(builder, op.getLoc())
          .argReduce(layout->source, sourceAxis, op.getIsMax(), op.getLast());
  setLayout(op.getResult(), {result, layout->withoutDim(axis)});
  return true;
}

//===----------------------------------------------------------------------===//
// Moving data
//===----------------------------------------------------------------------===//

/// All operands get the layout that most of the data has.
bool TransposeSinker::sinkConcat(tensor::ConcatOp op) {
  std::optional<Layout> wanted;
  int64_t total = 0, bestSize = 0;
  for (Value operand : op.getInputs()) {
    std::optional<Layout> layout = layoutOf(operand);
    int64_t size = 0;
    for (Value other : op.getInputs())
      if (layout && layoutOf(other) && layoutOf(other)->perm == layout->perm)
        size += tensorTypeOf(other).getNumElements();
    total += tensorTypeOf(operand).getNumElements();
    if (size > bestSize) {
      wanted = layout;
      bestSize = size;
    }
  }
  if (2 * bestSize < total)
    return false;
  NnBuilder nn(builder, op.getLoc());
  SmallVector<Value> parts;
  for (Value operand : op.getInputs()) {
    Layout own = layoutOf(operand).value_or(Layout::identity(operand));
    Layout part = own.transposed(wanted->inverse());
    parts.push_back(nn.transpose(part.source, part.perm));
  }
  setLayout(op.getResult(),
            {nn.concat(parts, wanted->perm[op.getDim()]), wanted->perm});
  return true;
}

bool TransposeSinker::sinkSlice(tensor::ExtractSliceOp op) {
  std::optional<Layout> layout = layoutOf(op.getSource());
  if (op.getType().getRank() != op.getSourceType().getRank())
    return false;
  Value result = NnBuilder(builder, op.getLoc())
                     .slice(layout->source,
                            layout->toSource<int64_t>(op.getStaticOffsets()),
                            layout->toSource<int64_t>(op.getStaticSizes()),
                            layout->toSource<int64_t>(op.getStaticStrides()));
  setLayout(op.getResult(), {result, layout->perm});
  return true;
}

bool TransposeSinker::sinkReshape(Operation *op) {
  Layout layout = *layoutOf(op->getOperand(0));
  std::optional<ReshapedLayout> reshaped = reshapeLayout(
      layout, shapeOf(op->getOperand(0)), shapeOf(op->getResult(0)));
  if (!reshaped)
    return false;
  // Where dims are brought into order and nothing is left to move, the plain
  // value serves other uses too.
  if (Layout{layout.source, reshaped->before}.movesData() &&
      llvm::is_sorted(reshaped->perm))
    return false;
  NnBuilder nn(builder, op->getLoc());
  Value source = nn.transpose(layout.source, reshaped->before);
  setLayout(op->getResult(0),
            {nn.reshape(source, reshaped->shape), reshaped->perm});
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Constants and what is computed from them alone: compiled code evaluates it
/// before anything runs, so a transpose there costs nothing, and layouts that
/// consumers chose for weights stay.
bool TransposeSinker::isConstantWork(Operation *op) {
  if (isa<arith::ConstantOp, mk::WeightOp, tensor::EmptyOp>(op))
    return true;
  return op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return constants.contains(operand);
         });
}

void TransposeSinker::visit(Operation *op) {
  if (isConstantWork(op)) {
    constants.insert_range(op->getResults());
    return;
  }
  auto generic = dyn_cast<linalg::GenericOp>(op);
  bool isTranspose = generic && transposePerm(generic);
  if (!isTranspose && llvm::none_of(op->getOperands(), [&](Value operand) {
        return layouts.contains(operand);
      }))
    return;
  builder.setInsertionPoint(op);
  bool done = TypeSwitch<Operation *, bool>(op)
                  .Case([&](linalg::GenericOp o) { return sinkGeneric(o); })
                  .Case([&](nn::ContractOp o) { return sinkContract(o); })
                  .Case([&](nn::PoolOp o) { return sinkPool(o); })
                  .Case([&](nn::ArgPoolOp o) { return sinkArgPool(o); })
                  .Case([&](nn::ArgReduceOp o) { return sinkArgReduce(o); })
                  .Case([&](tensor::ConcatOp o) { return sinkConcat(o); })
                  .Case([&](tensor::ExtractSliceOp o) { return sinkSlice(o); })
                  .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                      [&](Operation *o) { return sinkReshape(o); })
                  .Default([](Operation *) { return false; });
  if (done)
    return;
  for (OpOperand &operand : op->getOpOperands())
    operand.set(plain(operand.get()));
}

/// A transpose of a product that nothing else reads becomes the order of the
/// product's result, if its innermost dim stays innermost.
static void writeTransposed(linalg::GenericOp op) {
  auto perm = transposePerm(op);
  auto contract = perm ? op.getInputs()[0].getDefiningOp<nn::ContractOp>()
                       : nn::ContractOp();
  if (!contract || !contract->hasOneUse() ||
      perm->back() + 1 != int64_t(perm->size()))
    return;
  SmallVector<AffineExpr> index;
  for (int64_t d : *perm)
    index.push_back(contract.getResultMap().getResult(d));
  OpBuilder builder(contract);
  AffineMap map =
      AffineMap::get(contract.getExtents().size(), 0, index, op.getContext());
  op.getResult(0).replaceAllUsesWith(
      NnBuilder(builder, contract.getLoc())
          .contract(contract.getX(), contract.getW(), contract.getExtents(),
                    contract.getXMap(), contract.getWMap(), map));
}

void TransposeSinker::run() {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops)
    visit(op);
  eraseDeadOps(block);
  for (auto op : llvm::to_vector(block.getOps<linalg::GenericOp>()))
    writeTransposed(op);
  eraseDeadOps(block);
}

namespace {
struct SinkTransposesPass
    : mkc::impl::SinkTransposesPassBase<SinkTransposesPass> {
  void runOnOperation() override {
    if (!getOperation().isExternal())
      TransposeSinker(getOperation().front()).run();
  }
};
} // namespace
