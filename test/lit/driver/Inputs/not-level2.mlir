// tensor.pad does not belong to level 2.
func.func @main(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<4xf32> {onnx.name = "y"}) {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<2xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}
