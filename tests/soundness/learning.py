"""Cases of classical learning, text, random draws, optionals and optimisers."""

import numpy as np

from onnx_explorer.ir import DType
from tests.soundness.drawing import Case, case


def rows(d):
    """A table or one row of it, as most of classical learning takes."""
    return d.shape(1, 2, 1)


def extract_features(d):
    x = d.shape(1, 3, 1)
    return case(d.of("T", x), d.indices(d.pick((2,), (1, 3)), x[-1]) % x[-1])


def of_any_shape(d):
    return case(d.of(d.schema.inputs[0].type, d.shape()), **d.plain())


def normalize(d):
    return case(d.of("T", rows(d)), **d.plain())


def concat_features(d):
    n = d.size(1)
    widths = d.sizes(d.size(1, 3), 1, 3)
    return case(*(d.of("T1", (n, w)) for w in widths), inputdimensions=widths)


def map_categories(d):
    return case(d.of("T1", d.shape(), 0, 3), cats_int64s=[0, 1, 2], cats_strings=["a", "B", "ab"])


def encode_one_hot(d):
    text = d.dtype("T") is DType.STRING
    cats = {"cats_strings": ["a", "B"]} if text else {"cats_int64s": [0, 1, 2]}
    return case(d.of("T", d.shape(0, 4), 0, 2), **cats, zeros=d.pick(1, 1, None))


def encode_labels(d):
    keys = {DType.STRING: ("strings", ["a", "B"]), DType.INT64: ("int64s", [0, 1])}
    allowed = [DType.STRING, DType.INT64, DType.FLOAT32]
    source, target = d.pick(*allowed), d.pick(*allowed)
    key, key_values = keys.get(source, ("floats", [0.0, 1.0]))
    value, values = keys.get(target, ("floats", [0.5, 2.0]))
    return case(
        d.array(source, d.shape(), 0, 2),
        **{f"keys_{key}": key_values, f"values_{value}": values},
    )


def impute(d):
    x = d.shape(1, 2, 1)
    count = d.pick(1, x[-1])
    if d.dtype("T").family == "float":
        return case(d.of("T", x), imputed_value_floats=[1.0] * count)
    return case(d.of("T", x), imputed_value_int64s=[1] * count)


def scale(d):
    x = d.shape(1, 2, 1)
    count = d.pick(1, x[-1])
    return case(d.of("T", x), offset=[1.0] * count, scale=[2.0] * count)


def classify(d):
    n, features, classes = d.size(), d.size(1), d.size(2, 3)
    labels = (
        {"classlabels_ints": list(range(classes))}
        if d.flag()
        else {"classlabels_strings": ["x", "y", "z"][:classes]}
    )
    return case(
        d.of("T1", (n, features)), coefficients=[1.0] * classes * features,
        intercepts=[0.0] * classes, outputs=2, **labels, **d.plain("post_transform"),
    )  # fmt: skip


def regress(d):
    n, features, targets = d.size(), d.size(1), d.size(1, 3)
    return case(
        d.of("T", (n, features)), coefficients=[1.0] * targets * features,
        intercepts=d.pick(None, [0.0] * targets), targets=targets,
    )  # fmt: skip


def support_vectors(d):
    n, features, vectors = d.size(), d.size(1), d.size(1, 3)
    return case(
        d.of("T", (n, features)), coefficients=[1.0] * vectors, rho=[0.5], n_supports=vectors,
        support_vectors=[0.5] * vectors * features, kernel_params=[0.5, 0.0, 2.0],
        **d.plain("kernel_type"),
    )  # fmt: skip


def zip_map(d):
    classes = d.size(1, 3)
    shape = d.pick((classes,), (d.size(1), classes))
    labels = (
        {"classlabels_int64s": list(range(classes))}
        if d.flag()
        else {"classlabels_strings": ["x", "y", "z"][:classes]}
    )
    return case(d.array(DType.FLOAT32, shape), **labels)


def n_grams(d):
    x = d.shape(1, 2, 1)
    return case(
        d.of("T", x, only={"int"}), mode=d.enum("mode"), min_gram_length=1, max_gram_length=2,
        max_skip_count=d.size(0, 1), ngram_counts=[0, 2], ngram_indexes=[0, 1, 2],
        pool_int64s=[1, 2, 1, 2],
    )  # fmt: skip


# -- text, random draws, training ----------------------------------------------------------------


