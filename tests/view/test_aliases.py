"""Short forms of long names of dims."""

import onnx_explorer as ox
from onnx_explorer.view import scene_of
from onnx_explorer.view.aliases import short_forms


def test_numbered_names_keep_their_numbers():
    names = [f"p2o.DynamicDimension.{i}" for i in (0, 1, 12)]
    assert list(short_forms(names).values()) == ["p2o…0", "p2o…1", "p2o…12"]


def test_as_many_last_words_stay_as_tell_names_apart():
    forms = short_forms(["past_key_values.0.key_length", "past_key_values.1.key_length"])
    assert list(forms.values()) == ["past…0.key_length", "past…1.key_length"]


def test_two_names_never_share_a_form():
    names = [
        f"{a}_sequence_of_{b}_length" for a in ("encoder", "encode") for b in ("token", "byte")
    ]
    forms = short_forms(names)
    assert len(set(forms.values())) == len(forms)


def test_a_name_that_cannot_be_shortened_is_left_out():
    assert short_forms(["averyverylongname", "1234567890123456"]) == {}


def test_a_scene_tells_the_short_forms_of_its_long_dims():
    g = ox.build.graph("long")
    x = g.input("x", "float32[dynamic_axis_number_1, batch]")
    g.output(g.Relu(x), "y")
    scene = scene_of(ox.infer(g.model()))
    assert scene.aliases == {"dynamic_axis_number_1": "dynam…1"}
    assert scene.edges[0].label == "float32[dynamic_axis_number_1, batch]"
    assert scene.columns()["aliases"] == [["dynamic_axis_number_1", "dynam…1"]]
