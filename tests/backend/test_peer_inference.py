"""Our types beside those of onnx's own inference: equal or finer, never in contradiction."""

from collections import Counter

import onnx

from onnx_explorer.files import load
from onnx_explorer.inference import infer
from onnx_explorer.ir import TensorType
from tests.backend.node_cases import cases
from tests.backend.test_bundled_models import MODELS
from tests.models.sources import DATA, LIGHT, LIGHT_MODELS, RECORDED


def sources():
    for name, case in cases().items():
        yield name, case.model
    for name, path in MODELS.items():
        yield name, onnx.load(path)
    for name in LIGHT_MODELS:
        yield name, onnx.load(LIGHT / f"{name}.onnx")
    for name in RECORDED:
        yield name, onnx.load(DATA / f"{name}.onnx")


def without_shapes(proto):
    """The model without what it declares inside and at its end: both have to work it out."""
    bare = onnx.ModelProto()
    bare.CopyFrom(proto)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.ClearField("type")
    return bare


def their_shapes(proto):
    """The dims that onnx infers, by value name: ints, None for a size it does not know."""
    try:
        inferred = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    except Exception:  # noqa: BLE001  a model that onnx cannot infer says nothing
        return {}
    shapes = {}
    for value in (*inferred.graph.value_info, *inferred.graph.output):
        tensor = value.type.tensor_type
        if tensor.HasField("shape"):
            shapes[value.name] = [
                dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
                for dim in tensor.shape.dim
            ]
    return shapes


def test_our_types_equal_or_refine_those_of_onnx(capsys):
    ours, theirs = Counter(), Counter()
    contradictions, losses = [], []
    for name, proto in sources():
        bare = without_shapes(proto)
        types = infer(load(bare))
        computed = [o for node in bare.graph.node for o in node.output if o]
        shapes = their_shapes(bare)
        for value in computed:
            inferred, peer = types[value], shapes.get(value)
            known = isinstance(inferred, TensorType) and inferred.shape is not None
            ours["ranks"] += known
            theirs["ranks"] += peer is not None
            if known:
                ours["static dims"] += sum(isinstance(size, int) for size in inferred.shape)
                ours["dims"] += len(inferred.shape)
            if peer is None:
                continue
            theirs["static dims"] += sum(isinstance(size, int) for size in peer)
            theirs["dims"] += sum(size is not None for size in peer)
            if not known:
                losses.append(f"{name} {value}: {inferred}, not {peer}")
            elif len(inferred.shape) != len(peer):
                contradictions.append(f"{name} {value}: {inferred}, not {peer}")
            else:
                for size, wanted in zip(inferred.shape, peer, strict=True):
                    if not isinstance(wanted, int):
                        continue
                    if not isinstance(size, int):
                        losses.append(f"{name} {value}: {inferred}, not {peer}")
                    elif size != wanted:
                        contradictions.append(f"{name} {value}: {inferred}, not {peer}")
    with capsys.disabled():
        print(f"\nknown to us {dict(ours)}, to onnx {dict(theirs)}")
    assert not contradictions, "\n".join(contradictions)
    assert not losses, "\n".join(losses)
