"""ImageDecoder: the pixels of an image file that comes as bytes.

The format (BMP, JPEG, JPEG 2000, TIFF, PNG, WebP, PNM) is found in the bytes themselves. The pixels come as
(height, width, channels), with channels in the order that `pixel_format` names: "RGB", "BGR", or "Grayscale"
with one channel. Bytes that are no image give an image without pixels, (0, 0, channels).

Pillow does the decoding; it comes with the extra `image` of this package.

Spec: ai.onnx ImageDecoder-20
"""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from onnx_explorer.errors import EvaluationError
from onnx_explorer.ir import DType
from onnx_explorer.schema import Abstract, Attr, Change, Operator, Port, RuleSite, Violation
from onnx_explorer.schema.typesets import UINT8

# Pillow knows more, and hands some of them to other programs: not for bytes of unknown origin.
FORMATS = ("BMP", "JPEG", "JPEG2000", "TIFF", "PNG", "WEBP", "PPM")

IMAGE_DECODER = Operator(
    "ImageDecoder",
    doc=__doc__,
    history=(
        Change(
            20,
            "first version",
            inputs=(
                Port("encoded_stream", "T1", "the bytes of a file, 1-D", differentiable=False),
            ),
            outputs=(Port("image", "T2", "(height, width, channels)", differentiable=False),),
            attributes=(
                Attr(
                    "pixel_format",
                    "string",
                    "RGB",
                    one_of=("RGB", "BGR", "Grayscale"),
                    doc="the channels and their order",
                ),
            ),
            types={"T1": UINT8, "T2": UINT8},
        ),
    ),
)


@IMAGE_DECODER.infer(since=20)
def infer(encoded_stream: Abstract, *, pixel_format: str, at: RuleSite) -> Abstract:
    channels = 1 if pixel_format == "Grayscale" else 3
    result = Abstract(DType.UINT8, (at.fresh("height"), at.fresh("width"), channels))
    at.keep(result)
    if encoded_stream.shape is not None:
        _check_rank(encoded_stream.shape)
    return result


def _check_rank(shape: tuple[object, ...]) -> None:
    if len(shape) != 1:
        raise Violation(
            f"rank {len(shape)}", "bytes in a row: rank 1", port="encoded_stream", code="wrong-rank"
        )


@IMAGE_DECODER.kernel(since=20)
def image_decoder(
    encoded_stream: NDArray[np.uint8], *, pixel_format: Literal["RGB", "BGR", "Grayscale"]
) -> NDArray[np.uint8]:
    _check_rank(encoded_stream.shape)
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise EvaluationError(
            "ImageDecoder needs Pillow, which is not installed: "
            "install it with `pip install 'onnx-explorer[image]'`"
        ) from error
    try:
        with Image.open(io.BytesIO(encoded_stream.tobytes()), formats=FORMATS) as image:
            pixels = np.array(image.convert("L" if pixel_format == "Grayscale" else "RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        return np.empty((0, 0, 1 if pixel_format == "Grayscale" else 3), np.uint8)
    if pixel_format == "Grayscale":
        return pixels[:, :, None]
    return np.ascontiguousarray(pixels[:, :, ::-1]) if pixel_format == "BGR" else pixels


# A PNM file of one red pixel.
RED = np.frombuffer(b"P6 1 1 255\n\xff\x00\x00", np.uint8)
IMAGE_DECODER.example((RED,), (np.array([[[255, 0, 0]]], np.uint8),))
IMAGE_DECODER.example((RED,), (np.array([[[0, 0, 255]]], np.uint8),), pixel_format="BGR")
