import numpy as np
import pytest

from onnx_explorer.ir import DType, Tensor
from onnx_explorer.ops.ml.array_feature_extractor import ARRAY_FEATURE_EXTRACTOR
from onnx_explorer.ops.ml.binarizer import BINARIZER
from onnx_explorer.ops.ml.cast_map import CAST_MAP
from onnx_explorer.ops.ml.category_mapper import CATEGORY_MAPPER
from onnx_explorer.ops.ml.dict_vectorizer import DICT_VECTORIZER
from onnx_explorer.ops.ml.feature_vectorizer import FEATURE_VECTORIZER
from onnx_explorer.ops.ml.imputer import IMPUTER
from onnx_explorer.ops.ml.label_encoder import LABEL_ENCODER
from onnx_explorer.ops.ml.normalizer import NORMALIZER
from onnx_explorer.ops.ml.one_hot_encoder import ONE_HOT_ENCODER
from onnx_explorer.ops.ml.scaler import SCALER
from onnx_explorer.ops.ml.zip_map import ZIP_MAP
from onnx_explorer.schema import UNKNOWN, AbstractMap, Violation, scalar
from tests.ops.page_driver import ints, kernel, on_sizes, rule, tensor

NAN = float("nan")


def texts(*values):
    return np.array(values, object)


def of(dtype, *shape):
    return tensor(*shape).cast(dtype)


def test_features_are_picked_with_a_row_at_least():
    assert rule(ARRAY_FEATURE_EXTRACTOR, 1, tensor("N", 3), ints(0, 2)).shape == "[N, 2]"
    assert rule(ARRAY_FEATURE_EXTRACTOR, 1, tensor(3), tensor("k", 2)).shape == "[1, 2*k]"
    assert rule(ARRAY_FEATURE_EXTRACTOR, 1, UNKNOWN, ints(0)).shape == "[...]"
    found = rule(ARRAY_FEATURE_EXTRACTOR, 1, tensor(2, 3), ints(3))
    assert found.shape == "[2, 1]"
    assert found.violations == ["index 3, but X has the features 0 to 2"]
    with pytest.raises(Violation, match=r"index -1.*0 to 2"):
        kernel(ARRAY_FEATURE_EXTRACTOR, 1, [1, 2, 3], [-1])
    assert str(on_sizes(ARRAY_FEATURE_EXTRACTOR, 1, ["N", "2*N"], [1])[0, 0]) == "2*N"


def test_binarizer_keeps_the_type_and_puts_nan_below():
    got = kernel(BINARIZER, 1, np.array([2, 3], np.int32), threshold=2.5)
    assert got.dtype == np.int32
    assert got.tolist() == [0, 1]
    assert kernel(BINARIZER, 1, np.array([NAN, 1], np.float32)).tolist() == [0, 1]


def test_a_map_casts_to_strings_and_back():
    numbers = {4: np.float32(0.5), 1: np.float32(2)}
    assert kernel(CAST_MAP, 1, numbers, cast_to=b"TO_STRING").tolist() == [["2.000000", "0.500000"]]
    got = kernel(CAST_MAP, 1, {1: "7"}, cast_to=b"TO_INT64", map_form=b"SPARSE", max_map=3)
    assert got.dtype == np.int64
    assert got.tolist() == [[0, 7, 0]]
    with pytest.raises(Violation, match=r"key 4.*0 to 2"):
        kernel(CAST_MAP, 1, numbers, map_form=b"SPARSE", max_map=3)


def test_the_width_of_a_dense_map_is_left_open():
    value = AbstractMap(DType.INT64, scalar(DType.FLOAT32))
    assert rule(CAST_MAP, 1, value).shape == "[1, keys_0]"
    found = rule(CAST_MAP, 1, value, cast_to=b"TO_INT64", map_form=b"SPARSE", max_map=5)
    assert str(found.outputs[0]) == "int64[1, 5]"


