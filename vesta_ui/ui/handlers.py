"""What the page's buttons do. Every handler answers at once; long work goes on in threads of its own."""

from __future__ import annotations

import itertools
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import gradio as gr

from vesta_ui import samples
from vesta_ui.bench.suite import Benches
from vesta_ui.domain import Action
from vesta_ui.errors import BadInput, VestaError
from vesta_ui.events import RunStarted
from vesta_ui.models import keys
from vesta_ui.operations import OPERATIONS
from vesta_ui.question import parse_question
from vesta_ui.runs import debug
from vesta_ui.runs import fork as forks
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import Run
from vesta_ui.settings import Settings
from vesta_ui.ui.videos import Shelf

log = logging.getLogger(__name__)
Json = dict[str, Any]
NUMBERS = {
    "max_steps": int,
    "route_confidence": float,
    "references": int,
    "snapshot_chars": int,
    "max_usd": float,
    "max_tokens": int,
    "model_timeout_s": float,
}
SWITCHES = {"speech_later", "fast_scenes"}
CHOOSABLE = NUMBERS.keys() | {
    "router",
    "reasoner",
    "observer",
    "speech",
    "encoder",
    "policy",
    "emphasis",
    "ablation",
    "language",
    *SWITCHES,
}
"""Settings that a page may change for its runs."""


