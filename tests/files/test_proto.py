"""The schema of our messages is ONNX's, and the generated code is what the schema says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from google.protobuf import descriptor_pb2 as pb
from onnx import onnx_ml_pb2

from onnx_explorer.proto import onnx_explorer_pb2

ROOT = Path(__file__).parents[2]
Facts = dict[str, tuple[object, ...]]


def facts(module: ModuleType) -> Facts:
    """Everything that decides what a byte means, by full name, without the package's name."""
    file = pb.FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(file)
    package = f".{file.package}."
    found: Facts = {"syntax": (file.syntax,)}

    def enums(prefix: str, declared: list[pb.EnumDescriptorProto]) -> None:
        for enum in declared:
            found[prefix + enum.name] = tuple(sorted((v.number, v.name) for v in enum.value))

    def messages(prefix: str, declared: list[pb.DescriptorProto]) -> None:
        for message in declared:
            name = prefix + message.name
            reserved = {n for r in message.reserved_range for n in range(r.start, r.end)}
            found[name] = (frozenset(reserved), frozenset(message.reserved_name))
            enums(f"{name}.", list(message.enum_type))
            messages(f"{name}.", list(message.nested_type))
            for field in message.field:
                found[f"{name}.{field.name}"] = (
                    field.number,
                    field.label,
                    field.type,
                    field.type_name.removeprefix(package),
                    field.default_value,
                    field.options.packed,
                    message.oneof_decl[field.oneof_index].name
                    if field.HasField("oneof_index")
                    else None,
                )

    enums("", list(file.enum_type))
    messages("", list(file.message_type))
    return found


def test_every_message_field_and_enum_is_the_one_of_onnx() -> None:
    ours, theirs = facts(onnx_explorer_pb2), facts(onnx_ml_pb2)
    assert ours == theirs
    assert "TensorProto.raw_data" in ours


def test_the_schema_of_this_onnx_is_ir_version_14() -> None:
    assert onnx_ml_pb2.IR_VERSION == onnx_explorer_pb2.IR_VERSION == 14


@pytest.fixture(scope="module")
def protoc(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModuleType, Path]:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "proto" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    folder = tmp_path_factory.mktemp("protoc")
    try:
        script.install(folder)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no wheel of {script.TOOL} here: {error.stderr.decode()[-200:]}")
    return script, folder


@pytest.mark.network
@pytest.mark.parametrize("name", ["onnx_explorer_pb2.py", "onnx_explorer_pb2.pyi"])
def test_the_committed_code_is_what_protoc_makes_of_the_schema(
    protoc: tuple[ModuleType, Path], tmp_path: Path, name: str
) -> None:
    script, folder = protoc
    script.generate(folder, tmp_path)
    assert (script.PACKAGE / name).read_bytes() == (tmp_path / name).read_bytes()


def test_the_generated_code_asks_for_no_version_of_the_runtime() -> None:
    # Code that does refuses to load under two of the three major versions that we support.
    source = Path(onnx_explorer_pb2.__file__).read_text()
    assert "runtime_version" not in source
    assert "Protobuf Python Version: 5." in source


def test_importing_the_messages_imports_neither_onnx_nor_numpy() -> None:
    code = (
        "import sys; import onnx_explorer.proto.onnx_explorer_pb2; "
        "print(sorted({'onnx', 'numpy'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"
