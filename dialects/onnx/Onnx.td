//===- Onnx.td - The imported graph ---------------------------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_DIALECTS_ONNX_ONNX_TD
#define MKC_DIALECTS_ONNX_ONNX_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Onnx_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::mkc::onnx";
  let summary = "An ONNX graph, as the file has it.";
  let description = [{
    One generic op holds any node of any domain and opset. A graph is a `func.func`:
    the main graph `@main`, with argument attributes `onnx.name` (string) and
    `onnx.dims` (array of i64 or string, one per dim: a number, a dim's name, or "" for an
    anonymous dim), result attributes the same. Opset imports are the module's attribute
    `onnx.opsets` (dictionary domain -> i64, "ai.onnx" for the default domain; a node's `domain` is "" there).
    `onnx.constant_inputs` (array of strings) names graph inputs that have an initialiser: they are constants, no
    arguments. Model-local functions are `func.func private @"domain:name"`, or `@"domain:name:overload"`, with
    the attribute `onnx.function`: a dictionary of `attributes` (names), `defaults` (values) and `opsets`.

    Tensor types are builtin tensors; `ui2` .. `ui64`, signless `i2` .. `i64` for signed integers, f16, bf16, f4, f6 and
    f8 types of builtin; unknown dims are `?`. A value whose type the file doesn't tell is `!onnx.unknown`. The types of
    inner values are what the exporter noted and may be wrong.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Onnx_Type<string name, string mnem> : TypeDef<Onnx_Dialect, name> {
  let mnemonic = mnem;
}
def Onnx_UnknownType : Onnx_Type<"Unknown", "unknown"> {
  let summary = "A value whose type the model doesn't state.";
}
def Onnx_NoneType : Onnx_Type<"None", "none"> {
  let summary = "An omitted optional input or output.";
}
def Onnx_StringType : Onnx_Type<"String", "string"> {
  let summary = "Element type of string tensors.";
}
def Onnx_ElemType : Onnx_Type<"Elem", "elem"> {
  let summary = "An element type that this version knows only by its number.";
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}
def Onnx_SparseType : Onnx_Type<"Sparse", "sparse"> {
  let summary = "ONNX sparse tensor type.";
  let parameters = (ins "mlir::Type":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}
def Onnx_OpaqueType : Onnx_Type<"Opaque", "opaque"> {
  let summary = "ONNX opaque type.";
  let parameters = (ins StringRefParameter<"domain">:$domain, StringRefParameter<"name">:$name);
  let assemblyFormat = "`<` $domain `,` $name `>`";
}
def Onnx_SequenceType : Onnx_Type<"Sequence", "seq"> {
  let summary = "ONNX sequence type.";
  let parameters = (ins "mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}
def Onnx_OptionalType : Onnx_Type<"Optional", "optional"> {
  let summary = "ONNX optional type.";
  let parameters = (ins "mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}
def Onnx_MapType : Onnx_Type<"Map", "map"> {
  let summary = "ONNX map type.";
  let parameters = (ins "mlir::Type":$key, "mlir::Type":$value);
  let assemblyFormat = "`<` $key `,` $value `>`";
}

def Onnx_RefAttr : AttrDef<Onnx_Dialect, "Ref"> {
  let mnemonic = "ref";
  let summary = "An attribute of a node in a function that stands for the function's own attribute.";
  let parameters = (ins StringRefParameter<"name of the function's attribute">:$name);
  let assemblyFormat = "`<` $name `>`";
}

class Onnx_Op<string mnemonic, list<Trait> traits = []>
    : Op<Onnx_Dialect, mnemonic, traits>;

def Onnx_NodeOp : Onnx_Op<"node"> {
  let summary = "Any ONNX node.";
  let description = [{
    `node_attributes` holds the node's attributes: INT as i64, FLOAT as f32, STRING as string (raw
    bytes), INTS, FLOATS as dense arrays, STRINGS and the other lists as array attributes, TENSOR as
    `dense` (64 KB or less) or `#mk.weight`, SPARSE_TENSOR as `sparse`, TYPE_PROTO as type attribute. In a
    model-local function, `#onnx.ref` stands for an attribute of the function. Subgraphs are regions, named by
    `graph_attributes` in order; `then_branch` is one region, a GRAPHS attribute several with the same name.
    An omitted optional input is an `onnx.none` value; an omitted output has type `!onnx.none`.
    `output_names` holds the outputs' names in the file, "" for an omitted one. `overload` is that of a call of a
    model-local function.

    ```mlir
    %y = onnx.node "Conv"(%x, %w) {node_attributes = {strides = array<i64: 2, 2>}, domain = "", opset = 17 : i64}
         : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>) -> tensor<1x64x112x112xf32>
    ```
  }];
  let arguments = (ins StrAttr:$op_type, Variadic<AnyType>:$inputs, StrAttr:$domain, I64Attr:$opset,
                       DictionaryAttr:$node_attributes, OptionalAttr<StrArrayAttr>:$graph_attributes,
                       OptionalAttr<StrArrayAttr>:$output_names, OptionalAttr<StrAttr>:$overload);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region VariadicRegion<AnyRegion>:$graphs);
  let assemblyFormat = [{
    $op_type `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $graphs
  }];
  let hasVerifier = 1;
}

def Onnx_NoneOp : Onnx_Op<"none", [Pure]> {
  let summary = "The value of an omitted optional input.";
  let results = (outs Onnx_NoneType:$result);
  let assemblyFormat = "attr-dict";
}

def Onnx_InitializerOp : Onnx_Op<"initializer", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A weight: a tensor's name and value.";
  let description = [{
    `value` is `#mk.weight` or, for 64 KB or less, a dense or sparse elements attribute of the result's type.
    Strings, and tensors that the file has in no plain form, are dense at any size. Elements of 2, 4 and 6 bits are
    packed from the low bits in a weight's bytes, and take a byte each in a dense attribute.
  }];
  let arguments = (ins StrAttr:$sym_name, TypedAttrInterface:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sym_name `:` type($result) `=` $value attr-dict";
}

def Onnx_YieldOp : Onnx_Op<"yield", [Pure, Terminator]> {
  let summary = "Ends a subgraph and gives its outputs.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // MKC_DIALECTS_ONNX_ONNX_TD
