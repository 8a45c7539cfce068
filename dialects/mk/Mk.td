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
    Large constants are `mk.weight`, small ones (64 KB or less) `arith.constant`.

    ```mlir
    %w = mk.weight #mk.weight<"model.onnx", 4096, 256, 0> : tensor<64xf32>
    ```
  }];
  let arguments = (ins Mk_WeightAttr:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let builders = [OpBuilder<(ins "WeightAttr":$value)>];
}

#endif // MKC_DIALECTS_MK_MK_TD
