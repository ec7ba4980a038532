"""Broken layers: products, convolutions and what joins them."""

from onnx_explorer.build import graph
from tests.broken.making import broken, one, zeros

# -- products and layers -------------------------------------------------------------------------


@broken(
    "inner-size-mismatch",
    "fc3",
    "96 (axis 1 of 'relu2'",
    "from fc2.weight axis 1",
    "64 (axis 0 of 'fc3.weight'",
)
def layers_of_different_width():
    g = graph("mlp", opset=20)
    x = g.input("x", "float32[N, 128]")
    h = g.MatMul(x, g.initializer("fc2.weight", zeros(128, 96)), name="fc2")
    h = g.Relu(h, name="relu2")
    h = g.MatMul(h, g.initializer("fc3.weight", zeros(64, 10)), name="fc3")
    g.output(g.Softmax(h, name="softmax"), "y")
    return g.model()


@broken("inner-size-mismatch", "fc", "96", "10", repair="transB = 1 missing?")
def transposed_weight_in_gemm():
    g = graph("gemm", opset=20)
    x = g.input("x", "float32[N, 96]")
    weight, bias = g.initializer("fc.weight", zeros(10, 96)), g.initializer("fc.bias", zeros(10))
    g.output(g.Gemm(x, weight, bias, name="fc"), "y")
    return g.model()


@broken("inner-size-mismatch", "fc", repair="is transA = 1 wrong?")
def flag_left_behind_in_gemm():
    return one("Gemm", "float32[8, 16]", zeros(16, 4), name="fc", transA=1)


@broken("inner-size-mismatch", "fc", repair="Transpose of 'c1' with perm = [1, 0]")
def transposed_weight_in_matmul():
    return one("MatMul", "float32[N, 96]", zeros(10, 96), name="fc")


@broken(
    "inner-size-mismatch",
    "scores",
    "64 (axis 3 of 'query'",
    "10 (axis 2 of 'key'",
    repair="Transpose of 'key' with perm = [0, 1, 3, 2]",
)
def missing_transpose_of_keys():
    g = graph("attention", opset=20)
    query, key = (g.input(name, "float32[2, 8, 10, 64]") for name in ("query", "key"))
    g.output(g.MatMul(query, key, name="scores"), "y")
    return g.model()


@broken("broadcast-mismatch", "scores", "8 (axis 1 of 'query'", "4 (axis 1 of 'key'")
def different_numbers_of_heads():
    g = graph("attention", opset=20)
    query, key = g.input("query", "float32[2, 8, 10, 64]"), g.input("key", "float32[2, 4, 64, 10]")
    g.output(g.MatMul(query, key, name="scores"), "y")
    return g.model()


@broken("wrong-rank", "fc", "rank 4", "rank 2", repair="Flatten of 'pool' to [N, 512]")
def missing_flatten():
    g = graph("head", opset=20)
    x = g.input("x", "float32[N, 512, 7, 7]")
    pooled = g.GlobalAveragePool(x, name="pool")
    g.output(g.Gemm(pooled, g.initializer("W", zeros(512, 10)), name="fc"), "y")
    return g.model()


@broken(
    "inner-size-mismatch",
    "decode",
    "48 (axis 1 of 'encode'",
    "32 (axis 0 of 'decode.weight'",
    cause="encode",
)
def failure_that_follows_from_another():
    g = graph("chain", opset=20)
    x = g.input("x", "float32[N, 96]")
    h = g.MatMul(x, g.initializer("encode.weight", zeros(64, 48)), name="encode")
    h = g.MatMul(h, g.initializer("decode.weight", zeros(32, 96)), name="decode")
    g.output(g.Add(h, x, name="skip"), "y")
    return g.model()


@broken("bias-shape", "fc", "[12]", "[N, 10]", repair="10 elements")
def bias_of_wrong_length_in_gemm():
    return one("Gemm", "float32[N, 8]", zeros(8, 10), zeros(12), name="fc")


# -- convolutions --------------------------------------------------------------------------------


@broken(
    "channel-mismatch",
    "conv1",
    "224 (axis 1 of 'image'",
    "3 (axis 1 of 'conv1.weight'",
    repair="perm = [0, 3, 1, 2]",
)
def channels_last_image():
    g = graph("vision", opset=20)
    x = g.input("image", "float32[1, 224, 224, 3]")
    weight = g.initializer("conv1.weight", zeros(64, 3, 3, 3))
    g.output(g.Conv(x, weight, pads=[1, 1, 1, 1], name="conv1"), "y")
    return g.model()


@broken("window-too-large", "stem", repair="perm = [0, 3, 1, 2]")
def channels_last_image_under_a_large_window():
    return one("Conv", "float32[1, 224, 224, 3]", zeros(64, 3, 7, 7), name="stem")