def test_categories_map_both_ways_and_the_input_decides():
    cats = {"cats_int64s": (5, 7), "cats_strings": (b"cat", b"dog")}
    assert str(rule(CATEGORY_MAPPER, 1, of(DType.STRING, "N"), **cats).outputs[0]) == "int64[N]"
    assert str(rule(CATEGORY_MAPPER, 1, of(DType.INT64, "N"), **cats).outputs[0]) == "string[N]"
    assert kernel(CATEGORY_MAPPER, 1, texts("dog", "?"), **cats, default_int64=9).tolist() == [7, 9]
    with pytest.raises(Violation, match=r"1 cats_int64s.*2"):
        kernel(CATEGORY_MAPPER, 1, texts("dog"), **{**cats, "cats_int64s": (5,)})


def test_dictionaries_take_the_type_of_their_values():
    value = AbstractMap(DType.INT64, scalar(DType.STRING))
    assert str(rule(DICT_VECTORIZER, 1, value, int64_vocabulary=(3, 1)).outputs[0]) == "string[2]"
    got = kernel(DICT_VECTORIZER, 1, {1: "a", 9: "z"}, int64_vocabulary=(3, 1))
    assert got.tolist() == ["", "a"]
    assert rule(DICT_VECTORIZER, 1, UNKNOWN, int64_vocabulary=(3, 1)).shape == "[2]"
    with pytest.raises(Violation, match=r"keys of type int64.*strings"):
        rule(DICT_VECTORIZER, 1, value, string_vocabulary=(b"a",))


def test_features_are_cut_and_filled_up_to_the_width_asked_for():
    wide = np.array([[1, 2, 3]], np.int64)
    got = kernel(FEATURE_VECTORIZER, 1, wide, np.array([4], np.int64), inputdimensions=(2, 2))
    assert got.dtype == np.float32
    assert got.tolist() == [[1, 2, 4, 0]]
    assert rule(FEATURE_VECTORIZER, 1, tensor("N", 2), tensor("N", "C")).shape == "[N, C + 2]"
    asked = rule(FEATURE_VECTORIZER, 1, tensor("N", 2), UNKNOWN, inputdimensions=(2, 3))
    assert asked.shape == "[N, 5]"
    with pytest.raises(Violation, match=r"4 rows.*3"):
        rule(FEATURE_VECTORIZER, 1, tensor(3, 1), tensor(4, 1))


def test_missing_values_are_replaced_feature_by_feature():
    got = kernel(
        IMPUTER,
        1,
        np.array([[[0, 5], [5, 0]]], np.int64),
        imputed_value_int64s=(8, 9),
    )
    assert got.tolist() == [[[8, 5], [5, 9]]]
    x = np.array([[NAN, 0.0]], np.float64)
    got = kernel(IMPUTER, 1, x, imputed_value_floats=(0.5,), replaced_value_float=NAN)
    assert got.dtype == np.float64
    assert got.tolist() == [[0.5, 0]]
    with pytest.raises(Violation, match=r"3 values in imputed_value_floats.*2"):
        kernel(IMPUTER, 1, x, imputed_value_floats=(1.0, 2.0, 3.0))


def test_the_first_label_encoder_turns_strings_into_positions():
    classes = {"classes_strings": (b"a", b"b")}
    assert kernel(LABEL_ENCODER, 1, texts("b", "c"), **classes).tolist() == [1, -1]
    assert kernel(LABEL_ENCODER, 1, [1, 2], **classes).tolist() == ["b", "_Unused"]
    found = rule(LABEL_ENCODER, 1, of(DType.STRING, "N", 2), **classes)
    assert str(found.outputs[0]) == "int64[N, 2]"


@pytest.mark.parametrize("version", [2, 4])
def test_labels_map_between_types(version):
    x = np.array([[0.1, NAN]], np.float32)
    table = {"keys_floats": (float(np.float32(0.1)), NAN), "values_strings": (b"tenth", b"none")}
    assert kernel(LABEL_ENCODER, version, x, **table).tolist() == [["tenth", "none"]]
    found = rule(LABEL_ENCODER, version, tensor("N"), **table)
    assert str(found.outputs[0]) == "string[N]"


