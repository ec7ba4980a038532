import numpy as np
import pytest
from scipy import special
from scipy.stats import norm

from onnx_explorer.ops.ml.linear_classifier import LINEAR_CLASSIFIER
from onnx_explorer.ops.ml.linear_regressor import LINEAR_REGRESSOR
from onnx_explorer.ops.ml.scores import TRANSFORMS, transformed
from onnx_explorer.ops.ml.svm_classifier import SVM_CLASSIFIER, _reconciled
from onnx_explorer.ops.ml.svm_regressor import SVM_REGRESSOR
from onnx_explorer.schema import UNKNOWN, Violation
from tests.ops.page_driver import kernel, rule, tensor

X = np.array([[1.0, 2.0], [-3.0, 0.5]], np.float32)
SCORES = np.array([[0.25, 0.5, 0.0], [0.9, 0.1, 0.3]])


@pytest.mark.parametrize(
    ("transform", "expected"),
    [
        ("NONE", SCORES),
        ("SOFTMAX", special.softmax(SCORES, axis=1)),
        ("LOGISTIC", special.expit(SCORES)),
        ("PROBIT", norm.ppf(SCORES)),
    ],
)
def test_transforms_are_those_of_scipy(transform, expected):
    assert transformed(SCORES, transform) == pytest.approx(expected)


