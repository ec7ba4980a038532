"""The models that onnx bundles with recorded inputs and outputs."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from onnx_explorer.evaluation import run
from onnx_explorer.files import load
from onnx_explorer.inference import infer

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
MODELS = {
    f"{kind}/{path.parent.name}": path
    for kind in ("simple", "pytorch-converted", "pytorch-operator")
    for path in sorted((DATA / kind).glob("*/model.onnx"))
}


def recorded(folder, kind, values):
    """The recorded values, each read as the type that the model declares."""
    found = {}
    for i, value in enumerate(values):
        path = folder / f"{kind}_{i}.pb"
        if not path.exists():
            continue
        data = path.read_bytes()
        if value.type.HasField("sequence_type"):
            found[value.name] = onnx.numpy_helper.to_list(onnx.SequenceProto.FromString(data))
        elif value.type.HasField("optional_type"):
            found[value.name] = onnx.numpy_helper.to_optional(onnx.OptionalProto.FromString(data))
        else:
            array = onnx.numpy_helper.to_array(onnx.TensorProto.FromString(data))
            found[value.name] = array.astype(object) if array.dtype.kind in "US" else array
    return found


@pytest.mark.parametrize("name", MODELS)
def test_a_bundled_model_gives_its_recorded_outputs(name):
    path = MODELS[name]
    proto = onnx.load(path)
    model = load(path)
    types = infer(model)
    assert not types.errors, "\n".join(map(str, types.errors))
    data_sets = sorted(path.parent.glob("test_data_set_*"))
    assert data_sets
    given = [v for v in proto.graph.input if v.name not in model.graph.initializers]
    for folder in data_sets:
        feeds = recorded(folder, "input", given)
        if len(feeds) < len(list(folder.glob("input_*.pb"))):
            feeds = recorded(folder, "input", proto.graph.input)
        results = run(model, feeds, seed=0)
        for output, wanted in recorded(folder, "output", proto.graph.output).items():
            got = results[output]
            if isinstance(wanted, list):
                assert len(got) == len(wanted)
                for a, b in zip(got, wanted, strict=True):
                    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
            elif wanted.dtype.kind in "Ob":
                np.testing.assert_array_equal(got, wanted)
            else:
                assert got.dtype == wanted.dtype
                np.testing.assert_allclose(got, wanted, rtol=1e-3, atol=1e-5)
