"""What is drawn after many changes is what a page would draw that opens now: nothing stale is left on what stays."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import onnx_explorer as ox
from onnx_explorer.widgets.explorer import Explorer
from tests.browser.live import LivePage
from tests.widgets.walks import loops

# By card and by value: where things lie, and what else of them is on the screen, depends on the way there.
DRAWN = """() => {
  const told = element => [...element.attributes]
    .filter(({name}) => !['transform', 'data-index', 'data-on', 'style'].includes(name))
    .map(({name, value}) => `${name}=${value}`).sort().join(' ');
  const drawn = {};
  const note = (name, text) => { drawn[name] = [...new Set([...(drawn[name] ?? []), text])].sort(); };
  for (const card of document.querySelectorAll('.ox-card'))
    note(card.dataset.key, [told(card), ...[...card.querySelectorAll('text, .ox-badge, .ox-odd')]
      .map(part => told(part) + part.textContent).sort()].join('; '));
  for (const header of document.querySelectorAll('.ox-header'))
    note(`header ${header.dataset.group}`, told(header) + header.textContent);
  for (const label of document.querySelectorAll('.ox-label')) {
    const text = label.querySelector('text');
    note(`label ${text.dataset.edgeValue}`, told(label) + text.textContent);
  }
  note('inspector', document.querySelector('.ox-inspection').textContent);
  note('status', document.querySelector('.ox-legend:not([hidden])')?.textContent ?? '');
  return drawn;
}"""
KEYS = ["F10"] * 3 + ["F11"] * 3 + ["Shift+F10", "Shift+F11", "Home", "k", "Enter", "v"]


def changes(explorer: Explorer, rng: random.Random) -> list[Callable[[], object]]:
    nodes = [node.name for node in explorer.model.graph.nodes]
    (size, *_), name = [*explorer._debugger.inputs.sizes, ""], explorer.model.graph.inputs[0].name

    def ask(kind: str, **question: str) -> None:
        question = {"what": "size", "place": size, "name": "", "text": "3", **question}
        explorer._handle_custom_msg({"id": 0, "kind": kind, **question}, [])

    def begin_with(filling: str) -> None:
        explorer.feed(name, filling)
        explorer.restart()

    return [
        explorer.run,
        lambda: explorer.select(*rng.sample(nodes, rng.randrange(3))),
        lambda: explorer.overlay(rng.choice(["parameters", "dtype", "activation range", None])),
        lambda: begin_with(rng.choice(["zeros", "ones"])),
        lambda: ask("change"),
        lambda: ask("reset"),
        lambda: setattr(explorer, "constants", rng.choice([True, False, (nodes[0],)])),
    ]


def do_some(page: LivePage, rng: random.Random) -> list[str]:
    """Makes changes by keys and in Python, in any order."""
    done: list[str] = []
    in_python = changes(page.explorer, rng)
    page.root.locator(".ox-canvas").focus()
    for _ in range(9):
        if rng.random() < 0.5:
            done.append(rng.choice(KEYS))
            page.press(done[-1])
        else:
            page.settle()
            place = rng.randrange(len(in_python))
            in_python[place]()
            done.append(str(place))
    page.settle()
    # What a run has shown is not what the next one begins with.
    page.explorer.run()
    page.settle()
    page.explorer.feed(page.explorer.model.graph.inputs[0].name, "ones")
    page.explorer.restart()
    page.settle()
    return done


@pytest.mark.parametrize(
    ("make", "seed"), [(lambda: (ox.example("transformer"), None), 1), (loops, 3)]
)
def test_nothing_stale_is_drawn_after_many_changes(live, make, seed):
    explorer = ox.explore(*make())
    page = live(explorer)
    done = do_some(page, random.Random(seed))
    before = page.page.evaluate(DRAWN)
    fresh = live(explorer)
    for _ in range(100):
        now = fresh.page.evaluate(DRAWN)
        in_both = before.keys() & now.keys()
        other = {name: (before[name], now[name]) for name in in_both if before[name] != now[name]}
        if not other:
            break
        fresh.settle()
    assert other == {}, done
    assert len(in_both) > 5
