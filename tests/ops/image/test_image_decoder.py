import io
import sys

import numpy as np
import pytest
from PIL import Image

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ops.image.image_decoder import IMAGE_DECODER
from tests.ops.page_driver import complaint, kernel, rule, tensor

PIXELS = np.array([[[255, 0, 0], [0, 255, 0], [1, 2, 3]]], np.uint8)


def encoded(image, kind):
    file = io.BytesIO()
    image.save(file, kind)
    return np.frombuffer(file.getvalue(), np.uint8)


@pytest.mark.parametrize("kind", ["BMP", "PNG", "TIFF", "PPM"])
def test_pixels_come_in_the_order_of_channels_asked_for(kind):
    stream = encoded(Image.fromarray(PIXELS), kind)
    assert kernel(IMAGE_DECODER, 20, stream).tolist() == PIXELS.tolist()
    got = kernel(IMAGE_DECODER, 20, stream, pixel_format="BGR")
    assert got.tolist() == PIXELS[:, :, ::-1].tolist()
    assert kernel(IMAGE_DECODER, 20, stream, pixel_format="Grayscale").shape == (1, 3, 1)


def test_gray_and_transparent_images_get_three_channels():
    gray = encoded(Image.fromarray(PIXELS[:, :, 0]), "PNG")
    assert kernel(IMAGE_DECODER, 20, gray).tolist() == PIXELS[:, :, :1].repeat(3, axis=2).tolist()
    clear = Image.fromarray(PIXELS).convert("RGBA")
    assert kernel(IMAGE_DECODER, 20, encoded(clear, "PNG")).tolist() == PIXELS.tolist()


def test_what_is_no_image_gives_no_pixels():
    cut = encoded(Image.fromarray(PIXELS), "PNG")[:40]
    for stream in (np.arange(9, dtype=np.uint8), np.empty(0, np.uint8), cut):
        assert kernel(IMAGE_DECODER, 20, stream).shape == (0, 0, 3)
    # PostScript is run by another program, so it is not opened.
    page = encoded(Image.fromarray(PIXELS), "EPS")
    assert kernel(IMAGE_DECODER, 20, page, pixel_format="Grayscale").shape == (0, 0, 1)


def test_without_pillow_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(EvaluationError, match=r"needs Pillow.*onnx-explorer\[image\]"):
        kernel(IMAGE_DECODER, 20, np.empty(0, np.uint8))


def test_only_the_channels_are_known_before_decoding():
    assert rule(IMAGE_DECODER, 20, tensor("n")).shape == "[height_0, width_1, 3]"
    got = rule(IMAGE_DECODER, 20, tensor("n"), pixel_format="Grayscale")
    assert got.shape == "[height_0, width_1, 1]"
    assert complaint(IMAGE_DECODER, 20, tensor(2, 3)) == "rank 2, but bytes in a row: rank 1"
