"""The versions of operators that are not compared with onnxruntime, and why."""

OF_THE_FIRST_OPSETS = """
    Abs-1 Add-1 Add-6 And-1 AveragePool-1 BatchNormalization-1 BatchNormalization-6 Cast-1 Ceil-1
    Clip-1 Concat-1 Div-1 Div-6 Dropout-1 Dropout-6 Elu-1 Equal-1 Exp-1 Floor-1 GRU-1 GRU-3 Gemm-1
    Gemm-6 GlobalLpPool-1 Greater-1 HardSigmoid-1 InstanceNormalization-1 LSTM-1 LeakyRelu-1 Less-1
    Log-1 Loop-1 LpPool-1 Max-1 Mean-1 Min-1 Mul-1 Mul-6 Neg-1 Or-1 PRelu-1 PRelu-6 Pad-1 Pow-1
    RNN-1 Reciprocal-1 Relu-1 Selu-1 Sigmoid-1 Split-1 Sqrt-1 Sub-1 Sub-6 Sum-1 Tanh-1 Tile-1
    TopK-1 Upsample-1 Xor-1
"""
# It has no kernel for these, or none for the types that it can be fed.
LACKING = """
    DequantizeLinear-28 GlobalLpPool-22 ImageDecoder-20 MaxRoiPool-22 Optional-28
    OptionalGetElement-28 OptionalHasElement-28 QLinearMatMul-21 QuantizeLinear-28 RoiAlign-22
    Scan-8 SwiGLU-28 ai.onnx.ml::LabelEncoder-1 ai.onnx.preview::FlexAttention-1
    ai.onnx.preview.training::Adagrad-1 ai.onnx.preview.training::Adam-1
    ai.onnx.preview.training::Gradient-1 ai.onnx.preview.training::Momentum-1
"""
# It draws other numbers from the same seed.
RANDOM = """
    Bernoulli-15 Bernoulli-22 Multinomial-7 Multinomial-22 RandomNormal-1 RandomNormal-22
    RandomNormalLike-1 RandomNormalLike-22 RandomUniform-1 RandomUniform-22 RandomUniformLike-1
    RandomUniformLike-22
"""
# Their old ports are not those that cases are drawn for, or it gives another rank than the
# specification says.
BY_HAND = "Resize-10 Resize-11 ai.onnx.ml::DictVectorizer-1"

NOT_IN_ONNXRUNTIME = {
    *OF_THE_FIRST_OPSETS.split(),
    *LACKING.split(),
    *RANDOM.split(),
    *BY_HAND.split(),
}