class Handlers:
    """The commands of one page, over the runs and videos of one data folder."""

    def __init__(self, settings: Settings, runs: Runs, shelf: Shelf) -> None:
        self.settings, self.runs, self.shelf = settings, runs, shelf
        self.benches = Benches(settings.data_dir, runs, lambda key: shelf.find(key).path)

    # ------------------------------------------------------------------------------------------- videos
    def open_path(self, text: str) -> tuple[Any, Json]:
        """A path typed by the user → player value and status."""
        path = text.strip().strip("\"'")
        try:
            if not path:
                raise BadInput("type the path of a video file on this computer, then press Open")
            known = self.shelf.open(Path(path).expanduser())
        except VestaError as error:
            return gr.skip(), trouble(error)
        assert known.facts is not None
        return video(known.facts.sha256), idle(f"Opened “{known.facts.name}”. Ask a question about it.")

    def upload(self, file: str | None) -> tuple[Any, Json]:
        return self.open_path(file or "")

    # ------------------------------------------------------------------------------------------- runs
    def pasted(self, event: gr.EventData) -> tuple[str, Any]:
        """A pasted multiple-choice question → question and choices, both still editable."""
        text = str((event._data or {}).get("text", ""))
        try:
            question = parse_question(text)
        except BadInput:
            return text, gr.skip()
        return question.text, "\n".join(c.text for c in question.choices) if question.choices else gr.skip()

    def start(
        self, text: str, choices: str, agent: str, path: str, key: str, chosen: Json | None
    ) -> tuple[str, Json, Any]:
        """Start a run on the video of `key`, else of `path`.

        Returns the run's id ("" when it could not be started), the status, and the player's video.
        """
        try:
            question = parse_question(text or "", [line for line in (choices or "").splitlines() if line.strip()])
            typed = (path or "").strip()
            known = self.shelf.open(Path(typed)) if typed and not key else self.shelf.find(key or "")
            run = self.runs.start(known.path, question, self.choose(agent, chosen or {}))
        except VestaError as error:
            return "", trouble(error), gr.skip()
        assert known.facts is not None
        return run.id, started(run.id), video(known.facts.sha256)

    def choose(self, agent: str, chosen: Json, base: Settings | None = None) -> Settings:
        """The settings of one run: what the drawer holds over `base` (the server's own); numbers may come as text."""
        values = {name: value for name, value in chosen.items() if name in CHOOSABLE and value not in (None, "")}
        for name in NUMBERS & values.keys():
            try:
                values[name] = NUMBERS[name](values[name])
            except ValueError as error:
                raise BadInput(f"{name} must be a number, not “{values[name]}”") from error
        for name in SWITCHES & values.keys():
            values[name] = str(values[name]).lower() == "true"
        if agent:
            values["agent"] = agent
        return replace(base or self.settings, **values)

    def pause(self, run_id: str) -> None:
        """Pause a run that runs, continue one that is paused."""
        run = self._live(run_id)
        if run:
            (run.control.resume if run.control.paused else run.control.pause)()

    def step(self, run_id: str) -> None:
        run = self._live(run_id)
        if run:
            run.control.step()

    def stop(self, run_id: str) -> None:
        run = self._live(run_id)
        if run:
            run.control.stop()

    def by_hand(self, run_id: str, event: gr.EventData) -> Json | Any:
        """The user as Reasoner: the next decision of a live run, or its pending one while paused."""
        data = event._data or {}
        run = self._live(run_id)
        if run is None:
            return idle("This run has ended: ask again to look further, or fork it.")
        try:
            action, started = _action(data), run.session().started
            if started is not None:
                forks.check_action(action, started, debug.settings_of(started, self.settings))
            run.control.act_by_hand(action)
        except BadInput as error:
            return trouble(error)
        return gr.skip()

    def fork(self, run_id: str, chosen: Json | None, event: gr.EventData) -> tuple[Any, Json, Any]:
        """A child of the shown run from one of its steps, with another action; the parent stays untouched."""
        data = event._data or {}
        try:
            started_, edit = self._started(run_id), forks.Edit(int(data.get("step", 0)), _action(data))
            own = self.choose("", chosen or {}, debug.settings_of(started_, self.settings))
            run = self.runs.fork(run_id, edit, self.shelf.find(started_.video.sha256).path, own)
        except (VestaError, TypeError, ValueError) as error:
            return gr.skip(), trouble(error), gr.skip()
        return run.id, started(run.id), gr.skip()

    def resume(self, event: gr.EventData) -> tuple[Any, Json, Any]:
        """Go on with an interrupted run after its last whole step, as it was asked."""
        run_id = str((event._data or {}).get("id", ""))
        try:
            started_ = self._started(run_id)
            known = self.shelf.find(started_.video.sha256)
            run = self.runs.resume(run_id, known.path, debug.settings_of(started_, self.settings))
        except VestaError as error:
            return gr.skip(), trouble(error), gr.skip()
        return run.id, started(run.id), video(started_.video.sha256)

    def recorded(self) -> tuple[str, Json]:
        """The recorded run that comes with the first sample, made one of this data folder's runs: its id and a status."""
        run_id = samples.keep_recorded(self.runs.root)
        return run_id, started(run_id)

    def key(self, event: gr.EventData) -> Any:
        """A provider key typed in the settings: kept for this process only."""
        data = event._data or {}
        provider = str(data.get("provider", ""))
        if provider not in keys.VARIABLES:
            return trouble(BadInput("that provider takes no key"))
        keys.set_key(provider, str(data.get("key", "")))
        return gr.skip()

    def run_list(self) -> list[Json]:
        """Rows of the list of runs, newest first."""
        kept = ("id", "question", "video", "sha256", "agent", "outcome", "answer")
        return [{name: getattr(one, name) for name in kept} for one in self.runs.list()]

    def _started(self, run_id: str) -> RunStarted:
        found = self.runs.get(run_id).session().started
        if found is None:
            raise BadInput("this run was interrupted before it began: ask again")
        return found

    def _live(self, run_id: str) -> Run | None:
        try:
            run = self.runs.get(run_id) if run_id else None
        except VestaError:
            return None
        return run if run and not run.done else None


def _action(data: Json) -> Action:
    """An action as the page sends it. Raises `BadInput`."""
    operation, arguments = str(data.get("operation", "")), data.get("arguments")
    if operation not in OPERATIONS or not isinstance(arguments, dict):
        raise BadInput("choose an operation and its interval")
    return Action(operation, arguments, str(data.get("thought") or "chosen by hand"))


_said = itertools.count()
"""Goes along with every answer: gradio passes nothing on when a value equals the one before."""


def video(sha256: str) -> Json:
    return {"key": sha256, "said": next(_said)}


def started(run_id: str) -> Json:
    return {"run": run_id, "phase": "starting", "text": "Starting …", "live": True, "said": next(_said)}


def idle(text: str) -> Json:
    return {"phase": "idle", "text": text, "live": False, "said": next(_said)}


def trouble(error: Exception) -> Json:
    return {"phase": "error", "text": str(error), "live": False, "said": next(_said)}