def normalize_strings(d):
    shape = d.pick((d.size(),), (1, d.size()))
    return case(d.array(DType.STRING, shape), stopwords=d.pick(None, ["a", "ab"]), **d.plain())


def split_strings(d):
    return case(
        d.of("T1", d.shape(0, 3)), delimiter=d.pick(None, ","), maxsplit=d.pick(None, 1), outputs=2
    )


def match(d):
    return case(d.of("T1", d.shape()), pattern=d.pick("a.*", "[ab]+"))


def draw_classes(d):
    return case(d.of("T1", (d.size(), d.size(1))), sample_size=d.size(1), dtype=d.pick(None, 6, 7))


def optimizer(states, **given):
    """The generator of an optimiser with so many states per tensor."""

    def generate(d):
        tensors = [d.shape(0, 3) for _ in range(d.size(1, 2))]
        groups = [d.of("T3", shape, 0) for _ in range(2 + states) for shape in tensors]
        return case(
            d.of("T1", ()), d.ints(1), *groups, outputs=(1 + states) * len(tensors), **given
        )

    return generate


# -- maps, trees and machines of support vectors -------------------------------------------------


def cast_map(d):
    value = d.pick(np.float32(1.5), "2")
    cast_to = d.enum("cast_to")
    dense = {"map_form": "DENSE"} if d.flag() else {"map_form": "SPARSE", "max_map": 5}
    return case(dict.fromkeys(range(d.size(1, 3)), value), cast_to=cast_to, **dense)


def vectorize(d):
    given = {"a": np.float32(1), "B": np.float32(2)}
    words = ["a", "B", "ab"][: d.size(2, 3)]
    return case(given, string_vocabulary=words)


_STUMP = {
    "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.5, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
}  # fmt: skip


def tree_classifier(d):
    classes = d.size(2, 3)
    labels = (
        {"classlabels_int64s": list(range(classes))}
        if d.flag()
        else {"classlabels_strings": ["x", "y", "z"][:classes]}
    )
    return case(
        d.of("T1", (d.size(), d.size(1))), **_STUMP, outputs=2,
        class_treeids=[0, 0], class_nodeids=[1, 2], class_ids=[0, classes - 1],
        class_weights=[1.0, 2.0], **labels, **d.plain("post_transform"),
    )  # fmt: skip


def tree_regressor(d):
    targets = d.size(1, 3)
    return case(
        d.of("T", (d.size(), d.size(1))), **_STUMP, n_targets=targets,
        target_treeids=[0, 0], target_nodeids=[1, 2], target_ids=[0, targets - 1],
        target_weights=[1.0, 2.0], **d.plain("aggregate_function"),
    )  # fmt: skip


def tree_ensemble(d):
    targets = d.size(1, 3)
    numbers = d.dtype("T").numpy
    return case(
        d.of("T", (d.size(), d.size(1))), tree_roots=[0], n_targets=targets,
        nodes_featureids=[0], nodes_splits=np.array([0.5], numbers),
        nodes_modes=np.array([0], np.uint8), nodes_truenodeids=[0], nodes_trueleafs=[1],
        nodes_falsenodeids=[1], nodes_falseleafs=[1], leaf_targetids=[0, targets - 1],
        leaf_weights=np.array([1, 2], numbers), **d.plain("aggregate_function"),
    )  # fmt: skip


def vector_classes(d):
    features = d.size(1)
    labels = d.pick({"classlabels_ints": [0, 1]}, {"classlabels_strings": ["x", "y"]})
    probabilities = d.pick({}, {"prob_a": [1.0], "prob_b": [0.0]})
    return case(
        d.of("T1", (d.size(), features)), outputs=2, coefficients=[1.0, -1.0], rho=[0.5],
        support_vectors=[0.5] * 2 * features, vectors_per_class=[1, 1],
        kernel_params=[0.5, 0.0, 2.0], **labels, **probabilities, **d.plain("kernel_type"),
    )  # fmt: skip


def derivatives(d):
    """The derivatives of a product, by one or both of its factors."""
    numbers = d.dtype("T2")
    left = d.shape()
    right = left if d.flag() else tuple(d.pick(1, size) for size in left)
    inputs = (d.array(numbers, left), d.array(numbers, right))
    both = d.flag()

    def around(g, a, b):
        g.ops("Mul", a, b, outputs=["product"])

    return Case(
        inputs,
        {"xs": ["in0", "in1"] if both else ["in0"], "zs": [] if both else ["in1"], "y": "product"},
        ("out0", "out1") if both else ("out0",),
        around,
    )
