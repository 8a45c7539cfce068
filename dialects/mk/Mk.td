//===- Mk.td - Kernels, dispatches, weights -------------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_DIALECTS_MK_MK_TD
#define MKC_DIALECTS_MK_MK_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mk_Dialect : Dialect {
  let name = "mk";
  let cppNamespace = "::mkc::mk";
  let summary = "Kernels, their launches, weights and buffers.";
  let useDefaultAttributePrinterParser = 1;
}

class Mk_Op<string mnemonic, list<Trait> traits = []>
    : Op<Mk_Dialect, mnemonic, traits>;

def Mk_WeightAttr : AttrDef<Mk_Dialect, "Weight", [TypedAttrInterface]> {
  let mnemonic = "weight";
  let summary = "Reference to a tensor's bytes in a file.";
  let description = [{
    The bytes `[offset, offset + bytes)` of `file` hold the tensor in row-major
    order, little-endian, bool as one byte each. The file is the model, its external
    data, or another file beside it, and is only mapped, never copied into IR. `hash` is the
    XXH3-64 of the bytes, or 0 while nobody has asked for it.

    Example: `#mk.weight<"model.onnx", 4096, 256, 0> : tensor<64xf32>`
  }];
  let parameters = (ins StringRefParameter<"path of the file">:$file,
                        "uint64_t":$offset, "uint64_t":$bytes, "uint64_t":$hash,
                        AttributeSelfTypeParameter<"">:$type);
  let assemblyFormat = "`<` $file `,` $offset `,` $bytes `,` $hash `>`";
}

def Mk_WeightOp : Mk_Op<"weight", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A weight as a tensor.";
  let description = [{
    Constants of more than 64 KB that a file holds as plain bytes are `mk.weight`, others `arith.constant`.

    ```mlir
    %w = mk.weight #mk.weight<"model.onnx", 4096, 256, 0> : tensor<64xf32>
    ```
  }];
  let arguments = (ins Mk_WeightAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "custom<Weight>($value) attr-dict";
  let builders = [OpBuilder<(ins "WeightAttr":$value)>];
}

