"""Rules that a person gives for operators of domains that are not known here."""

import numpy as np
import pytest

import onnx_explorer as ox
from onnx_explorer.build import graph
from onnx_explorer.schema import Abstract, Violation


def custom(**attributes):
    g = graph("custom", opset=20)
    x = g.input("x", "float32[batch, 6]")
    made = g.op("Foo", x, domain="com.acme", name="foo", **attributes)
    g.output(g.MatMul(made, np.zeros((3, 5), "f4"), name="after"), "y")
    return g.model()


def halved(x, *, factor=2, at):
    """Every `factor`-th column."""
    batch, columns = x.shape
    if columns % factor:
        raise Violation(f"{columns} columns", f"they must be a multiple of {factor}", port="x")
    return Abstract(x.dtype, (batch, columns // factor))


def infer(model, rule):
    return ox.infer(model, rules={("com.acme", "Foo"): rule})


def test_a_rule_types_a_custom_operator_and_what_follows():
    types = infer(custom(), halved)
    assert types.diagnostics == ()
    assert str(types["y"]) == "float32[batch, 5]"
    assert ox.infer(custom())["y"].shape is None, "without a rule nothing is known"


def test_a_rule_is_given_attributes_and_its_violations_are_told_with_the_node():
    (found, *_) = infer(custom(factor=3), halved).errors
    assert found.node == "after"  # two columns are left, three are wanted
    (found, *_) = infer(custom(factor=4), halved).errors
    assert found.node == "foo"
    assert "6 columns" in str(found)


def test_a_rule_makes_up_sizes_that_two_nodes_do_not_share():
    g = graph("two", opset=20)
    x = g.input("x", "float32[6]")
    for name in ("a", "b"):
        g.output(g.op("Foo", x, domain="com.acme", name=name), f"y_{name}")

    def some(x, *, at):
        return Abstract(x.dtype, (at.fresh("kept", high=6),))

    types = infer(g.model(), some)
    assert [str(types[f"y_{name}"]) for name in ("a", "b")] == [
        "float32[a_kept]",
        "float32[b_kept]",
    ]


def test_a_rule_of_one_inference_does_not_stay():
    model = custom()
    assert str(infer(model, halved)["y"]) == "float32[batch, 5]"
    assert str(infer(model, lambda x: Abstract(x.dtype, (1, 3)))["y"]) == "float32[1, 5]"
    assert ox.infer(model)["y"].shape is None


def test_the_rules_stay_with_what_if():
    types = infer(custom(), halved).with_inputs({"batch": 4})
    assert str(types["y"]) == "float32[4, 5]"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda x: 3, "returned 3; expected onnx_explorer.schema.Abstract"),
        (lambda x: x.nothing, "fault of the rule given for it"),
        (lambda x, y: x, "TypeError"),
    ],
)
def test_a_rule_that_fails_costs_its_own_outputs_and_is_named(rule, text):
    types = infer(custom(), rule)
    (found, *_) = types.diagnostics
    assert (found.code, found.node) == ("internal", "foo")
    assert text in str(found)


def test_an_attribute_that_a_rule_needs_is_asked_for():
    def needy(x, *, factor):
        return Abstract(x.dtype, (1, factor))

    (found, *_) = infer(custom(), needy).diagnostics
    assert "no attribute 'factor'" in str(found)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ([halved], r"expected a dict"),
        ({"Foo": halved}, r"expected a pair as \("),
        ({("com.acme", "Foo"): 3}, "expected a function"),
    ],
)
def test_rules_in_another_form_are_refused(rules, text):
    with pytest.raises(ox.InferenceError, match=text):
        ox.infer(custom(), rules=rules)
