"""`indexes list | show | search | redo | export | import | remove`: the scene indexes of a data folder."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator
from dataclasses import asdict
from pathlib import Path

from vesta_ui.commands import Shell, subcommands, table
from vesta_ui.control import Control
from vesta_ui.domain import clock
from vesta_ui.errors import BadInput
from vesta_ui.events import IndexProgress, drained
from vesta_ui.scene_index import SceneIndex, bundle, library
from vesta_ui.scene_index.library import IndexEntry, LibraryHit
from vesta_ui.video import content_hash


def arguments(parser: argparse.ArgumentParser) -> None:
    add = subcommands(parser, "index", "id, the beginning of an id, or the name of its video")
    add("list", list_all, "every index, by the name of its video", named=False)
    one = add("show", show, "scenes with speech, text and what failed; with --query the score of every scene")
    one.add_argument("--query", default="", metavar="TEXT")
    one = add("search", search, "the best scenes of all videos", named=False)
    one.add_argument("query")
    one.add_argument("-k", type=int, default=10, help="how many (default 10)")
    one = add("redo", redo, "read and embed scenes again: those that failed, or the ones named")
    one.add_argument("--scene", action="append", default=[], metavar="ID")
    one.add_argument("--video", type=Path, metavar="PATH", help="take their frames from the video again too")
    one = add("export", export, "one index as one file")
    one.add_argument(
        "--out", type=Path, metavar="PATH", help="default: the video's name and .vesta-index, in this folder"
    )
    one = add("import", load, "bring in an exported index", named=False)
    one.add_argument("path", type=Path)
    one.add_argument("--video", type=Path, metavar="PATH", help="refuse it unless it is of this video")
    add("remove", remove, "delete an index; frames and speech go with the last one of a video")


def run(chosen: argparse.Namespace, shell: Shell) -> int:
    code: int = chosen.act(chosen, shell)
    return code


def entry_of(name: str, shell: Shell) -> IndexEntry:
    """Raises `BadInput` when none or several fit."""
    found = [one for one in library.entries(shell.settings) if name in (one.id, one.video.name)]
    if not found and len(name) >= 4:
        found = [one for one in library.entries(shell.settings) if one.id.startswith(name)]
    if len(found) > 1:
        raise BadInput(f"“{name}” fits {len(found)} indexes: write one of {', '.join(one.id for one in found)}")
    if not found:
        raise BadInput(f"there is no index “{name}”: `indexes list` shows those there are")
    return found[0]


def list_all(chosen: argparse.Namespace, shell: Shell) -> int:
    found = library.entries(shell.settings)
    rows = [
        (
            one.id,
            one.video.name,
            clock(one.video.duration_s),
            one.scenes,
            len(one.failed) or "",
            one.speech,
            one.encoder,
        )
        for one in found
    ]
    values = [asdict(one) | {"folder": one.folder.name} for one in found]
    shell.give(values, lambda: table(rows, ["id", "video", "length", "scenes", "failed", "speech", "encoder"]))
    return 0


def show(chosen: argparse.Namespace, shell: Shell) -> int:
    index = library.open_entry(shell.settings, entry_of(chosen.index, shell))
    scores = index.scores(chosen.query) if chosen.query else ()
    value = {
        "id": index.id, "video": index.video, "encoder": index.encoder, "speech": index.speech,
        "language": index.transcript.language, "speech_status": index.transcript.status, "warnings": index.notices,
        "failed": index.failed, "seconds": index.seconds, "scenes": index.scenes, "scores": scores,
    }  # fmt: skip
    shell.give(value, lambda: show_text(index, scores))
    return 0


def show_text(index: SceneIndex, scores: tuple[float, ...]) -> str:
    heard = " ".join(filter(None, (index.transcript.status, index.transcript.language)))
    lines = [
        f"{index.video.name}  {index.id}  {index.encoder}  speech: {heard}",
        *(f"! {notice.message}" for notice in index.notices),
    ]
    for number, scene in enumerate(index.scenes):
        score = f"{scores[number]:+.3f}  " if scores else ""
        lines.append(f"{score}{scene.id}  {scene.interval}  {scene.facts}")
        lines += [f"    said: {scene.transcript}"] if scene.transcript else []
        lines += [f"    written: {scene.screen_text}"] if scene.screen_text else []
        lines += [f"    FAILED: {index.failed[scene.id]}"] if scene.id in index.failed else []
    return "\n".join(lines)


def search(chosen: argparse.Namespace, shell: Shell) -> int:
    hits = library.search(shell.settings, chosen.query, chosen.k)
    rows = [
        (
            f"{hit.score:+.3f}",
            named(hit),
            f"{clock(hit.start)}–{clock(hit.end)}",
            (hit.screen_text or hit.transcript)[:70],
        )
        for hit in hits
    ]
    shell.give([asdict(hit) for hit in hits], lambda: table(rows))
    return 0


def named(hit: LibraryHit) -> str:
    """The video of a hit, and that it is not here where only another machine of a shared store has its index."""
    name = hit.video_name or f"video {hit.video_sha256[:12]}"
    return name if hit.here else f"{name} (not here: indexed on another machine)"


def redo(chosen: argparse.Namespace, shell: Shell) -> int:
    entry = entry_of(chosen.index, shell)
    scenes = chosen.scene or list(library.open_entry(shell.settings, entry).failed)
    if not scenes:
        shell.say("nothing failed: name scenes with --scene to read them again all the same")
        return 0
    index = _made(shell, lambda control: library.redo(shell.settings, entry, scenes, control, chosen.video))
    again = [scene for scene in index.scenes if scene.id in scenes]
    failed = {scene.id: index.failed[scene.id] for scene in again if scene.id in index.failed}
    value = {"id": index.id, "redone": again, "failed": failed}
    shell.give(value, lambda: f"{len(again) - len(failed)} of {len(again)} scenes are whole now")
    return 0


def _made(shell: Shell, work: Callable[[Control], Generator[IndexProgress, None, SceneIndex]]) -> SceneIndex:
    """What the work returns; its progress is told, and Ctrl-C stops it."""
    return drained(work(shell.stoppable(Control())), shell.progress)


def export(chosen: argparse.Namespace, shell: Shell) -> int:
    entry = entry_of(chosen.index, shell)
    target = bundle.export(entry, chosen.out or Path(f"{Path(entry.video.name).stem}.vesta-index"))
    shell.give({"path": str(target), "bytes": target.stat().st_size}, lambda: str(target))
    return 0


def load(chosen: argparse.Namespace, shell: Shell) -> int:
    sha256 = content_hash(chosen.video) if chosen.video else ""
    index = _made(shell, lambda control: bundle.load(chosen.path, shell.settings, control, sha256))
    value = {"id": index.id, "video": index.video, "scenes": len(index.scenes)}
    shell.give(value, lambda: f"{index.id}  {index.video.name}, {len(index.scenes)} scenes")
    return 0


def remove(chosen: argparse.Namespace, shell: Shell) -> int:
    entry = entry_of(chosen.index, shell)
    library.remove(shell.settings, entry)
    shell.give({"removed": entry.id}, lambda: f"removed {entry.id} of {entry.video.name}")
    return 0
