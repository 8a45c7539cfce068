//===- Nn.td - Structured tensor ops that linalg lacks --------*- tablegen -*-===//
//
// Part of the mkc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MKC_DIALECTS_NN_NN_TD
#define MKC_DIALECTS_NN_NN_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nn_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::mkc::nn";
  let summary = "Whole concepts of neural networks on tensors of static shape.";
  let description = [{
    All ops are pure and take and return ranked tensors of static shape. Together
    with `linalg.generic` and a few ops of `tensor` and `arith` they are the
    second level of IR; docs/ir.md lists the whole vocabulary.
  }];
  let useDefaultAttributePrinterParser = 1;
}

class Nn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat([Pure], traits)>;

def Nn_ContractOp : Nn_Op<"contract", []> {
  let summary = "Sum of products over an iteration space: matmul, Gemm, convolution.";
  let description = [{
    For every point d of the iteration space `extents`:

      result[outMap(d)] += x[xMap(d)] * w[wMap(d)]

    with a result that starts from zero. A point whose x index lies outside x
    contributes nothing: that is the zero padding of a convolution.

    (C1) `maps` has three entries, x, w, result, with extents.size() dims each.
    (C2) The result map is a projected permutation: its dims are the parallel dims, all
         others are summed over.
    (C3) The x map's results are affine in the dims, with constant coefficients of 0 or more: e.g.
         `d1 * 2 + d4 - 1` for stride 2 and padding 1.
    (C4) The w map's results are dims, or `d floordiv c` and `d mod c` for a packed dim.
    (C5) Each extent is positive or zero, and the result's shape is the extents of its dims.
    (C6) The result is f32, f64, i32 or i64, and so are x and w; in f32, each of them may also be f16 or bf16,
         whose elements are extended before they are multiplied. Integers wrap.

    Example: a 3x3 convolution of an NHWC image, padding 1, 64 -> 32 channels:

    ```mlir
    // d = (n, oh, ow, k, r, s, c)
    %y = nn.contract %x, %w {
      extents = array<i64: 1, 56, 56, 32, 3, 3, 64>,
      maps = [affine_map<(n, h, w, k, r, s, c) -> (n, h + r - 1, w + s - 1, c)>,
              affine_map<(n, h, w, k, r, s, c) -> (r, s, c, k)>,
              affine_map<(n, h, w, k, r, s, c) -> (n, h, w, k)>]
    } : (tensor<1x56x56x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x56x56x32xf32>
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, AnyStaticShapeTensor:$w,
                       DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$x `,` $w attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::AffineMap getXMap();
    mlir::AffineMap getWMap();
    mlir::AffineMap getResultMap();
    /// True if iteration dim `d` is a dim of the result.
    bool isParallel(unsigned d);
  }];
}

def Nn_PoolKind : I32EnumAttr<"PoolKind", "how a window is reduced", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Sum", 1, "sum">]> {
  let cppNamespace = "::mkc::nn";
  let genSpecializedAttr = 0;
}
def Nn_PoolKindAttr : EnumAttr<Nn_Dialect, Nn_PoolKind, "pool_kind">;

def Nn_PoolOp : Nn_Op<"pool"> {
  let summary = "Reduces windows of a tensor.";
  let description = [{
    result[outMap(d)] = kind over all d of x[xMap(d)], where points whose x index lies outside x
    are left out. Maps and extents as in `nn.contract` (C2, C3, C5), `maps` = [x, result].
    A window that lies outside x as a whole gives the kind's identity (lowest value, or zero).
    A NaN in the window makes a float maximum NaN. Elements of f16 and bf16 are extended first, and the
    result is f32; other results have x's type. Average pooling is a sum times a constant of reciprocal counts.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, Nn_PoolKindAttr:$kind,
                       DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$kind $x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::AffineMap getXMap();
    mlir::AffineMap getResultMap();
    bool isParallel(unsigned d);
  }];
}

def Nn_ArgPoolOp : Nn_Op<"arg_pool"> {
  let summary = "Maximum of windows of a tensor, and where it is (ONNX MaxPool with Indices).";
  let description = [{
    `values` is what `nn.pool max` gives for the same x, extents and maps. `indices` (i64) has its shape
    and holds the sum of `index_strides`[i] * i-th index in x of the element that was taken: of equal ones
    the first in the order of the loops; the first NaN before any number. A window that lies outside x as
    a whole has index 0.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, DenseI64ArrayAttr:$index_strides,
                       DenseI64ArrayAttr:$extents, AffineMapArrayAttr:$maps);
  let results = (outs AnyStaticShapeTensor:$values, AnyStaticShapeTensor:$indices);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    mlir::AffineMap getXMap();
    mlir::AffineMap getResultMap();
    bool isParallel(unsigned d);
  }];
}

def Nn_GatherOp : Nn_Op<"gather"> {
  let summary = "Takes slices of data along an axis at given indices (ONNX Gather).";
  let description = [{
    result[i.., j.., k..] = data[i.., indices[j..], k..] with i over the dims before `axis` and k over
    those after it. Negative indices count from the end. An index outside
    [-n, n-1] stops the run with an error that names the node; nothing is read or written for it.
  }];
  let arguments = (ins AnyStaticShapeTensor:$data, AnyStaticShapeTensor:$indices, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$data `,` $indices attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce"> {
  let summary = "Index (i64) of the maximum or minimum along an axis (ONNX ArgMax, ArgMin).";
  let description = [{
    Removes dim `axis`. Of equal values the first index is taken, or the last if `last`. NaN is
    taken before any number. Elements of f16 and bf16 compare as in f32.
  }];
  let arguments = (ins AnyStaticShapeTensor:$x, I64Attr:$axis, BoolAttr:$is_max, BoolAttr:$last);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // MKC_DIALECTS_NN_NN_TD
