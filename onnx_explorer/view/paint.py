"""Overlays as colours of what is drawn. The front end does the same (`core/paint.ts`)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from onnx_explorer.dims import DimError, evaluate, parse, symbols
from onnx_explorer.view.figures import Figure
from onnx_explorer.view.fold import stand_ins
from onnx_explorer.view.labels import bytes_text
from onnx_explorer.view.overlay import Overlay
from onnx_explorer.view.scene import Scene

# From bright to dark in even steps of lightness, so that it is read with any kind of colour vision.
_STOPS = (
    (0xF9, 0xF0, 0x80),
    (0xB7, 0xE2, 0x7F),
    (0x70, 0xD0, 0x8B),
    (0x0D, 0xB8, 0x99),
    (0x03, 0x99, 0x9C),
    (0x08, 0x7B, 0x96),
    (0x00, 0x5D, 0x92),
    (0x22, 0x3A, 0x89),
    (0x31, 0x17, 0x6B),
)
_WORDS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#5e4fa2")
_OTHERS = "#9a9fa6"
_UNEVEN = 50
"""A largest number so many times the middle one would outshine all: the scale is logarithmic."""
_BEYOND_PREFIXES = 999.5e18


@dataclass(frozen=True, slots=True)
class Paint:
    """The colour of a box, that of the text on it, and the text; "" where a legend says it."""

    colour: str
    ink: str
    text: str


@dataclass(frozen=True, slots=True)
class Painting:
    """What a picture shows of an overlay: `b3` and `g2` are boxes and closed groups."""

    legend: str
    paints: Mapping[str, Paint]


def built_in(scene: Scene, name: str, sizes: Mapping[str, int]) -> Overlay | None:
    """An overlay that the scene alone tells, open sizes as given, else 1; None for others."""
    match name:
        case "parameters":
            counts: dict[str, float | str] = {box.id: 0 for box in scene.boxes if box.op}
            for initializer in scene.initializers:
                if initializer.boxes:
                    reader = scene.boxes[initializer.boxes[0]].id
                    size = scene.constants[initializer.name].size
                    counts[reader] = float(counts.get(reader, 0)) + size
            return Overlay(name, counts)
        case "output bytes":
            return Overlay(name, _numbers({b.id: b.bytes for b in scene.boxes}, sizes), "B")
        case "macs":
            return Overlay(name, _numbers({b.id: b.macs for b in scene.boxes}, sizes))
        case "flops":
            return Overlay(name, _numbers({b.id: b.flops for b in scene.boxes}, sizes))
        case "dtype":
            types = {b.id: (b.outputs or b.inputs or (("", "", ""),))[0][2] for b in scene.boxes}
            words = {box: type_.rpartition("[")[0] for box, type_ in types.items()}
            return Overlay(name, {box: word for box, word in words.items() if word})
        case _:
            return None


def open_symbols(scene: Scene) -> frozenset[str]:
    """The open sizes that the numbers of nodes depend on."""
    figures = {figure for box in scene.boxes for figure in (box.bytes, box.macs, box.flops)}
    texts = [figure for figure in figures if isinstance(figure, str) and figure]
    return frozenset(name for text in texts for name in symbols(parse(text)))


def _numbers(figures: Mapping[str, Figure], sizes: Mapping[str, int]) -> dict[str, float | str]:
    found: dict[str, float | str] = {}
    for box, figure in figures.items():
        if isinstance(figure, int):
            found[box] = figure
        elif figure:
            dim = parse(figure)
            try:
                found[box] = evaluate(dim, {name: sizes.get(name, 1) for name in symbols(dim)})
            except DimError:
                continue
    return found


def painting(scene: Scene, overlay: Overlay, expanded: Collection[int]) -> Painting:
    """The colours of what stands there when these groups are open."""
    keys = stand_ins(scene.groups, scene.boxes, expanded)
    by_key: dict[str, list[float | str]] = {}
    for box, key in zip(scene.boxes, keys, strict=True):
        if box.id in overlay.values:
            by_key.setdefault(key, []).append(overlay.values[box.id])
    if any(isinstance(value, str) for value in overlay.values.values()):
        return _worded(overlay, by_key)
    totals = {
        key: (max if overlay.combine == "max" else math.fsum)(float(v) for v in values)
        for key, values in by_key.items()
    }
    scale = Scale.of(totals.values())
    paints = {
        key: _paint(_colour(scale.share(total)), amount_text(total, overlay.unit))
        for key, total in totals.items()
        if total != 0 or scale.low < 0
    }
    ends = f"{amount_text(scale.low, overlay.unit)} … {amount_text(scale.high, overlay.unit)}"
    kind = ", logarithmic" if scale.logarithmic else ""
    return Painting(f"{overlay.name}: {ends}{kind}", paints)


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers between two ends as shares from 0 to 1."""

    low: float
    high: float
    logarithmic: bool

    @staticmethod
    def of(numbers: Collection[float]) -> Scale:
        """One that holds all of them; what counts begins at 0."""
        low, high = min(numbers, default=0.0), max(numbers, default=0.0)
        positive = sorted(number for number in numbers if number > 0)
        if low >= 0 and positive and high > _UNEVEN * positive[len(positive) // 2]:
            return Scale(positive[0], high, True)
        return Scale(min(0.0, low), high, False)

    def share(self, number: float) -> float:
        if self.high <= self.low:
            return 1.0 if number >= self.high else 0.0
        if self.logarithmic:
            return math.log(max(number, self.low) / self.low) / math.log(self.high / self.low)
        return (number - self.low) / (self.high - self.low)


def amount_text(number: float, unit: str) -> str:
    """A number in three digits with its unit: `1.35 M`, `812 B`, `0.25 ms`."""
    if unit == "B":
        return bytes_text(round(number))
    if abs(number) >= _BEYOND_PREFIXES:
        return f"{number:.3g} {unit}".strip()
    prefixes = iter("kMGTPE")
    prefix = unit
    while not unit and abs(number) >= 999.5:
        number, prefix = number / 1000, next(prefixes)
    text = f"{number:,.0f}" if abs(number) >= 999.5 else f"{number:.3g}"
    return f"{text} {prefix}".strip()


def _worded(overlay: Overlay, by_key: Mapping[str, list[float | str]]) -> Painting:
    counts = Counter(map(str, overlay.values.values()))
    words = sorted(counts, key=lambda word: (-counts[word], word))
    colours = {w: _WORDS[i] if i < len(_WORDS) else _OTHERS for i, w in enumerate(words)}
    # A group of several has no colour.
    paints = {
        key: _paint(colours[str(values[0])], str(values[0]))
        for key, values in by_key.items()
        if len(set(values)) == 1
    }
    return Painting(overlay.name, paints)


def _paint(colour: str, text: str) -> Paint:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    bright = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.179
    return Paint(colour, "#000000" if bright else "#ffffff", text)


def _colour(share: float) -> str:
    along = min(1.0, max(0.0, share)) * (len(_STOPS) - 1)
    place = min(len(_STOPS) - 2, int(along))
    part = along - place
    ends = zip(_STOPS[place], _STOPS[place + 1], strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in ends)