class Mk_FunctionLike<string mnemonic, list<Trait> traits = []>
    : Mk_Op<mnemonic, !listconcat([FunctionOpInterface, IsolatedFromAbove, Symbol], traits)> {
  let hasCustomAssemblyFormat = 1;
  code functionDeclaration = [{
    mlir::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    mlir::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Mk_KernelOp : Mk_FunctionLike<"kernel"> {
  let summary = "Fused computation of one task family, without choices for a target.";
  let description = [{
    A list of structured level-2 ops on tensors. Kernels that are equal but for
    their name are one kernel; every `mk.dispatch` names the kernel that it runs.

    ```mlir
    mk.kernel @scale(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
      ...
      mk.yield %y : tensor<64x32xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region SizedRegion<1>:$body);
  let builders = [OpBuilder<(ins "mlir::StringRef":$name, "mlir::FunctionType":$type)>];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = functionDeclaration # [{
    YieldOp getYield();
  }];
}

def Mk_YieldOp : Mk_Op<"yield", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "Ends a kernel and gives its results.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Mk_DispatchOp : Mk_Op<"dispatch", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on tensors.";
  let description = [{
    Its location names the ONNX nodes that the kernel computes.

    ```mlir
    %y = mk.dispatch @scale(%x) : (tensor<64x32xf32>) -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

def Mk_VariantOp : Mk_FunctionLike<"variant"> {
  let summary = "A kernel for one target and one layout of its operands.";
  let description = [{
    Its arguments are the kernel's operands (inputs, then results) as flat memrefs of their elements
    (bool as i8), the scratch memory of the worker as `memref<?xi8>`, the worker's environment as `!llvm.ptr`, and the
    tile index. `tile_count` tiles cover the kernel. `access_code` and `accesses` are the
    encoded access programs of all operands, as runtime/format/AccessProgram.h has them, with all fields
    widened to i64: per instruction op, a, b, c, imm; per access operand, mode, rank, offset, inner bytes, then
    (size, stride) of each dim.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$kernel, StrAttr:$target,
                       I64Attr:$tile_count, I64Attr:$scratch_bytes, I64Attr:$flops,
                       DenseI64ArrayAttr:$access_code, ArrayAttr:$accesses,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "mlir::StringRef":$name, "mlir::StringRef":$kernel, "mlir::StringRef":$target,
                                 "mlir::FunctionType":$type)>];
  let extraClassDeclaration = functionDeclaration;
}

def Mk_ReturnOp : Mk_Op<"return", [Pure, Terminator, HasParent<"VariantOp">]> {
  let summary = "Ends a variant's body.";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// In the bodies of variants for a GPU
//===----------------------------------------------------------------------===//

def Mk_ThreadIdOp : Mk_Op<"thread_id", [Pure]> {
  let summary = "Number of the thread among those that run the tile together.";
  let description = [{
    0 to 255 (`codegen/cuda/device`: `mk_thread()`). All of them run the same body.

    ```mlir
    %t = mk.thread_id : index
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Mk_SyncOp : Mk_Op<"sync"> {
  let summary = "Waits until all threads of the tile are here.";
  let description = [{
    What they have stored before is then visible to all of them. Must be reached by all threads or by none.
  }];
  let assemblyFormat = "attr-dict";
}

def Mk_SharedOp : Mk_Op<"shared"> {
  let summary = "Memory that the threads of a tile share on the chip.";
  let description = [{
    Undefined at the begin of a tile. One op per variant, at its begin.

    ```mlir
    %s = mk.shared : memref<2048xi8, 3>
    ```
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Mk_CheckIndexOp : Mk_Op<"check_index"> {
  let summary = "Whether an index from data is in [0, bound).";
  let description = [{
    If not, the run is stopped with an error that names the node, and the index must not be used.
    `index` is what the error shows.

    ```mlir
    %ok = mk.check_index %index, %raw, 100 : i1
    ```
  }];
  let arguments = (ins I64:$index, I64:$shown, I64Attr:$bound);
  let results = (outs I1:$ok);
  let assemblyFormat = "$index `,` $shown `,` $bound attr-dict `:` type($ok)";
}

def Mk_BufferKind : I32EnumAttr<"BufferKind", "what memory a buffer is", [
  I32EnumAttrCase<"Arena", 0, "arena">, I32EnumAttrCase<"Weights", 1, "weights">,
  I32EnumAttrCase<"Input", 3, "input">, I32EnumAttrCase<"Output", 4, "output">]> {
  let cppNamespace = "::mkc::mk";
  let genSpecializedAttr = 0;
}
def Mk_BufferKindAttr : EnumAttr<Mk_Dialect, Mk_BufferKind, "buffer_kind">;

def Mk_BufferOp : Mk_Op<"buffer", []> {
  let summary = "A contiguous piece of memory.";
  let description = [{
    `index` is the number of the program's input or output. A `weights` buffer with a `value` holds a constant;
    without one it is filled at compile time by the launches that write it.
  }];
  let arguments = (ins Mk_BufferKindAttr:$kind, I64Attr:$bytes, I64Attr:$index, OptionalAttr<AnyAttr>:$value);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$kind attr-dict `:` type($result)";
}

def Mk_LaunchOp : Mk_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel or a variant on buffers.";
  let description = [{
    Operand i starts `offsets[i]` bytes into `buffers[i]` and has the strides `strides[i]`, in elements. The first
    `num_inputs` operands are read, the others written. `callee` is a kernel until a target's variant of it is chosen. A launch with `compile_time` computes weights and doesn't become a task.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyMemRef>:$buffers, DenseI64ArrayAttr:$offsets,
                       ArrayAttr:$strides, I64Attr:$num_inputs, UnitAttr:$compile_time);
  let assemblyFormat = "$callee `(` $buffers `)` attr-dict `:` type($buffers)";
}

#endif // MKC_DIALECTS_MK_MK_TD