@broken(
    "channel-mismatch", "conv2", "64 (axis 1 of 'conv1'", "from w1 axis 0", "32 (axis 1 of 'w2'"
)
def convolutions_that_do_not_follow():
    g = graph("vision", opset=20)
    x = g.input("x", "float32[1, 3, 32, 32]")
    h = g.Conv(x, g.initializer("w1", zeros(64, 3, 3, 3)), name="conv1")
    h = g.Conv(h, g.initializer("w2", zeros(128, 32, 3, 3)), name="conv2")
    g.output(g.Relu(h, name="relu"), "y")
    return g.model()


@broken("channel-mismatch", "depthwise", "32", "1", repair="group = 32")
def depthwise_without_group():
    return one("Conv", "float32[1, 32, 8, 8]", zeros(32, 1, 3, 3), name="depthwise")


@broken("window-too-large", "conv", repair="Transpose of 'c1' with perm = [3, 2, 0, 1]")
def filters_in_another_layout():
    return one("Conv", "float32[1, 8, 32, 32]", zeros(3, 3, 8, 64), name="conv")


@broken("group-mismatch", "conv", "8 filters", "3 groups")
def groups_that_do_not_divide():
    return one("Conv", "float32[1, 6, 8, 8]", zeros(8, 2, 3, 3), name="conv", group=3)


@broken("bias-length", "conv", "[3]", "8 output channels", repair="8 elements")
def bias_of_wrong_length():
    return one("Conv", "float32[1, 3, 32, 32]", zeros(8, 3, 3, 3), zeros(3), name="conv")


@broken("kernel-shape-mismatch", "conv", "[3, 3]", "[5, 5]", repair="without kernel_shape")
def kernel_shape_that_is_not_the_filters():
    return one("Conv", "float32[1, 3, 8, 8]", zeros(8, 3, 3, 3), name="conv", kernel_shape=[5, 5])


@broken("window-too-large", "conv3", "size 1", "3 elements")
def image_that_became_too_small():
    g = graph("deep", opset=20)
    h = g.input("x", "float32[1, 4, 16, 16]")
    for i in range(4):
        h = g.Conv(h, g.initializer(f"w{i}", zeros(4, 4, 3, 3)), strides=[2, 2], name=f"conv{i}")
    g.output(h, "y")
    return g.model()


@broken("wrong-rank", "conv", "rank 3", repair="Unsqueeze of 'x' at axis 0")
def missing_batch():
    return one("Conv", "float32[3, 32, 32]", zeros(8, 3, 3, 3), name="conv")


@broken("parameter-shape", "bn", "[4]", "[8]", repair="8 elements")
def parameters_of_another_layer():
    g = graph("norm", opset=20)
    x = g.input("x", "float32[1, 8, 4, 4]")
    scale, *rest = (
        g.initializer(n, zeros(s)) for n, s in (("scale", 4), ("b", 8), ("m", 8), ("v", 8))
    )
    g.output(g.BatchNormalization(x, scale, *rest, name="bn"), "y")
    return g.model()


# -- joining -------------------------------------------------------------------------------------


@broken("broadcast-mismatch", "join", "56 (axis 2 of 'main'", "55 (axis 2 of 'skip'", repair="pads")
def skip_connection_off_by_one():
    g = graph("residual", opset=20)
    x = g.input("x", "float32[1, 8, 112, 112]")
    main = g.Conv(
        x, g.initializer("w", zeros(8, 8, 3, 3)), strides=[2, 2], pads=[1, 1, 1, 1], name="main"
    )
    skip = g.MaxPool(x, kernel_shape=[3, 3], strides=[2, 2], name="skip")
    g.output(g.Relu(g.Add(main, skip, name="join"), name="relu"), "y")
    return g.model()


@broken("broadcast-mismatch", "bias", "56", "8", repair="Unsqueeze of 'c1' to [8, 1, 1]")
def bias_of_channels_added_to_the_last_axis():
    return one("Add", "float32[1, 8, 56, 56]", zeros(8), name="bias")


@broken("broadcast-mismatch", "join", repair="Transpose of 'x' with perm = [0, 2, 3, 1]")
def two_layouts_meet():
    return one("Add", "float32[1, 8, 16, 12]", "float32[1, 16, 12, 8]", name="join")


@broken("concat-mismatch", "join", "2 (axis 0 of 'x'", "3 (axis 0 of 'x1'", repair="axis = 0")
def concat_on_the_wrong_axis():
    return one("Concat", "float32[2, 4]", "float32[3, 4]", name="join", axis=1)


@broken("wrong-rank", "join", "rank 3", "rank 2")
def concat_of_different_ranks():
    return one("Concat", "float32[2, 4]", "float32[2, 4, 1]", name="join", axis=1)


@broken("broadcast-mismatch", "mask", "10 (axis 2 of 'x1'", "12 (axis 0 of 'c0'")
def mask_of_another_length():
    return one("Where", zeros(12, dtype="?"), "float32[1, 8, 10]", zeros(1), name="mask")
