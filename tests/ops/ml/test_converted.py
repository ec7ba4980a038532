"""Models of scikit-learn, converted by skl2onnx, predict what scikit-learn predicts."""

import numpy as np
import pytest
from skl2onnx import to_onnx
from skl2onnx.common.data_types import DictionaryType, FloatTensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_extraction import DictVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

import onnx_explorer as ox

pytestmark = pytest.mark.filterwarnings("ignore")  # the converters' own

X, CLASSES = load_iris(return_X_y=True)
X = X[::2].astype(np.float32)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[CLASSES[::2]]
NUMBERS = CLASSES[::2]
WIDTHS = X[:, 3].astype(np.float64)
OF_TWO = NUMBERS < 2
HOLES = np.where(X > 5, np.float32(np.nan), X)
WORDS = np.array([["red", "big"], ["green", "small"], ["red", "small"]])


def ours(estimator, feed, initial_types=None):
    sample = feed[:1] if initial_types is None else None
    converted = to_onnx(estimator, sample, initial_types=initial_types)
    model = ox.load(converted.SerializeToString())
    feeds = feed if isinstance(feed, dict) else {model.graph.inputs[0].name: feed}
    types = ox.infer(model)
    assert not types.errors
    return tuple(ox.run(model, feeds).values())


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(MinMaxScaler(), SVC(probability=True, random_state=0)),
        make_pipeline(SimpleImputer(), GaussianNB()),
        RandomForestClassifier(5, random_state=0),
        ExtraTreesClassifier(5, random_state=0),
        GradientBoostingClassifier(n_estimators=3, random_state=0),
        AdaBoostClassifier(n_estimators=3, random_state=0),
        DecisionTreeClassifier(random_state=0),
        KNeighborsClassifier(3),
        MLPClassifier((5,), max_iter=30, random_state=0),
    ],
    ids=lambda estimator: type(getattr(estimator, "steps", [(0, estimator)])[-1][1]).__name__,
)
@pytest.mark.parametrize(
    ("classes", "labels"), [(2, NUMBERS), (3, SPECIES)], ids=["numbers", "words"]
)
def test_a_classifier_gives_labels_and_a_map_of_probabilities(estimator, classes, labels):
    rows = OF_TWO if classes == 2 else slice(None)
    feed, wanted = X[rows], labels[rows]
    estimator.fit(feed, wanted)
    predicted, probabilities = ours(estimator, feed)
    np.testing.assert_array_equal(predicted, estimator.predict(feed))
    assert [list(row) for row in probabilities] == [list(estimator.classes_)] * len(feed)
    got = [list(row.values()) for row in probabilities]
    np.testing.assert_allclose(got, estimator.predict_proba(feed), atol=2e-5)


def test_a_classifier_without_probabilities_gives_what_it_decides_by():
    estimator = RidgeClassifier().fit(X, SPECIES)
    predicted, scores = ours(estimator, X)
    np.testing.assert_array_equal(predicted, estimator.predict(X))
    np.testing.assert_allclose(scores, estimator.decision_function(X), atol=1e-5)


@pytest.mark.parametrize(
    "estimator",
    [
        LinearRegression(),
        SVR(),
        RandomForestRegressor(5, random_state=0),
        GradientBoostingRegressor(n_estimators=3, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_regressor_gives_a_column_of_numbers(estimator):
    estimator.fit(X[:, :3], WIDTHS)
    (predicted,) = ours(estimator, X[:, :3])
    assert predicted.dtype == np.float32
    np.testing.assert_allclose(predicted[:, 0], estimator.predict(X[:, :3]), atol=1e-5)


@pytest.mark.parametrize(
    ("estimator", "feed"),
    [
        (StandardScaler(), X),
        (RobustScaler(), X),
        (Normalizer("l1"), X),
        (Normalizer("l2"), X),
        (Normalizer("max"), X),
        (Binarizer(threshold=2.0), X),
        (SimpleImputer(), HOLES),
        (KBinsDiscretizer(4, encode="ordinal"), X),
        (OneHotEncoder(sparse_output=False), WORDS),
        (OrdinalEncoder(), WORDS),
    ],
    ids=lambda it: type(it).__name__,
)
def test_a_transformer_gives_the_same_features(estimator, feed):
    wanted = estimator.fit_transform(feed)
    if feed is WORDS:
        (got,) = ours(estimator, feed.astype(object), [("X", StringTensorType([None, 2]))])
    else:
        (got,) = ours(estimator, feed)
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_a_dictionary_becomes_a_row_of_features():
    row = {"wide": 2.0, "long": 3.0}
    estimator = DictVectorizer(sparse=False).fit([row])
    of_map = DictionaryType(StringTensorType([1]), FloatTensorType([1]))
    fed = {name: np.array([value], np.float32) for name, value in row.items()}
    (got,) = ours(estimator, {"X": fed}, [("X", of_map)])
    np.testing.assert_array_equal(np.ravel(got), estimator.transform([row])[0])


def test_columns_of_words_and_numbers_are_put_side_by_side():
    columns = ColumnTransformer(
        [("words", OneHotEncoder(), [0, 1]), ("numbers", StandardScaler(), [2])]
    )
    table = np.array(
        [[*words, size] for words, size in zip(WORDS, [1.0, 2.0, 6.0], strict=True)], object
    )
    wanted = columns.fit_transform(table)
    of_columns = [("words", StringTensorType([None, 2])), ("size", FloatTensorType([None, 1]))]
    feeds = {"words": table[:, :2], "size": table[:, 2:].astype(np.float32)}
    (got,) = ours(columns, feeds, of_columns)
    np.testing.assert_allclose(got, np.asarray(wanted, np.float64), atol=1e-6)
