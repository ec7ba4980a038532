"""The widget in a page of its own, answered by its explorer in this process: no notebook between."""

from __future__ import annotations

import base64
import json

from playwright.sync_api import BrowserContext, Locator, Page

from onnx_explorer.widgets.explorer import Explorer
from onnx_explorer.widgets.front_end import asset
from tests.browser import pictures

BYTES = ("scene", "interiors")
SHARED = ("selected", "selection", "expanded", "constants", "overlays", "overlay_name")
TRAITS = (*BYTES, "state", *SHARED)
BRIDGE = """
const listeners = new Map();
const held = __TRAITS__;
const bytesOf = new Set(__BYTES__);
for (const name of bytesOf) held[name] = bytes(held[name]);
function bytes(text) {
  const whole = atob(text);
  return new DataView(Uint8Array.from(whole, one => one.charCodeAt(0)).buffer);
}
function tell(event, ...values) {
  for (const one of [...(listeners.get(event) ?? [])]) one(...values);
}
let unsaved = {};
// Polls without news since the page last said something: two in a row, and nobody has anything to say.
window.quiet = 0;
let unheard = 0;
function say(sent) {
  window.quiet = 0;
  unheard++;
  void sent.finally(() => { unheard--; });
}
window.model = {
  get: name => held[name],
  set(name, value) {
    if (JSON.stringify(held[name]) === JSON.stringify(value)) return;
    held[name] = value;
    unsaved[name] = value;
    tell(`change:${name}`);
  },
  save_changes() {
    const changed = JSON.stringify(unsaved);
    unsaved = {};
    if (changed !== "{}") say(window.saved(changed));
  },
  send(content, _callbacks, buffers = []) {
    const sent = buffers.map(one => btoa(Array.from(new Uint8Array(one.buffer ?? one),
      code => String.fromCharCode(code)).join('')));
    say(window.asked(JSON.stringify(content), sent).then(hear));
  },
  on(event, one) { listeners.set(event, (listeners.get(event) ?? new Set()).add(one)); },
  off(event, one) { listeners.get(event)?.delete(one); },
};
function hear(news) {
  for (const [kind, name, text] of news) {
    const value = JSON.parse(text);
    if (kind === 'reply') tell('msg:custom', value, []);
    else { held[name] = bytesOf.has(name) ? bytes(value) : value; tell(`change:${name}`); }
  }
}
// What comes of a question comes with its answer; all else is asked for.
async function poll() {
  const news = await window.news();
  const rests = news.length === 0 && unheard === 0 && !held.state?.running;
  window.quiet = rests ? window.quiet + 1 : 0;
  hear(news);
  setTimeout(poll, 8);
}
void poll();
"""


class LivePage:
    """An explorer and the page that shows it."""

    def __init__(
        self, tabs: BrowserContext, explorer: Explorer, *, scheme: str, width: int
    ) -> None:
        self.explorer = explorer
        self.errors: list[str] = []
        self._news: list[tuple[str, str, str]] = []
        self._said: dict[str, object] = {}
        self.page: Page = tabs.new_page()
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_default_timeout(60_000)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.expose_function("asked", self._asked)
        self.page.expose_function("saved", self._saved)
        self.page.expose_function("news", self._fetch)
        explorer.send = lambda content, buffers=None: self._news.append(
            ("reply", "", json.dumps(content, allow_nan=False))
        )
        explorer.observe(self._changed, [*TRAITS])
        self.page.set_content(self._html(scheme))
        self.root.wait_for()

    @property
    def root(self) -> Locator:
        return self.page.locator("[data-onnx-explorer-ready]")

    @property
    def view(self) -> str:
        """How the drawing is moved, and how much larger it is."""
        return self.root.locator(".ox-world").get_attribute("transform") or ""

    def settle(self) -> None:
        """Until page and explorer have heard all that the other said, no run is under way, and it is
        drawn: before a key, or a question to either, that builds on it.
        """
        self.page.evaluate("() => { window.quiet = 0; }")
        self.page.wait_for_function("() => window.quiet > 1")
        self.root.wait_for()

    def press(self, *keys: str) -> None:
        """Presses keys, each when what came of the one before is there."""
        for key in keys:
            self.settle()
            self.page.keyboard.press(key)

    def shot(self, name: str) -> None:
        pictures.shoot(self.page, name)

    def close(self) -> None:
        self.explorer.unobserve_all()
        self.page.close()

    def _html(self, scheme: str) -> str:
        traits = json.dumps({name: json.loads(self._text(name)) for name in TRAITS})
        behind = "#ffffff" if scheme == "light" else "#16181c"
        module = base64.b64encode(asset("widget.js").encode()).decode()
        bridge = BRIDGE.replace("__BYTES__", json.dumps(BYTES))
        bridge = bridge.replace("__TRAITS__", traits.replace("</", "<\\/"))
        return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>live</title>
            <style>body {{ margin: 0; background: {behind} }} #cell {{ --ox-height: 100vh }}
            {asset("widget.css")}</style>
            <main id="cell"></main><script>{bridge}</script><script type="module">
            const text = new TextDecoder().decode(
                Uint8Array.from(atob("{module}"), one => one.charCodeAt(0)));
            const url = URL.createObjectURL(new Blob([text], {{type: "text/javascript"}}));
            const widget = await import(url);
            widget.default.render({{model: window.model, el: document.getElementById("cell")}});
            </script>"""

    def _text(self, name: str) -> str:
        value = getattr(self.explorer, name)
        if isinstance(value, bytes):
            return json.dumps(base64.b64encode(value).decode())
        return json.dumps(value, allow_nan=False)

    def _changed(self, change: dict[str, object]) -> None:
        name = str(change["name"])
        text = self._text(name)
        # The page is not told of what it has said: it may have said something else since.
        if name in self._said and json.loads(text) == self._said[name]:
            return
        self._news.append(("trait", name, text))

    def _asked(self, content: str, buffers: list[str]) -> list[tuple[str, str, str]]:
        given = [base64.b64decode(one) for one in buffers]
        self.explorer._handle_custom_msg(json.loads(content), given)
        return self._fetch()

    def _saved(self, traits: str) -> None:
        self._said = json.loads(traits)
        # All at once, as widgets do: else what follows from one would come back before the others are there.
        with self.explorer.hold_trait_notifications():
            for name, value in self._said.items():
                setattr(self.explorer, name, value)
        self._said = {}

    def _fetch(self) -> list[tuple[str, str, str]]:
        news, self._news = self._news, []
        return news