def test_labels_as_tensors_keep_their_type_and_the_last_of_equal_keys_counts():
    keys, values = Tensor.of(np.array([1.0, 1.0])), Tensor.of(np.array([3, 4], np.int16))
    default = Tensor.of(np.array([7], np.int16))
    given = {"keys_tensor": keys, "values_tensor": values, "default_tensor": default}
    got = kernel(LABEL_ENCODER, 4, np.array([1.0, 2.0]), **given)
    assert got.dtype == np.int16
    assert got.tolist() == [4, 7]
    found = rule(LABEL_ENCODER, 4, tensor("N"), **given)
    assert str(found.outputs[0]) == "int16[N]"
    assert found.violations == ["X of type float32, but the keys are float64"]


def test_a_table_of_labels_has_two_columns_of_one_length():
    with pytest.raises(Violation, match=r"2 keys.*1 values"):
        kernel(LABEL_ENCODER, 2, [1], keys_int64s=(1, 2), values_int64s=(1,))
    with pytest.raises(Violation, match=r"0 attributes with keys.*1"):
        kernel(LABEL_ENCODER, 2, [1], values_int64s=(1,))


def test_rows_are_normalized_alone_and_zeros_stay():
    x = np.array([[3.0, -4.0], [0.0, 0.0]])
    assert kernel(NORMALIZER, 1, x, norm=b"L2") == pytest.approx(np.array([[0.6, -0.8], [0, 0]]))
    assert kernel(NORMALIZER, 1, x, norm=b"L1").dtype == np.float32
    assert kernel(NORMALIZER, 1, np.array([2, 4]), norm=b"MAX").tolist() == [0.5, 1]
    assert rule(NORMALIZER, 1, tensor("N", "F")).shape == "[N, F]"
    with pytest.raises(Violation, match=r"rank 3.*rank 2"):
        rule(NORMALIZER, 1, tensor(1, 2, 3))


def test_floats_lose_their_fraction_before_they_are_looked_up():
    got = kernel(ONE_HOT_ENCODER, 1, np.array([-0.9, 2.5]), cats_int64s=(0, 2))
    assert got.tolist() == [[1, 0], [0, 1]]
    assert rule(ONE_HOT_ENCODER, 1, tensor("N", 2), cats_int64s=(0, 2, 4)).shape == "[N, 2, 3]"


def test_an_unknown_category_may_be_an_error():
    with pytest.raises(Violation, match="'c', which is none of the 2"):
        kernel(ONE_HOT_ENCODER, 1, texts("a", "c"), cats_strings=(b"a", b"b"), zeros=0)


def test_scaling_is_by_feature_or_for_all():
    x = np.array([[1, 2]], np.int32)
    assert kernel(SCALER, 1, x, offset=(1.0,), scale=(2.0, 3.0)).tolist() == [[0, 3]]
    assert kernel(SCALER, 1, x).dtype == np.float32
    with pytest.raises(Violation, match=r"3 values in scale.*2"):
        rule(SCALER, 1, tensor("N", 2), scale=(1.0, 2.0, 3.0))


def test_scores_become_a_sequence_of_maps():
    found = rule(ZIP_MAP, 1, tensor("N", 2), classlabels_int64s=(3, 4)).outputs[0]
    assert str(found) == "seq(map(int64, float32[]))"
    assert str(found.length) == "N"
    got = kernel(ZIP_MAP, 1, np.array([1, 2], np.float32), classlabels_int64s=(3, 4))
    assert got == [{3: 1.0, 4: 2.0}]
    with pytest.raises(Violation, match=r"3 columns.*2 class labels"):
        rule(ZIP_MAP, 1, tensor("N", 3), classlabels_strings=(b"a", b"b"))
