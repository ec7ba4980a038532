"""Pictures of the page in Chromium: `python look.py OUT_DIR`, after `jlpm build:page`."""

import functools
import http.server
import sys
import threading
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def serve() -> str:
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(HERE))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/index.html"


def open_page(page: Page, url: str, query: str) -> None:
    page.goto(f"{url}?{query}")
    page.wait_for_selector("[data-onnx-explorer-ready]", timeout=60_000)


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    url = serve()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        for width in (1400, 900):
            for theme in ("light", "dark"):
                page = browser.new_page(viewport={"width": width, "height": 860})
                page.on("console", lambda message: print(message.text))
                page.on("pageerror", lambda error: print("page error:", error))
                for query in ("scene=cnn", "scene=transformer&n=12", "scene=flat&n=2000"):
                    open_page(page, url, f"{query}&theme={theme}")
                    name = query.split("&")[0].removeprefix("scene=")
                    page.screenshot(path=out / f"{name}_{width}_{theme}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
