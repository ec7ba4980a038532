"""Which generator draws the cases of which operator."""

from tests.soundness import control as g
from tests.soundness import elementwise as e
from tests.soundness import layers as n
from tests.soundness import learning as c
from tests.soundness import movement as m
from tests.soundness import windows as w

_FAMILIES = {
    e.unary: """
        Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg
        NonZero Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Size Softplus Softsign
        Sqrt Swish Tan Tanh ThresholdedRelu
    """,
    e.dynamic_quantize: "DynamicQuantizeLinear",
    e.binary: """
        Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual
        Mul Or StringConcat Sub Xor
    """,
    e.gated: "SwiGLU",
    e.variadic: "Max Mean Min Sum",
    e.where: "Where",
    e.shift: "BitShift",
    e.modulo: "Mod",
    e.power: "Pow",
    e.prelu: "PRelu",
    e.clip: "Clip",
    e.cast: "Cast",
    e.cast_like: "CastLike",
    e.bit_cast: "BitCast",
    e.dropout: "Dropout",
    e.eye_like: "EyeLike",
    e.reduction: """
        ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
        ReduceSum ReduceSumSquare
    """,
    e.arg_extremum: "ArgMax ArgMin",
    e.along_axis: "Hardmax LogSoftmax Softmax",
    e.generic_norm: "LpNormalization",
    e.mean_variance: "MeanVarianceNormalization",
    e.cumulation: "CumProd CumSum",
    e.random_like: "Bernoulli RandomNormalLike RandomUniformLike",
    e.random_shape: "RandomNormal RandomUniform",
    e.window: "BlackmanWindow HammingWindow HannWindow",
    e.mel_weights: "MelWeightMatrix",
    e.number_range: "Range",
    m.reshape: "Reshape",
    m.transpose: "Transpose",
    m.concat: "Concat",
    m.split: "Split",
    m.split_to_sequence: "SplitToSequence",
    m.slice_: "Slice",
    m.gather: "Gather",
    m.gather_elements: "GatherElements",
    m.gather_nd: "GatherND",
    m.scatter_elements: "Scatter ScatterElements",
    m.scatter_nd: "ScatterND",
    m.tensor_scatter: "TensorScatter",
    m.pad: "Pad",
    m.expand: "Expand",
    m.tile: "Tile",
    m.squeeze: "Squeeze",
    m.unsqueeze: "Unsqueeze",
    m.flatten: "Flatten",
    m.shape_: "Shape",
    m.constant_of_shape: "ConstantOfShape",
    m.compress: "Compress",
    m.unique: "Unique",
    m.top_k: "TopK",
    m.one_hot: "OneHot",
    m.trilu: "Trilu",
    m.reverse_sequence: "ReverseSequence",
    m.depth_to_space: "DepthToSpace",
    m.space_to_depth: "SpaceToDepth",
    m.center_crop_pad: "CenterCropPad",
    m.sequence_construct: "SequenceConstruct",
    m.sequence_empty: "SequenceEmpty",
    m.sequence_length: "SequenceLength",
    m.sequence_at: "SequenceAt",
    m.sequence_erase: "SequenceErase",
    m.sequence_insert: "SequenceInsert",
    m.concat_from_sequence: "ConcatFromSequence",
    w.convolution: "Conv",
    w.integer_convolution: "ConvInteger",
    w.quantized_convolution: "QLinearConv",
    w.transposed_convolution: "ConvTranspose",
    w.deformable_convolution: "DeformConv",
    w.causal_convolution: "CausalConvWithState",
    w.pool: "AveragePool LpPool MaxPool",
    w.global_pool: "GlobalAveragePool GlobalLpPool GlobalMaxPool",
    w.unpool: "MaxUnpool",
    w.column_to_image: "Col2Im",
    w.local_norm: "LRN",
    w.grid_sample: "GridSample",
    w.affine_grid: "AffineGrid",
    w.roi_pool: "MaxRoiPool",
    w.roi_align: "RoiAlign",
    w.suppression: "NonMaxSuppression",
    w.resize: "Resize",
    w.upsample: "Upsample",
    n.product: "MatMul",
    n.integer_product: "MatMulInteger",
    n.quantized_product: "QLinearMatMul",
    n.gemm: "Gemm",
    n.einsum: "Einsum",
    n.determinant: "Det",
    n.batch_norm: "BatchNormalization",
    n.instance_norm: "InstanceNormalization",
    n.group_norm: "GroupNormalization",
    n.layer_norm: "LayerNormalization",
    n.rms_norm: "RMSNormalization",
    n.likelihood_loss: "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss",
    n.recurrent(1, 1): "RNN",
    n.recurrent(3, 1): "GRU",
    n.recurrent(4, 2, peephole=True): "LSTM",
    n.attention: "Attention",
    n.linear_attention: "LinearAttention",
    n.rotary_embedding: "RotaryEmbedding",
    n.quantize: "QuantizeLinear",
    n.dequantize: "DequantizeLinear",
    n.fourier: "DFT",
    n.short_fourier: "STFT",
    c.normalize_strings: "StringNormalizer",
    c.split_strings: "StringSplit",
    c.match: "RegexFullMatch",
    c.n_grams: "TfIdfVectorizer",
    c.draw_classes: "Multinomial",
    g.branches: "If",
    g.loop: "Loop",
    g.scan: "Scan",
    g.sequence_map: "SequenceMap",
    g.constant: "Constant",
    g.optional: "Optional",
    g.element: "OptionalGetElement",
    g.has_element: "OptionalHasElement",
}
_LEARNING = {
    c.extract_features: "ArrayFeatureExtractor",
    c.of_any_shape: "Binarizer",
    c.normalize: "Normalizer",
    c.concat_features: "FeatureVectorizer",
    c.map_categories: "CategoryMapper",
    c.encode_one_hot: "OneHotEncoder",
    c.encode_labels: "LabelEncoder",
    c.impute: "Imputer",
    c.scale: "Scaler",
    c.classify: "LinearClassifier",
    c.regress: "LinearRegressor",
    c.support_vectors: "SVMRegressor",
    c.zip_map: "ZipMap",
    c.cast_map: "CastMap",
    c.vectorize: "DictVectorizer",
    c.tree_classifier: "TreeEnsembleClassifier",
    c.tree_regressor: "TreeEnsembleRegressor",
    c.tree_ensemble: "TreeEnsemble",
    c.vector_classes: "SVMClassifier",
}
_TRAINING = {
    c.optimizer(1, norm_coefficient=0.5): "Adagrad",
    c.optimizer(2): "Adam",
    c.optimizer(1, alpha=0.5, beta=0.5, norm_coefficient=0.5, mode="nesterov"): "Momentum",
    c.derivatives: "Gradient",
}


def _table(domain, families):
    return {
        (domain, name): generator for generator, names in families.items() for name in names.split()
    }


GENERATORS = {
    **_table("", _FAMILIES),
    **_table("ai.onnx.ml", _LEARNING),
    **_table("ai.onnx.preview.training", _TRAINING),
    ("ai.onnx.preview", "FlexAttention"): n.flexible_attention,
    ("", "ImageDecoder"): n.image_file,
}
