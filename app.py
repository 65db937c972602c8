"""Start the page: flags → settings → build → launch. `python app.py --help` lists the flags."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from vesta_ui.control import leave
from vesta_ui.errors import VestaError
from vesta_ui.settings import Settings, from_environment, role_flags
from vesta_ui.ui.launch import data_dir_ready, launch


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="VESTA UI: ask questions about a long video and watch the agent think."
    )
    parser.add_argument("--host", help="address to serve on (VESTA_HOST, default 127.0.0.1)")
    parser.add_argument("--port", type=int, help="port; busy: the next free one, 0: any (VESTA_PORT, default 7860)")
    parser.add_argument("--data-dir", type=Path, help="where indexes and runs live (VESTA_DATA_DIR)")
    parser.add_argument("--open", action=argparse.BooleanOptionalAction, default=False, help="open the browser")
    parser.add_argument("--desktop", action="store_true", help="open a window of its own; closing it ends the server")
    parser.add_argument("--stay", action="store_true", help="with --desktop: go on serving when the window is closed")
    parser.add_argument("--mcp", action="store_true", help="also offer the functions as MCP tools")
    role_flags(parser)
    parser.add_argument(
        "--max-steps", type=int, metavar="N", help="most decisions before the forced answer (default 15)"
    )
    parser.add_argument("--max-usd", type=float, metavar="X", help="most dollars a run may cost (default: no cap)")
    flags = parser.parse_args(argv)
    try:
        chosen = {name: value for name, value in vars(flags).items() if name in Settings.__slots__}
        settings = from_environment(**chosen)
        data_dir_ready(settings.data_dir)
        opened = "desktop" if flags.desktop else "browser" if flags.open else ""
        launch(settings, opened=opened, stay=flags.stay, mcp=flags.mcp)
    except VestaError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    leave(main())
