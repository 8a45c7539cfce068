//===- Lower.cpp - From a variant to an object ----------------------------===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No LLVM IR optimisation runs: the vector code is already in its final form,
// and the code generator alone reaches the same speed in a third of the time.
//
//===----------------------------------------------------------------------===//

#include "codegen/host/Lower.h"
#include "codegen/host/ExpandExtrema.h"
#include "codegen/tile/ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#include <mutex>

using namespace mlir;
using namespace mkc;
using namespace mkc::host;

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

namespace {

/// LLVM aligns spill slots to the stack, not to their size: a vector that
/// crosses a cache line costs a fifth of the speed, by chance of the caller's
/// stack.
void setFunctionAttributes(func::FuncOp function) {
  Builder b(function.getContext());
  function->setAttr("passthrough",
                    b.getArrayAttr({b.getStringAttr("stackrealign"),
                                    b.getStringAttr("nounwind"),
                                    b.getStrArrayAttr({"alignstack", "64"}),
                                    b.getStringAttr("no-builtins")}));
}

std::string bodyName(mk::VariantOp variant) {
  return (variant.getSymName() + ".body").str();
}

void buildPipeline(PassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(codegen::createExpandMathPass());
  pm.addNestedPass<func::FuncOp>(createExpandExtremaPass());
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

} // namespace

OwningOpRef<ModuleOp> mkc::host::lowerVariant(mk::VariantOp variant) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(variant.getLoc());
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  auto function = func::FuncOp::create(
      builder, variant.getLoc(), bodyName(variant), variant.getFunctionType());
  IRMapping mapping;
  variant.getBody().cloneInto(&function.getBody(), mapping);
  Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  func::ReturnOp::create(builder, end->getLoc());
  end->erase();
  setFunctionAttributes(function);
  PassManager pm(module->getContext());
  pm.enableVerifier(false);
  buildPipeline(pm);
  if (failed(pm.run(*module)))
    return {};
  return module;
}

//===----------------------------------------------------------------------===//
// LLVM
//===----------------------------------------------------------------------===//

static const llvm::Target *hostTarget(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  return llvm::TargetRegistry::lookupTarget(
      llvm::Triple(llvm::sys::getProcessTriple()), error);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const HostCpu &cpu, std::string &error) {
  const llvm::Target *target = hostTarget(error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::Triple(llvm::sys::getProcessTriple()), cpu.name, cpu.features,
      options, llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// A feature of LLVM's x86 back end that lets it select instructions, and its
/// name in /proc/cpuinfo (Linux, arch/x86/include/asm/cpufeatures.h).
struct CpuFlag {
  const char *feature, *cpuinfo;
};
static constexpr CpuFlag kCpuFlags[] = {
    {"sse3", "pni"},
    {"ssse3", "ssse3"},
    {"sse4.1", "sse4_1"},
    {"sse4.2", "sse4_2"},
    {"sse4a", "sse4a"},
    {"popcnt", "popcnt"},
    {"lzcnt", "abm"},
    {"movbe", "movbe"},
    {"bmi", "bmi1"},
    {"bmi2", "bmi2"},
    {"adx", "adx"},
    {"aes", "aes"},
    {"pclmul", "pclmulqdq"},
    {"sha", "sha_ni"},
    {"gfni", "gfni"},
    {"vaes", "vaes"},
    {"vpclmulqdq", "vpclmulqdq"},
    {"fma", "fma"},
    {"fma4", "fma4"},
    {"xop", "xop"},
    {"tbm", "tbm"},
    {"f16c", "f16c"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"avxvnni", "avx_vnni"},
    {"avxvnniint8", "avx_vnni_int8"},
    {"avxneconvert", "avx_ne_convert"},
    {"avxifma", "avx_ifma"},
    {"avx512f", "avx512f"},
    {"avx512bw", "avx512bw"},
    {"avx512cd", "avx512cd"},
    {"avx512dq", "avx512dq"},
    {"avx512vl", "avx512vl"},
    {"avx512ifma", "avx512ifma"},
    {"avx512vbmi", "avx512vbmi"},
    {"avx512vbmi2", "avx512_vbmi2"},
    {"avx512vnni", "avx512_vnni"},
    {"avx512bitalg", "avx512_bitalg"},
    {"avx512vpopcntdq", "avx512_vpopcntdq"},
    {"avx512vp2intersect", "avx512_vp2intersect"},
    {"avx512bf16", "avx512_bf16"},
    {"avx512fp16", "avx512_fp16"},
};

std::string mkc::host::resolveCpu(StringRef name, HostCpu &cpu) {
  cpu = {};
  llvm::SubtargetFeatures features;
  if (name == "native") {
    cpu.name = llvm::sys::getHostCPUName().str();
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    cpu.features = features.getString();
  } else {
    cpu.name = name.str();
  }
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(cpu, error);
  if (!machine)
    return error;
  const llvm::MCSubtargetInfo &info = *machine->getMCSubtargetInfo();
  if (!info.isCPUStringValid(cpu.name))
    return "unknown CPU '" + cpu.name + "'";
  for (const CpuFlag &flag : kCpuFlags)
    if (info.checkFeatures(("+" + StringRef(flag.feature)).str()))
      cpu.required.push_back(flag.cpuinfo);
  return "";
}

/// Adds the entry point `symbol(operands, tile, env)`, which unpacks the
/// operands and calls the body.
static void addEntry(llvm::Module &module, StringRef symbol, StringRef body,
                     unsigned operands) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Function *callee = module.getFunction(body);
  callee->setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::IRBuilder<> b(context);
  auto *type = llvm::FunctionType::get(
      b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getPtrTy()}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       symbol, module);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "", entry));
  SmallVector<llvm::Value *> arguments;
  for (unsigned i = 0; i < operands; ++i) {
    llvm::Value *slot =
        b.CreateConstInBoundsGEP1_64(b.getPtrTy(), entry->getArg(0), i);
    arguments.push_back(b.CreateLoad(b.getPtrTy(), slot));
  }
  // HostEnv::scratch is its first member.
  arguments.push_back(b.CreateLoad(b.getPtrTy(), entry->getArg(2)));
  arguments.push_back(entry->getArg(2));
  arguments.push_back(entry->getArg(1));
  b.CreateCall(callee, arguments);
  b.CreateRetVoid();
}

FailureOr<std::string> mkc::host::compileVariant(mk::VariantOp variant,
                                                 const HostCpu &cpu) {
  OwningOpRef<ModuleOp> lowered = lowerVariant(variant);
  if (!lowered)
    return failure();
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(cpu, error);
  if (!machine)
    return variant.emitError(error);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(*lowered, context, variant.getSymName());
  if (!module)
    return failure();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  unsigned operands = variant.getFunctionType().getNumInputs() - 3;
  addEntry(*module, variant.getSymName(), bodyName(variant), operands);
  SmallVector<char> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return variant.emitError("the target cannot emit objects");
  passes.run(*module);
  return std::string(object.begin(), object.end());
}