def test_softmax_zero_leaves_zeros_out():
    got = transformed(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]), "SOFTMAX_ZERO")
    assert got[0] == pytest.approx([0, *special.softmax([1, 2])])
    assert got[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms_take_empty_tables_and_keep_the_type(transform):
    got = transformed(np.zeros((0, 3), np.float32), transform)
    assert got.shape == (0, 3)
    assert got.dtype == np.float32


def test_large_scores_do_not_overflow():
    large = np.array([[1000.0, -1000.0]], np.float32)
    assert transformed(large, "LOGISTIC").tolist() == [[1, 0]]
    assert transformed(large, "SOFTMAX").tolist() == [[1, 0]]


def test_one_score_for_two_labels_belongs_to_the_second():
    labels, scores = kernel(
        LINEAR_CLASSIFIER, 1, X, coefficients=(1.0, 0.0), classlabels_strings=(b"no", b"yes")
    )
    assert labels.tolist() == ["yes", "no"]
    assert scores.tolist() == [[0, 1], [4, -3]]


def test_classes_without_labels_are_numbered():
    labels, scores = kernel(LINEAR_CLASSIFIER, 1, X[1], coefficients=(1.0, 0.0, 0.0, 1.0))
    assert labels.tolist() == [1]
    assert labels.dtype == np.int64
    assert scores.tolist() == [[-3, 0.5]]


def test_the_number_of_scores_comes_from_whatever_is_known():
    labels = {"classlabels_ints": (1, 2, 3)}
    six = {"coefficients": (0.0,) * 6}
    assert rule(LINEAR_CLASSIFIER, 1, tensor("N", 2), n_outputs=2, **six, **labels).shapes == [
        "[N]",
        "[N, 3]",
    ]
    found = rule(LINEAR_CLASSIFIER, 1, tensor("N", "F"), n_outputs=2, **six, **labels)
    assert found.shapes == ["[N]", "[N, 3]"]
    assert found.assumptions
    assert rule(LINEAR_CLASSIFIER, 1, UNKNOWN, n_outputs=2, **six, **labels).shapes == [
        "[rows_0]",
        "[rows_0, 3]",
    ]
    two = {"classlabels_ints": (1, 2), "coefficients": (0.0, 0.0)}
    assert rule(LINEAR_CLASSIFIER, 1, tensor(4, 2), n_outputs=2, **two).shapes == ["[4]", "[4, 2]"]


def test_coefficients_must_fill_rows():
    with pytest.raises(Violation, match=r"5 coefficients.*take 6"):
        kernel(LINEAR_REGRESSOR, 1, X, coefficients=(1.0,) * 5, targets=3)
    found = rule(LINEAR_REGRESSOR, 1, tensor("N", 2), coefficients=(1.0,) * 5, targets=3)
    assert found.shape == "[N, 3]"
    assert "5 coefficients" in found.violations[0]
    with pytest.raises(Violation, match=r"3 class labels.*2 scores"):
        kernel(LINEAR_CLASSIFIER, 1, X, coefficients=(1.0,) * 4, classlabels_ints=(1, 2, 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_regression_is_a_product_whatever_the_type(dtype):
    x = np.array([[1, 2], [3, 4]], dtype)
    got = kernel(
        LINEAR_REGRESSOR, 1, x, coefficients=(1.0, 1.0, 2.0, 0.0), intercepts=(0.5, 0.0), targets=2
    )
    assert got.dtype == np.float32
    assert got.tolist() == [[3.5, 2], [7.5, 6]]


@pytest.mark.parametrize(
    ("kernel_type", "near"),
    [
        ("LINEAR", lambda x, v: x @ v),
        ("POLY", lambda x, v: (0.5 * (x @ v) + 1) ** 2),
        ("RBF", lambda x, v: np.exp(-0.5 * np.sum((x - v) ** 2))),
        ("SIGMOID", lambda x, v: np.tanh(0.5 * (x @ v) + 1)),
    ],
)
def test_support_vectors_are_compared_by_each_kernel(kernel_type, near):
    vectors, weights = np.array([[1.0, 0.0], [0.5, -1.0]]), (2.0, -3.0)
    expected = [
        [sum(w * near(x, v) for w, v in zip(weights, vectors, strict=True)) + 0.25] for x in X
    ]
    got = kernel(
        SVM_REGRESSOR,
        1,
        X,
        coefficients=weights,
        kernel_params=(0.5, 1.0, 2.0),
        kernel_type=kernel_type.encode(),
        n_supports=2,
        rho=(0.25,),
        support_vectors=tuple(vectors.ravel()),
    )
    assert got == pytest.approx(np.array(expected), rel=1e-5)


def test_three_classes_vote_in_pairs():
    # One vector for each class and the measure x·v: scores of the pairs (0,1), (0,2), (1,2).
    given = {
        "coefficients": (1.0, -1.0, 0.0, 1.0, 0.0, -1.0),
        "support_vectors": (1.0, 0.0, 0.0, 1.0, 1.0, 1.0),
        "vectors_per_class": (1, 1, 1),
        "rho": (0.0, 0.0, 0.5),
        "classlabels_ints": (10, 20, 30),
    }
    labels, scores = kernel(SVM_CLASSIFIER, 1, X, **given)
    # near = [[1, 2, 3], [-3, .5, -2.5]]; coefficients row j-1 for i, row i for j.
    assert scores == pytest.approx(
        np.array([[-1 + 0, 1 + 0, 0 - 3 + 0.5], [-3 - 0.5, -3, 2.5 + 0.5]])
    )
    assert labels.tolist() == [10, 20]


def test_probabilities_of_pairs_are_reconciled():
    # Pairs that come from probabilities p of classes, r_ij = p_i / (p_i + p_j), give them back.
    p = np.array([0.5, 0.3, 0.2])
    pairs = np.array([p[0] / (p[0] + p[1]), p[0] / (p[0] + p[2]), p[1] / (p[1] + p[2])])
    assert _reconciled(pairs, 3) == pytest.approx(p, abs=2e-3)


def test_the_width_of_an_svm_depends_on_probabilities():
    four = {"vectors_per_class": (1, 1, 1, 1), "classlabels_ints": (1, 2, 3, 4)}
    assert rule(SVM_CLASSIFIER, 1, tensor("N", 2), n_outputs=2, **four).shapes == ["[N]", "[N, 6]"]
    probable = rule(SVM_CLASSIFIER, 1, tensor("N", 2), n_outputs=2, **four, prob_a=(1.0,) * 6)
    assert probable.shapes == ["[N]", "[N, 4]"]
    two = {"vectors_per_class": (1, 1), "classlabels_ints": (1, 2)}
    assert rule(SVM_CLASSIFIER, 1, tensor(3), n_outputs=2, **two).shapes == ["[1]", "[1, 2]"]


def test_an_svm_counts_what_it_is_given():
    given = {"vectors_per_class": (1, 1), "coefficients": (1.0, 1.0), "classlabels_ints": (1, 2)}
    with pytest.raises(Violation, match=r"3 numbers in support_vectors.*take 4"):
        kernel(SVM_CLASSIFIER, 1, X, support_vectors=(1.0,) * 3, rho=(0.0,), **given)
    with pytest.raises(Violation, match=r"2 numbers in rho.*1 pairs"):
        kernel(SVM_CLASSIFIER, 1, X, support_vectors=(1.0,) * 4, rho=(0.0, 0.0), **given)
    with pytest.raises(Violation, match=r"3 coefficients.*2 features"):
        kernel(SVM_REGRESSOR, 1, X, coefficients=(1.0,) * 3)
