//===- ShareKernels.cpp - Kernels that differ in scalars alone ------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Each kernel's slots are found: the uses of scalar constants in bodies for
//    which a value from memory is as good.
// 2. Kernels whose text is equal once every slot is an operand are a family.
// 3. In a family of several kernels, the slots that differ become operands,
//    one for all slots that hold equal values in every member. One kernel is
//    left, and the dispatches of all members pass their values to it.
//
// A slot that all members agree on stays a constant, and so does every slot of
// a kernel without a family: nothing would be saved.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/KernelLimits.h"
#include "passes/kernels/Passes.h"

#include "dialects/nn/Level2.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mkc {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "passes/kernels/Passes.h.inc"
} // namespace mkc

using namespace mlir;
using namespace mkc;

namespace {

/// A use of a scalar constant that a tensor of rank 0 could stand for.
struct Slot {
  linalg::GenericOp generic;
  OpOperand *use;
  TypedAttr value;
};

RankedTensorType scalarTensor(Type element) {
  return RankedTensorType::get({}, element);
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// True if `use` costs the same whether its value is a constant or comes from
/// memory. Left out are uses where code generation makes more of a constant:
/// a divisor (a power of two becomes a factor, an integer a multiplication), a
/// factor of integers and the count of a shift (shifts and sums instead of
/// products), and the arguments of functions (an exponent). Constants of type
/// i1 and index choose between structures rather than between numbers, and a
/// NaN decides a comparison.
bool isAsGoodFromMemory(OpOperand &use, TypedAttr value) {
  Type type = value.getType();
  auto number = dyn_cast<FloatAttr>(value);
  if (type.isInteger(1) || !nn::isLevel2Type(scalarTensor(type)) ||
      (number && number.getValue().isNaN()))
    return false;
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::MaximumFOp,
            arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
            arith::CmpFOp, arith::AddIOp, arith::SubIOp, arith::MaxSIOp,
            arith::MinSIOp, arith::CmpIOp, arith::SelectOp>(
          [](Operation *) { return true; })
      .Case([&](arith::DivFOp) { return use.getOperandNumber() == 0; })
      .Default([](Operation *) { return false; });
}

/// In the order of the ops: kernels of one family have their slots in one
/// order.
SmallVector<Slot> findSlots(mk::KernelOp kernel) {
  SmallVector<Slot> slots;
  for (auto generic : kernel.getBody().front().getOps<linalg::GenericOp>())
    for (Operation &op : generic.getBody()->without_terminator())
      for (OpOperand &use : op.getOpOperands()) {
        auto constant = use.get().getDefiningOp<arith::ConstantOp>();
        if (constant && isAsGoodFromMemory(use, constant.getValue()))
          slots.push_back({generic, &use, constant.getValue()});
      }
  return slots;
}

/// Gives `generic` an input for each scalar in `scalars`, and returns the
/// body's arguments for them. `generic` is replaced.
SmallVector<Value> addScalarInputs(linalg::GenericOp generic,
                                   ArrayRef<Value> scalars) {
  OpBuilder builder(generic);
  SmallVector<Value> inputs(generic.getDpsInputs());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  unsigned first = inputs.size();
  AffineMap scalarMap =
      AffineMap::get(generic.getNumLoops(), 0, {}, generic.getContext());
  maps.insert(maps.begin() + first, scalars.size(), scalarMap);
  llvm::append_range(inputs, scalars);
  auto wider = linalg::GenericOp::create(
      builder, generic.getLoc(), generic.getResultTypes(), inputs,
      generic.getDpsInits(), maps, generic.getIteratorTypesArray());
  wider.getRegion().takeBody(generic.getRegion());
  SmallVector<Value> arguments;
  for (auto [i, scalar] : llvm::enumerate(scalars))
    arguments.push_back(wider.getBody()->insertArgument(
        first + i, cast<RankedTensorType>(scalar.getType()).getElementType(),
        generic.getLoc()));
  generic->replaceAllUsesWith(wider);
  generic.erase();
  return arguments;
}

void eraseUnusedConstants(mk::KernelOp kernel) {
  kernel.walk([](arith::ConstantOp constant) {
    if (constant->use_empty())
      constant.erase();
  });
}

/// A maximum or minimum with a bound that is a number is `x >= bound or x is
/// NaN ? x : bound`: one instruction of a CPU, where a bound that might be NaN
/// takes another. That operands are numbers is known here and nowhere below.
void simplifyBound(Operation *op, unsigned boundNumber) {
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return;
  auto predicate = isa<arith::MaximumFOp>(op) ? arith::CmpFPredicate::UGE
                                              : arith::CmpFPredicate::ULE;
  Value bound = op->getOperand(boundNumber),
        x = op->getOperand(1 - boundNumber);
  OpBuilder builder(op);
  Value isX = arith::CmpFOp::create(builder, op->getLoc(), predicate, x, bound);
  op->replaceAllUsesWith(ValueRange{
      arith::SelectOp::create(builder, op->getLoc(), isX, x, bound)});
  op->erase();
}

/// Number of the operand that a slot becomes; none for those that stay.
using Parameters = SmallVector<std::optional<unsigned>>;

/// Turns the slots of `kernel` (from findSlots) into operands behind its
/// inputs.
void parameterize(mk::KernelOp kernel, ArrayRef<Slot> slots,
                  const Parameters &parameters) {
  Block &body = kernel.getBody().front();
  llvm::MapVector<Operation *, unsigned> users;
  SmallVector<Value> arguments;
  for (auto [slot, number] : llvm::zip_equal(slots, parameters))
    if (number && *number == arguments.size())
      arguments.push_back(body.addArgument(scalarTensor(slot.value.getType()),
                                           kernel.getLoc()));
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), body.getArgumentTypes(),
                        kernel.getFunctionType().getResults()));
  while (!slots.empty()) {
    linalg::GenericOp generic = slots.front().generic;
    llvm::MapVector<unsigned, SmallVector<OpOperand *>> uses;
    unsigned count = 0;
    for (; count < slots.size() && slots[count].generic == generic; ++count)
      if (std::optional<unsigned> number = parameters[count])
        uses[*number].push_back(slots[count].use);
    SmallVector<Value> scalars;
    for (auto &[number, list] : uses)
      scalars.push_back(arguments[number]);
    if (!scalars.empty())
      for (auto [value, entry] :
           llvm::zip_equal(addScalarInputs(generic, scalars), uses))
        for (OpOperand *use : entry.second) {
          use->set(value);
          users[use->getOwner()] = use->getOperandNumber();
        }
    slots = slots.drop_front(count);
  }
  for (auto [user, number] : users)
    simplifyBound(user, number);
  eraseUnusedConstants(kernel);
}

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

