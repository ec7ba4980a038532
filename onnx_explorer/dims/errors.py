"""The exceptions of symbolic sizes."""

from onnx_explorer.errors import ExplorerError


class DimError(ExplorerError):
    """Sizes that cannot go together: a broadcast of 2 and 3, a division by zero."""


class DimLimitError(DimError):
    """A size whose formula grew past what is worth keeping; put a fresh symbol in its place."""


class UndecidedError(ExplorerError):
    """A question about a symbolic size whose answer depends on the values of its symbols."""


class DimSyntaxError(DimError):
    """A text that is no size. `text` and `position` (from 0) say where reading stopped."""

    def __init__(self, text: str, position: int, reason: str) -> None:
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        super().__init__(f"cannot read the size {shown!r} at position {position}: {reason}")
        self.text = text
        self.position = position
