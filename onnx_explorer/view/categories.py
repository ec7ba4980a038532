"""What kind of work an operator does; boxes are coloured by it."""

from __future__ import annotations

from typing import Literal

Category = Literal[
    "convolution", "matrix", "activation", "normalization", "pooling", "reduction",
    "elementwise", "shape", "tensor", "logic", "control", "recurrent", "quantization",
    "sequence", "random", "io", "other",
]  # fmt: skip

_MEMBERS: dict[Category, str] = {
    "convolution": "Conv ConvTranspose ConvInteger DeformConv QLinearConv Col2Im CausalConvWithState",
    "matrix": "MatMul Gemm MatMulInteger QLinearMatMul Einsum Det DFT STFT Attention LinearAttention",
    "activation": "Relu LeakyRelu PRelu Elu Selu Celu ThresholdedRelu Sigmoid HardSigmoid Tanh "
    "Softplus Softsign HardSwish Mish Gelu Swish SwiGLU Softmax LogSoftmax Hardmax Clip Shrink",
    "normalization": "BatchNormalization LayerNormalization InstanceNormalization LRN "
    "GroupNormalization RMSNormalization LpNormalization MeanVarianceNormalization Dropout",
    "pooling": "MaxPool AveragePool LpPool GlobalMaxPool GlobalAveragePool GlobalLpPool MaxUnpool "
    "MaxRoiPool RoiAlign",
    "reduction": "ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
    "ReduceLogSum ReduceLogSumExp ReduceSumSquare ArgMax ArgMin CumSum CumProd TopK "
    "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    "elementwise": "Add Sub Mul Div Pow Sqrt Exp Log Neg Abs Sign Reciprocal Floor Ceil Round Erf "
    "Mod Max Min Mean Sum Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Cast CastLike "
    "BitShift",
    "shape": "Shape Reshape Flatten Squeeze Unsqueeze Size Expand Range",
    "tensor": "Transpose Concat Split Slice Gather GatherElements GatherND Scatter ScatterElements "
    "ScatterND TensorScatter Pad Tile Resize Upsample DepthToSpace SpaceToDepth Identity Compress "
    "ReverseSequence OneHot Trilu EyeLike ConstantOfShape Constant NonZero Unique GridSample "
    "AffineGrid CenterCropPad BitCast RotaryEmbedding HannWindow "
    "HammingWindow BlackmanWindow MelWeightMatrix",
    "logic": "And Or Not Xor Equal Less LessOrEqual Greater GreaterOrEqual Where IsNaN IsInf "
    "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot NonMaxSuppression",
    "control": "If Loop Scan SequenceMap Optional OptionalGetElement OptionalHasElement",
    "recurrent": "LSTM GRU RNN",
    "quantization": "QuantizeLinear DequantizeLinear DynamicQuantizeLinear",
    "sequence": "SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert "
    "SequenceLength SplitToSequence ConcatFromSequence StringConcat StringSplit StringNormalizer "
    "RegexFullMatch TfIdfVectorizer",
    "random": "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Multinomial Bernoulli",
    "io": "ImageDecoder",
}  # fmt: skip
_CATEGORIES: dict[str, Category] = {
    name: category for category, names in _MEMBERS.items() for name in names.split()
}


def category(op_type: str, domain: str = "") -> Category:
    """The kind of an operator; `other` for those of domains that are not the standard's."""
    return _CATEGORIES.get(op_type, "other") if domain in {"", "ai.onnx"} else "other"
