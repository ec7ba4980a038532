"""Traits that say in words what they expect, as all of the package does."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NoReturn, cast

import traitlets

from onnx_explorer.errors import ExplorerError
from onnx_explorer.ir.expected import shown


class TraitFault(ExplorerError, traitlets.TraitError):
    """A value that a trait does not take. As a TraitError it puts back what was there, also where
    several traits change at once.
    """


class _Worded(traitlets.TraitType[Any, Any]):
    """A trait with `expected`, a tag that tells what it takes."""

    def error(
        self,
        obj: traitlets.HasTraits | None,  # noqa: ARG002 - as traitlets has it
        value: object,
        error: Exception | None = None,  # noqa: ARG002
        info: str | None = None,
    ) -> NoReturn:
        expected = cast("str", self.metadata.get("expected")) or info or self.info()
        raise TraitFault(f"{self.name} = {shown(value)}; expected {expected}")


class Text(_Worded, traitlets.Unicode[str, str | bytes]):
    """A text."""


class Items(_Worded, traitlets.Tuple):
    """A tuple; lists become one."""


class Table(_Worded, traitlets.Dict):  # pyright: ignore[reportMissingTypeArgument]  # generic in stubs alone
    """A dict."""


class FlagOrItems(_Worded, traitlets.Union):
    """True or False, or a tuple."""


@contextmanager
def faults_of(trait: str) -> Generator[None]:
    """What is wrong with the contents of a trait, under its name."""
    try:
        yield
    except ExplorerError as error:
        raise TraitFault(f"{trait}: {error}") from None
