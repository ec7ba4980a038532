import numpy as np
import pytest

from onnx_explorer.ir import DType, SequenceType, TensorType
from onnx_explorer.ops.sequence.optional import OPTIONAL
from onnx_explorer.ops.sequence.optional_get_element import OPTIONAL_GET_ELEMENT
from onnx_explorer.ops.sequence.optional_has_element import OPTIONAL_HAS_ELEMENT
from onnx_explorer.schema import AbstractOptional, Violation
from tests.ops.page_driver import kernel, rule, tensor


@pytest.mark.parametrize("version", OPTIONAL.versions)
def test_an_optional_holds_its_input_or_says_what_it_would_hold(version):
    (full,) = rule(OPTIONAL, version, tensor("B")).outputs
    assert (str(full), full.present) == ("optional(float32[B])", True)
    declared = SequenceType(TensorType(DType.INT8, (2,)))
    (empty,) = rule(OPTIONAL, version, type=declared).outputs
    assert (str(empty), empty.present) == ("optional(seq(int8[2]))", False)
    assert kernel(OPTIONAL, version, np.array(3)).item() == 3
    assert kernel(OPTIONAL, version, type=declared) is None


def test_an_optional_of_nothing_without_a_type_is_told():
    message = "neither an input nor a type"
    assert message in rule(OPTIONAL, 15).violations[0]
    with pytest.raises(Violation, match=message):
        kernel(OPTIONAL, 15)


@pytest.mark.parametrize(
    ("given", "content"),
    [
        (tensor(2), (True,)),
        (AbstractOptional(tensor(2), present=True), (True,)),
        (AbstractOptional(tensor(2), present=False), (False,)),
        (AbstractOptional(tensor(2)), None),
        (None, (False,)),
    ],
)
def test_whether_a_value_is_there_may_be_known_before_a_run(given, content):
    (answer,) = rule(OPTIONAL_HAS_ELEMENT, 28, given).outputs
    assert (answer.dtype, answer.shape, answer.content) == (DType.BOOL, (), content)


def test_taking_out_what_is_not_there_is_an_error():
    assert rule(OPTIONAL_GET_ELEMENT, 18, AbstractOptional(tensor("B"))).shape == "[B]"
    assert rule(OPTIONAL_GET_ELEMENT, 18, tensor("B")).shape == "[B]"
    with pytest.raises(Violation, match="an empty optional"):
        rule(OPTIONAL_GET_ELEMENT, 15, AbstractOptional(tensor("B"), present=False))
    with pytest.raises(Violation, match="an empty optional"):
        kernel(OPTIONAL_GET_ELEMENT, 15, None)
