"""A real JupyterLab in a real Chromium, driven by Playwright."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import nbformat
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Playwright,
    Response,
    ViewportSize,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from onnx_explorer.widgets.explorer import Explorer
from tests.browser import pictures
from tests.browser.live import LivePage

PATIENCE_S = 60
HEIGHT = 900
SIZE: ViewportSize = {"width": 1400, "height": HEIGHT}
SHARED = "shared.ipynb"
READY = "[data-onnx-explorer-ready]"
# What anywidget says of a widget that was not there within two seconds, in a browser that is busy.
GIVEN_UP = "[anywidget] Failed to initialize model."
BROWSER_FLAGS = [
    "--no-sandbox",  # a root user, as in a container, gets none
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Tells the page's fixture whether its test failed, so that it can leave a picture."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


FAILED = pytest.StashKey[bool]()


class Lab:
    """A JupyterLab server with a home, settings and a folder of its own."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        self._log = home / "lab.log"
        self._process = self._start(home)

    def _start(self, home: Path) -> subprocess.Popen[bytes]:
        settings = home / "settings"
        # No flag turns off the question whether to fetch news: only this file does.
        news = settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
        news.parent.mkdir(parents=True)
        news.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
        environment = {
            **os.environ,
            "HOME": str(home),
            "IPYTHONDIR": str(home / "ipython"),
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(settings),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "JUPYTER_PLATFORM_DIRS": "1",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        }
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={self.url.rpartition(':')[2]}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}",
            f"--ServerApp.root_dir={self.root}",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.expose_app_in_browser=True",
        ]
        with self._log.open("wb") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def wait(self) -> None:
        limit = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(
                    f"{self.url}/api/status?token={self.token}", timeout=2
                ).close()
                return
            if self._process.poll() is not None or time.monotonic() > limit:
                pytest.fail(f"JupyterLab did not start:\n{self.log()}")
            time.sleep(0.2)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def write_notebook(self, name: str, *cells: str) -> str:
        """Puts a notebook with these code cells into the server's folder; its path there comes back."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, self.root / name)
        return name


class LabPage:
    """The page that all tests share, since JupyterLab takes seconds to load."""

    def __init__(self, lab: Lab, page: Page) -> None:
        self.lab = lab
        self.page = page
        self.errors: list[str] = []
        self.responses: list[Response] = []
        self.received_bytes = 0
        page.set_default_timeout(PATIENCE_S * 1000)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("response", self._note)
        page.on("websocket", lambda ws: ws.on("framereceived", self._count))
        page.goto(f"{lab.url}/lab?token={lab.token}&reset")
        self._wait_for_lab()

    def wait_until(self, condition: str, arg: object = None) -> None:
        """Asks until this function of JavaScript says yes; if it never does, tells what is open in JupyterLab."""
        try:
            # Not at each frame, as by default: a page that is not painted has none.
            self.page.wait_for_function(condition, arg=arg, polling=100)
        except PlaywrightTimeoutError as error:
            raise AssertionError(
                f"never true: {condition}\nopen: {self._open_widgets()}"
            ) from error

    def _open_widgets(self) -> object:
        return self.page.evaluate("""() => {
            const shell = window.jupyterapp?.shell;
            return shell && [...shell.widgets('main')].map(widget => ({
                label: widget.title.label,
                current: widget === shell.currentWidget,
                ready: widget.context?.isReady,
                session: widget.sessionContext?.isReady,
                kernel: widget.sessionContext?.session?.kernel?.status,
                connection: widget.sessionContext?.session?.kernel?.connectionStatus,
            }));
        }""")

    def _wait_for_lab(self) -> None:
        self.wait_until("() => window.jupyterapp?.restored.then(() => true)")

    def _note(self, response: Response) -> None:
        self.responses.append(response)

    def _count(self, payload: str | bytes) -> None:
        self.received_bytes += len(payload)

    def tidy(self) -> None:
        """Whatever a test before has left open is light, and behind no dialog."""
        self.page.evaluate(
            "() => document.querySelectorAll('.jp-Dialog .jp-mod-reject').forEach(one => one.click())"
        )
        self.set_theme("JupyterLab Light")
        self.errors.clear()
        self.responses.clear()
        self.received_bytes = 0

    def clear(self) -> None:
        """Closes all documents, unsaved or not, and ends their kernels."""
        self.page.set_viewport_size(SIZE)
        self.page.evaluate("""async () => {
            const app = window.jupyterapp;
            const documents = () => [...app.shell.widgets('main')].filter(widget => widget.context);
            // One that was still on its way, after a reload, is closed when it has come.
            do {
                [...app.shell.widgets('main')].forEach(widget => widget.dispose());
                await app.serviceManager.sessions.shutdownAll();
            } while (documents().length > 0);
        }""")
        # What was drawn has ended in the middle of its work.
        self.errors.clear()

    def show(self, notebook: Path, *, height: int = HEIGHT) -> None:
        """Opens a copy of this notebook, in place of all else; where a test before has left it open
        it goes on, with its kernel.
        """
        if not self.is_open(notebook.name):
            self.clear()
            shutil.copy(notebook, self.lab.root)
            self.open(notebook.name)
        self.page.set_viewport_size({**SIZE, "height": height})

    def write(self, *cells: str, height: int = HEIGHT) -> None:
        """Fills the notebook that tests share with these cells; its kernel goes on, and forgets."""
        if not self.is_open(SHARED):
            self.clear()
            self.open(self.lab.write_notebook(SHARED))
        self.wait_for_kernel()
        self.page.evaluate(
            """async (sources) => {
                const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
                const code = 'get_ipython().reset()';
                await sessionContext.session.kernel.requestExecute({code, store_history: false}).done;
                const notebook = content.model.sharedModel;
                const written = sources.map(source => ({cell_type: 'code', source}));
                notebook.insertCells(0, written);
                notebook.deleteCellRange(written.length, notebook.cells.length);
            }""",
            cells,
        )
        self.page.set_viewport_size({**SIZE, "height": height})

    def is_open(self, path: str) -> bool:
        """Whether this file is in front, with a kernel."""
        return self.page.evaluate(
            """(path) => {
                const widget = window.jupyterapp.shell.currentWidget;
                const kernel = widget?.sessionContext?.session?.kernel;
                return widget?.context?.path === path && Boolean(kernel) && kernel.status !== 'dead';
            }""",
            path,
        )

    def open(self, path: str) -> None:
        """Opens a file of the server's folder with its default factory."""
        self.page.evaluate(
            "(path) => window.jupyterapp.commands.execute('docmanager:open', {path}).then(() => null)",
            path,
        )

    def double_click(self, name: str) -> None:
        """Opens a file from the file browser."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('filebrowser:activate')")
        self.page.evaluate("() => window.jupyterapp.commands.execute('filebrowser:refresh')")
        item = self.page.locator(".jp-DirListing-item", has_text=re.compile(rf"^{re.escape(name)}"))
        item.dblclick()

    def reload(self, path: str) -> None:
        """What a person does with F5, once JupyterLab has noted that this file is open."""
        self.wait_until(
            """async (path) => {
                const saved = await window.jupyterapp.serviceManager.workspaces.list();
                return JSON.stringify(saved.values).includes(path);
            }""",
            arg=path,
        )
        self.page.reload()
        self._wait_for_lab()

    def wait_for_kernel(self) -> None:
        # The toolbar shows "idle" before a cell can be run, so ask the connection itself. A launcher that comes late, since
        # all was closed, may stand before the document: then bring that to the front, as a person would.
        self.wait_until("""() => {
            const shell = window.jupyterapp?.shell;
            const isDocument = widget => widget?.context?.isReady && widget.sessionContext;
            if (!isDocument(shell?.currentWidget)) {
                const behind = [...(shell?.widgets('main') ?? [])].find(isDocument);
                if (behind) shell.activateById(behind.id);
                return false;
            }
            const kernel = shell.currentWidget.sessionContext.session?.kernel;
            return kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
        }""")

    def run_cell(self, index: int) -> Locator:
        """Runs one cell of the open notebook to its end; its output area comes back."""
        self.wait_for_kernel()
        self.page.evaluate(
            """async (index) => {
                const app = window.jupyterapp;
                app.shell.currentWidget.content.activeCellIndex = index;
                await app.commands.execute('notebook:run-cell');
            }""",
            index,
        )
        return self.cell(index).locator(".jp-Cell-outputArea")

    def draw(self, index: int) -> Locator:
        """Runs a cell that ends in an explorer; that comes back when it is drawn."""
        root = self.run_cell(index).locator(READY)
        root.wait_for()
        root.scroll_into_view_if_needed()
        return root

    def run_cell_until(self, index: int, wanted: str | Callable[[str], bool]) -> None:
        """Runs a cell until it prints this. What a page says waits for the kernel to have heard what
        it said before: a cell that is run at once may be ahead of it.
        """
        limit = time.monotonic() + PATIENCE_S
        while True:
            said = (self.run_cell(index).text_content() or "").strip()
            if (said == wanted) if isinstance(wanted, str) else wanted(said):
                return
            assert time.monotonic() < limit, f"cell {index} said last: {said}"

    def cell(self, index: int) -> Locator:
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")

    def count_cells(self) -> int:
        """How many cells the open notebook has; of a long one JupyterLab draws them bit by bit."""
        return self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.widgets.length"
        )

    def set_theme(self, name: str) -> None:
        """`JupyterLab Light` or `JupyterLab Dark`."""
        self.page.evaluate(
            "async (theme) => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme}); }",
            name,
        )

    def shot(self, name: str) -> None:
        pictures.shoot(self.page, name)


# All of these end with the last test of this folder: as long as Playwright runs, its event loop is the thread's running
# one, and no other test could start its own.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = next(filter(None, map(shutil.which, names)), playwright.chromium.executable_path)
    if not Path(found).exists():
        missing = (
            "no Chromium found: install the package chromium, or run `playwright install chromium`"
        )
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    browser = playwright.chromium.launch(executable_path=found, args=BROWSER_FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="package")
def lab(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    server = Lab(tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("home"))
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="package")
def shared_page(lab: Lab, chromium: Browser) -> Iterator[LabPage]:
    context = chromium.new_context(viewport=SIZE)
    yield LabPage(lab, context.new_page())
    context.close()


@pytest.fixture
def lab_page(shared_page: LabPage, request: pytest.FixtureRequest) -> Iterator[LabPage]:
    """What the test before has left open may still be there, for `show` and `write` to go on with."""
    shared_page.tidy()
    yield shared_page
    if request.node.stash.get(FAILED, False):
        print(f"the page as it was: {pictures.take(shared_page.page, request.node.name)}")
        print(f"errors on the page: {shared_page.errors}")
        print(shared_page.lab.log()[-4000:])
        shared_page.clear()
    assert [error for error in shared_page.errors if error != GIVEN_UP] == []


@pytest.fixture(scope="package")
def tabs(chromium: Browser) -> Iterator[BrowserContext]:
    """Where pages of the front end alone are opened. An empty one stays open: the others share its
    process, which knows the front end from the second one on.
    """
    context = chromium.new_context()
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def empty_lab_page(lab_page: LabPage) -> LabPage:
    lab_page.clear()
    return lab_page


@pytest.fixture
def live(tabs: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Callable[..., LivePage]]:
    """Opens explorers in pages of their own, each with a kernel of this process behind it."""
    opened: list[LivePage] = []

    def open_page(explorer: Explorer, *, scheme: str = "light", width: int = 1400) -> LivePage:
        opened.append(LivePage(tabs, explorer, scheme=scheme, width=width))
        return opened[-1]

    yield open_page
    for page in opened:
        if request.node.stash.get(FAILED, False):
            pictures.take(page.page, request.node.name)
        page.close()
    assert [error for page in opened for error in page.errors] == []


@pytest.fixture
def exported(
    tabs: BrowserContext, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Writes explorers to pages and opens them from the disk. They ask for nothing else, and nothing
    goes wrong in them.
    """
    opened: list[Page] = []
    asked: list[str] = []
    errors: list[str] = []

    def open_page(
        explorer: Explorer,
        *,
        scheme: Literal["light", "dark"] = "light",
        width: int = 1400,
        height: int = 900,
        script: str = "",
        drawn: bool = True,
        **options: bool,
    ) -> Page:
        """`script` runs before those of the page; `options` are those of `to_html`."""
        path = explorer.to_html(tmp_path / f"{len(opened)}.html", **options)
        page = tabs.new_page()
        opened.append(page)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.add_init_script(script)
        page.goto(path.as_uri())
        if drawn:
            page.locator("[data-onnx-explorer-ready]").wait_for()
        return page

    yield open_page
    for page in opened:
        if request.node.stash.get(FAILED, False):
            pictures.take(page, request.node.name)
        page.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []
