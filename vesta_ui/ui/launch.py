"""Settings → a served page: a free port, gradio told to stay at home, the browser or an app window opened when asked for."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from vesta_ui.errors import BadInput
from vesta_ui.settings import Settings
from vesta_ui.ui import assets, desktop

if TYPE_CHECKING:
    import gradio as gr

    from vesta_ui.bench.suite import Benches
    from vesta_ui.runs.registry import Runs
    from vesta_ui.ui.videos import Shelf

PORTS = 50
"""How many ports after a busy one are tried."""
TAKEN = (errno.EADDRINUSE, errno.EACCES, 10048)  # the last is Windows' own number of the first
SAY: Callable[[str], None] = partial(print, flush=True)
"""At once: whoever started the server through a pipe waits for its address."""


def launch(
    settings: Settings, *, opened: str = "", stay: bool = False, mcp: bool = False,
    say: Callable[[str], None] = SAY,
) -> None:  # fmt: skip
    """Serve until interrupted, or until the window of `opened="desktop"` is closed, unless to `stay`.

    `opened`: "" nothing, "browser" or "desktop". Raises `BadInput` on an unusable port and when MCP tools are wanted
    but their package is not there.
    """
    if mcp and find_spec("mcp") is None:
        raise BadInput('--mcp needs one more package: run `pip install "mcp<2"`, then start again')
    port = free_port(settings.host, settings.port)
    if settings.port and port != settings.port:
        say(f"port {settings.port} is busy: using {port}")
    page, runs = served(settings, port, mcp=mcp)
    url = f"http://{settings.host}:{port}"
    say(f"VESTA UI at {url} — engine: {engine(settings)}")
    window = desktop.show(url, app=opened == "desktop", profile=settings.data_dir / "window") if opened else None
    try:
        if window and window.wait() != 0:  # no display, or a browser that cannot start
            say(f"the window could not be kept open: open {url} in a browser")
            window = None
        elif window and stay:
            say(f"the window was closed; still serving at {url}")
        if window is None or stay:
            page.block_thread()
    except KeyboardInterrupt:
        pass
    finally:
        runs.close()
        page.close(verbose=False)


def served(settings: Settings, port: int, *, mcp: bool = False) -> tuple[gr.Blocks, Closing]:
    """Build and start the page; returns the blocks and what must be closed after them."""
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read by gradio when imported
    os.environ["GRADIO_TEMP_DIR"] = str(settings.data_dir / "uploads")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from vesta_ui.runs.registry import Runs
    from vesta_ui.ui import api
    from vesta_ui.ui.handlers import Handlers
    from vesta_ui.ui.page import build
    from vesta_ui.ui.routes import routes
    from vesta_ui.ui.theme import theme
    from vesta_ui.ui.videos import Shelf

    handlers = Handlers(settings, Runs(settings), Shelf(settings.data_dir))
    if handlers.runs.root.is_dir():  # thousands of new runs take seconds to catalogue: nobody should wait for that
        threading.Thread(target=handlers.runs.list, name="catalogue", daemon=True).start()
    page = build(handlers)
    page.queue(default_concurrency_limit=4, api_open=False)
    page.launch(
        server_name=settings.host,
        server_port=port,
        theme=theme(),
        head=f"<style>{assets.style()}</style>",
        favicon_path=assets.ROOT / "page" / "icon.svg",
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        share=False,
        pwa=True,
        mcp_server=mcp,
        quiet=True,
        show_error=False,
        allowed_paths=[],
        max_file_size="8gb",
        state_session_capacity=200,
        prevent_thread_lock=True,
        app_kwargs={"routes": routes(handlers)},
    )
    if mcp:
        api.as_json_text(page)
    return page, Closing(handlers.runs, handlers.shelf, handlers.benches)


class Closing:
    """Stops what still runs when the server ends, so that every trace is whole."""

    def __init__(self, runs: Runs, shelf: Shelf, benches: Benches) -> None:
        self.runs, self.shelf, self.benches = runs, shelf, benches

    def close(self) -> None:
        self.benches.stop()
        for run in self.runs.live():
            run.control.stop()
        for run in self.runs.live():
            run.join(3.0)


def engine(settings: Settings) -> str:
    """Who plays the roles, in a few words."""
    if set(settings.roles().values()) <= {"embedded", "off"}:
        heard = "no speech" if settings.speech == "off" else "Whisper base"
        return f"embedded (rules, OCR, {heard})"
    return ", ".join(f"{role} {spec}" for role, spec in settings.roles().items())


def free_port(host: str, wanted: int) -> int:
    """`wanted`, or the next free one after it; any free one for 0. Raises `BadInput`."""
    for port in range(wanted, min(wanted + PORTS, 65536)) if wanted else (0,):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                if error.errno in TAKEN:
                    continue
                raise BadInput(f"the address {host} cannot be used: {error.strerror}") from error
            return int(probe.getsockname()[1])
    raise BadInput(f"no free port from {wanted} to {wanted + PORTS - 1}: give another one with --port, or 0 for any")


def data_dir_ready(folder: Path) -> None:
    """Make the data folder. Raises `BadInput` when it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise BadInput(
            f"the data folder cannot be written ({error.strerror}): give another one with --data-dir"
        ) from error