struct Member {
  mk::KernelOp kernel;
  SmallVector<mk::DispatchOp> dispatches;
  SmallVector<TypedAttr> values; ///< Of its slots.
};

/// Gives each use of a constant one of its own, before its user: which uses
/// share a constant depends on the values.
void separateConstants(mk::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (auto constant = use.get().getDefiningOp<arith::ConstantOp>())
        use.set(OpBuilder(op).clone(*constant)->getResult(0));
  });
  eraseUnusedConstants(kernel);
}

/// The kernel's text with every slot an operand.
std::string textWithoutScalars(mk::KernelOp kernel) {
  auto copy = cast<mk::KernelOp>(kernel->clone());
  copy.setSymName("family");
  SmallVector<Slot> slots = findSlots(copy);
  Parameters all;
  for (unsigned i = 0; i < slots.size(); ++i)
    all.push_back(i);
  parameterize(copy, slots, all);
  separateConstants(copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().useLocalScope());
  copy.erase();
  return text;
}

class Family {
public:
  explicit Family(MutableArrayRef<Member> members) : members(members) {
    llvm::MapVector<Attribute, unsigned> numbers;
    MLIRContext *context = members.front().kernel.getContext();
    for (unsigned s = 0; s < members.front().values.size(); ++s) {
      SmallVector<Attribute> column = llvm::map_to_vector(
          members, [&](const Member &m) -> Attribute { return m.values[s]; });
      if (llvm::all_equal(column)) {
        parameters.push_back(std::nullopt);
        continue;
      }
      unsigned next = numbers.size();
      auto [entry, isNew] =
          numbers.try_emplace(ArrayAttr::get(context, column), next);
      parameters.push_back(entry->second);
      if (isNew)
        firstSlots.push_back(s);
    }
  }

  size_t operands() const {
    mk::KernelOp kernel = members.front().kernel;
    return kernel.getNumArguments() + kernel.getResultTypes().size() +
           firstSlots.size();
  }

  unsigned numParameters() const { return firstSlots.size(); }

  /// The values that dispatches of `member` pass.
  SmallVector<TypedAttr> valuesOf(const Member &member) const {
    return llvm::map_to_vector(firstSlots,
                               [&](unsigned s) { return member.values[s]; });
  }

  void parameterizeFirst() {
    mk::KernelOp kernel = members.front().kernel;
    parameterize(kernel, findSlots(kernel), parameters);
  }

  MutableArrayRef<Member> members;

private:
  Parameters parameters;            ///< Per slot.
  SmallVector<unsigned> firstSlots; ///< Per parameter.
};

struct ShareKernels : mkc::impl::ShareKernelsPassBase<ShareKernels> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main) {
      getOperation().emitError("has no function @main");
      return signalPassFailure();
    }
    // In the order of their first dispatch, whose kernel is the one that stays.
    llvm::MapVector<Attribute, SmallVector<mk::DispatchOp>> dispatches;
    main.walk([&](mk::DispatchOp op) {
      dispatches[op.getKernelAttr()].push_back(op);
    });
    llvm::MapVector<Attribute, SmallVector<Member>> families;
    for (auto &[name, ops] : dispatches) {
      auto kernel = getOperation().lookupSymbol<mk::KernelOp>(
          cast<FlatSymbolRefAttr>(name));
      SmallVector<TypedAttr> values = llvm::map_to_vector(
          findSlots(kernel), [](const Slot &slot) { return slot.value; });
      // What has no inputs is a fill or a table: weights, or written anew each
      // time, either of which reading a scalar would only delay.
      if (values.empty() || kernel.getNumArguments() == 0)
        continue;
      auto key = StringAttr::get(&getContext(), textWithoutScalars(kernel));
      families[key].push_back({kernel, ops, values});
    }
    for (auto &[key, members] : families)
      if (members.size() > 1)
        share(members, main);
  }

  void share(MutableArrayRef<Member> members, func::FuncOp main) {
    Family family(members);
    if (family.operands() > kMaxOperands)
      return;
    mk::KernelOp kernel = members.front().kernel;
    family.parameterizeFirst();
    members.front().dispatches.front().emitRemark("runs @")
        << kernel.getSymName() << ", which stands for " << members.size()
        << " kernels that differ in " << family.numParameters()
        << " scalars: these are operands";
    for (Member &member : members) {
      SmallVector<Value> scalars =
          llvm::map_to_vector(family.valuesOf(member), [&](TypedAttr value) {
            return scalarConstant(main, value);
          });
      for (mk::DispatchOp op : member.dispatches) {
        op.getInputsMutable().append(scalars);
        op.setKernel(kernel.getSymName());
      }
      if (member.kernel != kernel)
        member.kernel.erase();
    }
  }

  /// One constant per value, at the beginning of @main.
  Value scalarConstant(func::FuncOp main, TypedAttr value) {
    Value &constant = constants[value];
    if (!constant) {
      OpBuilder builder(main.getContext());
      builder.setInsertionPointToStart(&main.getBody().front());
      constant = arith::ConstantOp::create(
          builder, main.getLoc(),
          DenseElementsAttr::get(scalarTensor(value.getType()),
                                 ArrayRef<Attribute>(value)));
    }
    return constant;
  }

  llvm::DenseMap<Attribute, Value> constants;
};

} // namespace
