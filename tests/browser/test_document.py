"""A double click on an `.onnx` file in JupyterLab."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper
from playwright.sync_api import expect

DOCUMENT = ".onnx-explorer-document"
READY = f"{DOCUMENT} [data-onnx-explorer-ready]"
NOTICE = f"{DOCUMENT} .onnx-explorer-notice"


def small_model() -> onnx.ModelProto:
    """Y = Relu(X + W), with W an initializer of two elements."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["X", "W"], ["S"]), helper.make_node("Relu", ["S"], ["Y"])],
        "small",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, ["N", 2])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, ["N", 2])],
        [helper.make_tensor("W", TensorProto.FLOAT, [2], [1.0, 2.0])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def varint(number: int) -> bytes:
    more, last = number >> 7, number & 0x7F
    return bytes([last | 0x80]) + varint(more) if more else bytes([last])


def field(number: int, length: int) -> bytes:
    """The head of a length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(length)


def write_huge(path: Path, elements: int) -> None:
    """The small model with one more initializer `H` of float32 zeros, which take no room on the disk."""
    model = small_model()
    tensor = TensorProto(dims=[elements], data_type=TensorProto.FLOAT, name="H").SerializeToString()
    payload_bytes = 4 * elements
    head_of_payload = field(9, payload_bytes)
    tensor_bytes = len(tensor) + len(head_of_payload) + payload_bytes
    graph = model.graph.SerializeToString()
    head_of_tensor = field(5, tensor_bytes)
    head_of_graph = field(7, len(graph) + len(head_of_tensor) + tensor_bytes)
    model.ClearField("graph")
    head = b"".join(
        [model.SerializeToString(), head_of_graph, graph, head_of_tensor, tensor, head_of_payload]
    )
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + payload_bytes)


def test_a_huge_file_is_a_model_to_onnx_too(tmp_path):
    write_huge(tmp_path / "few.onnx", elements=1000)
    (added,) = [w for w in onnx.load(tmp_path / "few.onnx").graph.initializer if w.name == "H"]
    assert onnx.numpy_helper.to_array(added).shape == (1000,)


@pytest.fixture
def small(lab, lab_page):
    """The small model, opened by a double click, here or for a test before."""
    if not lab_page.is_open("small.onnx"):
        lab_page.clear()
        onnx.save(small_model(), lab.root / "small.onnx")
        lab_page.double_click("small.onnx")
    explorer = lab_page.page.locator(READY)
    explorer.wait_for()
    return explorer


def kernels(lab_page):
    """The kernels that the server has for the small model."""
    return lab_page.page.evaluate("""async () => {
        const { sessions } = window.jupyterapp.serviceManager;
        await sessions.refreshRunning();
        const of = [...sessions.running()].filter(session => session.path === 'small.onnx');
        return of.map(session => session.kernel.id);
    }""")


def test_double_click_opens_the_explorer(small, lab_page):
    expect(lab_page.page.locator(NOTICE)).to_be_empty()
    lab_page.shot("document")


def test_the_step_bar_of_a_document_reaches_its_kernel(small):
    small.locator("[data-action=restart]").click()
    status = small.locator(".ox-status")
    expect(status).to_contain_text("0 of 2: next is Add")
    small.locator("[data-action=step]").click()
    expect(status).to_contain_text("1 of 2")
    small.locator("[data-action=step]").click()
    expect(status).to_contain_text("2 of 2")


def test_after_a_reload_the_document_comes_back_with_the_kernel_that_it_had(small, lab_page):
    (before,) = kernels(lab_page)
    lab_page.reload("small.onnx")
    small.wait_for()
    assert kernels(lab_page) == [before]
    # The run that it had is over: the file was opened anew.
    small.locator("[data-action=step]").click()
    expect(small.locator(".ox-status")).to_contain_text("1 of 2")


def test_two_views_of_a_file_share_one_kernel(small, lab_page):
    lab_page.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:clone')")
    expect(small).to_have_count(2)
    assert len(kernels(lab_page)) == 1
    lab_page.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
    expect(small).to_have_count(1)
    # The other view still has it.
    assert len(kernels(lab_page)) == 1


def test_a_kernel_that_ends_leaves_the_drawing_and_a_way_back(small, lab_page):
    lab_page.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.context.sessionContext.shutdown()"
    )
    notice = lab_page.page.locator(f"{NOTICE}[data-stage=ended]")
    expect(notice).to_contain_text("kernel")
    expect(small).to_have_count(1)
    notice.locator("[data-action=open-again]").click()
    expect(notice).to_have_count(0)
    small.wait_for()


def test_closing_the_document_ends_its_kernel(small, lab_page):
    assert len(kernels(lab_page)) == 1
    lab_page.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")
    lab_page.wait_until("""async () => {
        const sessions = window.jupyterapp.serviceManager.sessions;
        await sessions.refreshRunning();
        return ![...sessions.running()].some(s => s.path === 'small.onnx');
    }""")


def test_a_file_of_a_gigabyte_never_goes_through_the_browser(lab, empty_lab_page):
    lab_page = empty_lab_page
    write_huge(lab.root / "huge.onnx", elements=1 << 28)
    lab_page.double_click("huge.onnx")
    lab_page.page.locator(READY).wait_for()
    asked = [r.url for r in lab_page.responses if "/api/contents/huge.onnx?" in r.url]
    assert asked
    assert [url for url in asked if "content=0" not in url] == []
    assert lab_page.received_bytes < 8_000_000


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.onnx", b""), ("page.onnx", b"<!DOCTYPE html><html><body>404</body></html>")],
)
def test_the_document_of_a_file_that_is_no_model_says_why(lab, empty_lab_page, name, content):
    lab_page = empty_lab_page
    (lab.root / name).write_bytes(content)
    lab_page.double_click(name)
    notice = lab_page.page.locator(f"{NOTICE}[data-stage=failed]")
    expect(notice).to_contain_text("ModelError")
    # Mended on the disk, it opens without a new tab.
    onnx.save(small_model(), lab.root / name)
    notice.locator("[data-action=open-again]").click()
    lab_page.page.locator(READY).wait_for()
