"""VESTA UI from a shell: the same code as the page, for scripts and tests.

Results go to standard output (with `--json`, exactly one object); progress and errors go to standard error.
Exit codes: 0 done, 1 internal error, 2 bad input, 3 a provider failed, 130 stopped, 141 the reader went away.
"""

from __future__ import annotations

import signal
import sys

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))  # a stop is a stop, also while the rest is being imported

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from vesta_ui.control import Control, leave
from vesta_ui.domain import clock
from vesta_ui.errors import BadInput, ModelFailed, Stopped, StorageFailed, VestaError
from vesta_ui.events import Decided, Event, IndexProgress, Observed, Routed, RunStarted, StepStarted, drained
from vesta_ui.settings import ABLATIONS, Settings, from_environment, role_flags

PHASES = ("probe", "scenes", "speech", "encode", "store", "total")


def main(argv: list[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.command(arguments)
        return code
    except (Stopped, KeyboardInterrupt):
        _say("stopped")
        return 130
    except ModelFailed as error:
        _say(str(error))
        return 3
    except VestaError as error:
        _say(str(error))
        return 2


def entry() -> int:
    """`main` with all it printed written out; quietly 141, as after SIGPIPE, where the reader (`| head`) went away.

    SIGPIPE itself stays ignored: it would also end the process when a provider hangs up.
    """
    try:
        try:
            return main()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        return 141


# ------------------------------------------------------------------------------------------------ commands
def index(arguments: argparse.Namespace) -> int:
    from vesta_ui import scene_index
    from vesta_ui.models import prices
    from vesta_ui.roles.forecast import index_forecast
    from vesta_ui.video import open_video

    settings = _settings(arguments)
    control = _stoppable(Control())
    if cost := index_forecast(settings, prices.load(settings.data_dir)):
        _say(cost.text)
    with open_video(arguments.video) as video:
        built = drained(scene_index.build(video.path, settings, control), _Progress(video.path.name))
        facts = asdict(video.facts)
    facts.pop("name")
    data = {
        "index_id": built.id,
        "video": facts,
        "scenes": [_scene(scene) for scene in built.scenes],
        "warnings": [asdict(notice) for notice in built.notices],
        "seconds": dict.fromkeys(PHASES, 0.0) | built.seconds,  # a reused index spends nothing on most
        "reused": built.reused,
    }
    if arguments.json:
        _print_json(data)
    else:
        for scene in built.scenes:
            print(f"{scene.id}  {clock(scene.start)}–{clock(scene.end)}  {scene.transcript[:90]}")
        how = "reused" if built.reused else f"built in {built.seconds.get('total', 0):.1f} s"
        print(f"{len(built.scenes)} scene{'' if len(built.scenes) == 1 else 's'}, {how}")
    return 0


def ask(arguments: argparse.Namespace) -> int:
    from vesta_ui import agents, commands
    from vesta_ui.bench.pay import to_match
    from vesta_ui.bench.suite import most
    from vesta_ui.question import parse_question
    from vesta_ui.runs import book, report, run
    from vesta_ui.video import open_video

    settings = _settings(arguments)
    if arguments.match:
        settings = replace(settings, match_tokens=to_match(run.load(arguments.match)))
    if settings.agent != "native" and (settings.match_tokens or settings.native_file):
        raise BadInput("--match, --match-tokens and --native-file are for --agent native")
    question = parse_question(arguments.question, arguments.choice)
    agents.check(settings)
    if (cost := most(settings)).requests or cost.index:
        _say(cost.text)
    if arguments.out is None and settings.data_dir.exists() and not os.access(settings.data_dir, os.W_OK):
        raise StorageFailed(f"{settings.data_dir} cannot be written: name a folder for the run with --out PATH")
    video = open_video(arguments.video)
    book.remember(settings.data_dir, video.facts.sha256, arguments.video)
    run_id = run.new_id()
    root = arguments.out or settings.data_dir / "runs"
    one = run.Run(run_id, root / run_id, arguments.video)
    _stoppable(one.control)
    progress = _Progress()
    for event in run.play(one, video, question, settings):
        progress(event)
    data = report.as_json(one.session(), one.folder)
    if arguments.json:
        _print_json(data)
    else:
        _print_answer(data)
    finished = one.session().finished
    assert finished is not None
    if finished.reason:
        _say(finished.reason)
    return commands.exit_code(one)


def recorded(arguments: argparse.Namespace) -> int:
    """`runs`, `compare` and `cases`: see vesta_ui/commands."""
    from vesta_ui import commands

    shell = commands.Shell(print, _say, _settings(arguments), arguments.json, _Progress(), _stoppable)
    code: int = arguments.module.run(arguments, shell)
    return code


def replay(arguments: argparse.Namespace) -> int:
    from vesta_ui.commands.showing import run_text
    from vesta_ui.runs import recorder, report, run
    from vesta_ui.runs.session import until_step

    trace = recorder.read(arguments.run_dir)
    events = list(trace.events)
    if arguments.step is not None:
        last = max((event.step for event in events if isinstance(event, StepStarted)), default=0)
        if not 0 <= arguments.step <= last:
            raise BadInput(f"the run has steps 0 to {last}: choose one of them, not {arguments.step}")
        events = until_step(events, arguments.step)
    shown = run.Run(trace.folder.name, trace.folder)
    for event in events:
        shown.add(event)
    if arguments.json:
        _print_json(report.as_json(shown.session(), trace.folder))
    else:
        print(run_text(shown))
    return 0


def doctor(arguments: argparse.Namespace) -> int:
    if arguments.provider:
        return _provider(arguments)
    if arguments.video is None:
        raise BadInput("name a video file to examine, or a model with --provider SPEC")
    from vesta_ui import doctor as media
    from vesta_ui.scene_index.background import watched

    looking = watched("examine", lambda told, inner: media.examine(arguments.video, told, inner), _stoppable(Control()))
    report = drained(looking, _Progress())
    if arguments.json:
        _print_json(report.as_json())
    else:
        print(report.as_text())
    return 0


def _provider(arguments: argparse.Namespace) -> int:
    from vesta_ui.models.doctor import examine

    checks = []
    for check in examine(arguments.provider, _settings(arguments), _stoppable(Control())):
        checks.append(asdict(check))
        if not arguments.json:
            fix = f" → {check.fix}" if check.fix else ""
            print(f"{check.verdict}: {check.name}: {check.text}{fix}", flush=True)
    if arguments.json:
        _print_json({"checks": checks})
    return 3 if any(check["verdict"] == "bad" for check in checks) else 0


def bench(arguments: argparse.Namespace) -> int:
    from vesta_ui import bench as benches

    return benches.main(arguments.name, arguments.rest, print)


# ------------------------------------------------------------------------------------------------ parsing
class Parser(argparse.ArgumentParser):
    """Says what is wrong with the words of a call in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message}; `{self.prog} --help` lists what can be said\n")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="vesta_ui", description="Long-video question answering by an agent you can watch think.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = _command(commands, "index", index, "build or reuse the scene index of a video")
    one.add_argument("video", type=Path)
    _indexing(one)
    role_flags(one, ("speech", "encoder"))

    one = _command(commands, "ask", ask, "ask a question about a video")
    one.add_argument("video", type=Path)
    one.add_argument("question", help="the question, or a whole multiple-choice question as pasted")
    one.add_argument("--choice", action="append", default=[], metavar="TEXT", help="an answer option; repeat it")
    one.add_argument("--agent", help="which agent answers (default vesta)")
    one.add_argument("--policy", choices=("focused", "recall", "contrastive"), help="π by hand instead of routed")
    one.add_argument("--emphasis", choices=("local", "coverage", "hypotheses"), help="μ by hand instead of routed")
    text = "from 0 to 1: a route estimate of the model less sure than this is not used (default 0.6)"
    one.add_argument("--route-confidence", type=float, metavar="C", help=text)
    one.add_argument("--ablation", choices=tuple(ABLATIONS), help="which mechanisms run (VESTA §4.4)")
    one.add_argument("--max-steps", type=int, metavar="N", help="most decisions before the forced answer (default 15)")
    one.add_argument(
        "--snapshot-chars", type=int, metavar="N", help="size of the ledger view, characters (default 8000)"
    )
    one.add_argument("--max-queries", type=int, metavar="N", help="B: most queries of save and explore (default 30)")
    one.add_argument("--native-frames", type=int, metavar="N", help="frames of native (default 60)")
    one.add_argument("--match-tokens", type=int, metavar="N", help="native takes as many frames as N input tokens hold")
    one.add_argument("--match", type=Path, metavar="RUN_DIR", help="… as the input tokens of that run hold")
    one.add_argument(
        "--native-file",
        action="store_true",
        default=None,
        help="native sends the video file itself, where the model takes one (Gemini)",
    )
    one.add_argument(
        "--max-usd", type=_above(float), metavar="USD", help="money at which it has to answer (default: no cap)"
    )
    one.add_argument(
        "--max-tokens", type=_above(int), metavar="N", help="tokens at which it has to answer (default: no cap)"
    )
    one.add_argument("--out", type=Path, metavar="DIR", help="folder in which the run's folder is made")
    one.add_argument("--speech-later", action="store_true", default=None, help="answer before the transcript is whole")
    _indexing(one)
    _patience(one)
    role_flags(one)

    one = _command(commands, "replay", replay, "show a recorded run, whole or as at a step")
    one.add_argument("run_dir", type=Path)
    one.add_argument("--step", type=int, metavar="K", help="only what had happened by the end of step K")

    from vesta_ui.commands import COMMANDS

    for name, (module, summary) in COMMANDS.items():
        one = commands.add_parser(name, help=summary, description=summary)
        made = import_module(module)
        one.set_defaults(command=recorded, module=made)
        made.arguments(one)

    one = _command(commands, "doctor", doctor, "say what is odd about a video file, or what a model provider can do")
    one.add_argument("video", type=Path, nargs="?")
    one.add_argument("--provider", metavar="SPEC", help="examine this model instead (a few small paid requests)")
    _patience(one)

    from vesta_ui.bench import BENCHES

    listed = "\n".join(f"  {name:<10}{what}" for name, (_, what) in BENCHES.items())
    one = commands.add_parser(
        "bench", help="measure something", epilog=f"the benches:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    one.set_defaults(command=bench)
    one.add_argument("name", help="one of the benches below")
    one.add_argument("rest", nargs=argparse.REMAINDER, metavar="…", help="flags of the bench (--help lists them)")
    return parser


def _command(commands: Any, name: str, run: Callable[..., int], help_text: str) -> argparse.ArgumentParser:
    one: argparse.ArgumentParser = commands.add_parser(name, help=help_text, description=help_text)
    one.set_defaults(command=run)
    one.add_argument("--json", action="store_true", help="print one JSON object")
    one.add_argument("--data-dir", type=Path, help="where indexes and runs live (VESTA_DATA_DIR)")
    return one


def _indexing(parser: argparse.ArgumentParser) -> None:
    text = "language spoken, e.g. de (VESTA_LANGUAGE; default: detected)"
    parser.add_argument("--language", metavar="CODE", help=text)
    text = "skip pictures that cannot hold a cut; fewer stills (another index)"
    parser.add_argument("--fast-scenes", action="store_true", default=None, help=text)


def _patience(parser: argparse.ArgumentParser) -> None:
    text = "longest wait for one answer of a model (default 180)"
    parser.add_argument("--model-timeout", type=_above(float), metavar="S", dest="model_timeout_s", help=text)


def _above(kind: type[int] | type[float]) -> Callable[[str], float]:
    """A number above zero, as the value of a flag."""

    def read(text: str) -> float:
        value = kind(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"must be above 0, not {text}")
        return value

    read.__name__ = "number" if kind is float else "whole number"
    return read


def _settings(arguments: argparse.Namespace) -> Settings:
    known = set(Settings.__slots__)
    return from_environment(**{name: value for name, value in vars(arguments).items() if name in known})


def _stoppable(control: Control) -> Control:
    """Ctrl-C asks the run to stop, so that it ends well and is kept."""
    signal.signal(signal.SIGINT, lambda *_: control.stop())
    return control


# ------------------------------------------------------------------------------------------------ printing
def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class _Progress:
    """Says what events bring; how far an index is, only when that changed. `name`: the video's, until a run tells it."""

    def __init__(self, name: str = "this video") -> None:
        self._name, self._told = name, ""

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._name = event.video.name
            case IndexProgress():
                left = f", {event.eta_s:.0f} s left" if event.eta_s else ""
                text = f"waiting for another process that indexes {self._name}"
                if event.phase != "waiting":
                    how = f": {event.done:.0f} of {event.total:.0f} {event.unit}{left}" if event.total else ""
                    text = f"{event.phase}{how}"
                if text != self._told:
                    _say(text)
                self._told = text
            case Routed():
                _say(f"route: {event.route.policy.value}: {event.route.why}")
            case Decided():
                _say(f"step {event.step}: {event.action.operation}: {event.action.thought}")
            case Observed():
                first, *_ = (event.error or event.output).split("\n")
                _say(f"  {first}")
            case _:
                pass


def _print_json(data: Any) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=1))


def _print_answer(data: dict[str, Any]) -> None:
    answer = data["answer"]
    if answer is None:
        print(f"no answer ({data['outcome']})")
        return
    label = f"{answer['label']}. " if answer["label"] else ""
    print(f"{label}{answer['text']}  (confidence {answer['confidence']:.2f})")
    for one in answer["evidence"]:
        print(f"  {clock(one['start_s'])}–{clock(one['end_s'])}  [{one['entry_id']}] {one['why']}")


def _scene(scene: Any) -> dict[str, Any]:
    return {
        "id": scene.id,
        "start_s": scene.start,
        "end_s": scene.end,
        "start_frame": scene.start_frame,
        "end_frame": scene.end_frame,
        "frame_times_s": list(scene.frame_times_s),
        "transcript": scene.transcript,
    }


if __name__ == "__main__":
    leave(entry())
