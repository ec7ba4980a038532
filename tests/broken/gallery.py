"""Broken models, one per kind of mistake that people make. `GALLERY` maps names to builders,
`EXPECTED` to what has to be found.
"""

from tests.broken import layers, operands, wiring
from tests.broken.making import EXPECTED, GALLERY

__all__ = ["EXPECTED", "GALLERY", "layers", "operands", "wiring"]
