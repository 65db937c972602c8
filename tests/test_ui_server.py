"""What the page's server offers beside the page: functions for programs, read-only routes, ports, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ui_run
from gradio_client import Client
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from vesta_ui import samples
from vesta_ui.domain import Interval
from vesta_ui.errors import BadInput
from vesta_ui.frames import FrameStore
from vesta_ui.runs.cases import Cases, new, with_gold
from vesta_ui.runs.registry import Runs
from vesta_ui.runs.run import load, new_id
from vesta_ui.settings import Settings
from vesta_ui.ui.handlers import Handlers
from vesta_ui.ui.launch import data_dir_ready, engine, free_port, launch, served
from vesta_ui.ui.videos import Shelf


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Settings, Path]]:
    folder = tmp_path_factory.mktemp("server")
    settings = Settings(data_dir=folder / "data", speech="off", max_steps=4)
    settings.data_dir.mkdir()
    port = free_port("127.0.0.1", 0)
    page, closing = served(settings, port)
    yield f"http://127.0.0.1:{port}", settings, ui_run.video(folder)
    closing.close()
    page.close(verbose=False)


@pytest.fixture(scope="module")
def recorded(server: tuple[str, Settings, Path]) -> str:
    _, settings, _ = server
    run_id = new_id()
    folder = settings.data_dir / "runs" / run_id
    ui_run.record(folder, ui_run.run_events(FrameStore(folder / "frames"), run_id, ui_run.facts(), evil=ui_run.EVIL))
    return run_id


def get(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url, timeout=20) as reply:
            body = reply.read()
            return reply.status, json.loads(body) if "json" in reply.headers["content-type"] else body
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_program_indexes_asks_and_reads_runs(server: tuple[str, Settings, Path]) -> None:
    url, _, video = server
    client = Client(url, verbose=False)
    index = client.predict(str(video), api_name="/index_video")
    assert index["duration_s"] == pytest.approx(60, abs=0.3)
    assert index["scenes"][0]["start_s"] == 0
    answer = client.predict(str(video), "Which colour comes last?", ["red", "purple"], "recall", "", api_name="/ask")
    assert answer["route"]["policy"] == "recall"
    assert answer["outcome"] in ("answered", "budget")
    assert client.predict(answer["run_id"], api_name="/get_run") == answer
    assert answer["run_id"] in [row["id"] for row in client.predict(api_name="/list_runs")]


def test_only_the_four_functions_are_public(server: tuple[str, Settings, Path]) -> None:
    public = Client(server[0], verbose=False).view_api(return_format="dict")
    assert isinstance(public, dict)
    assert set(public["named_endpoints"]) == {"/index_video", "/ask", "/get_run", "/list_runs"}
    assert not public["unnamed_endpoints"]


def test_what_the_functions_return_has_a_schema(server: tuple[str, Settings, Path], recorded: str) -> None:
    client = Client(server[0], verbose=False)
    offered = client.view_api(return_format="dict")
    assert isinstance(offered, dict)
    schemas = {name: one["returns"][0]["type"] for name, one in offered["named_endpoints"].items()}
    assert set(schemas["/index_video"]["properties"]) == {"index_id", "reused", "duration_s", "scenes"}
    assert schemas["/ask"] == schemas["/get_run"]
    assert set(schemas["/get_run"]["required"]) == set(client.predict(recorded, api_name="/get_run"))
    assert set(schemas["/list_runs"]["items"]["required"]) == set(client.predict(api_name="/list_runs")[0])


def test_an_mcp_client_finds_the_four_tools_and_gets_json(settings: Settings, tmp_path: Path) -> None:
    settings.data_dir.mkdir()
    page, closing = served(settings, port := free_port("127.0.0.1", 0), mcp=True)

    async def talk() -> tuple[set[str], Any, Any]:
        url = f"http://127.0.0.1:{port}/gradio_api/mcp/"
        async with streamable_http_client(url) as (read, write, *_), ClientSession(read, write) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            found = await session.call_tool("index_video", {"path": str(ui_run.video(tmp_path))})
            return tools, found, await session.call_tool("get_run", {"run_id": "../../etc"})

    try:
        tools, found, refused = asyncio.run(talk())
    finally:
        closing.close()
        page.close(verbose=False)
    assert tools == {"index_video", "ask", "get_run", "list_runs"}
    assert json.loads(found.content[0].text)["duration_s"] == pytest.approx(60, abs=0.3)
    assert refused.isError and "not a run id" in refused.content[0].text


def test_a_wrong_call_says_what_is_wrong(server: tuple[str, Settings, Path]) -> None:
    client = Client(server[0], verbose=False)
    with pytest.raises(Exception, match=r"nowhere\.mp4"):
        client.predict("/nowhere.mp4", "?", [], "", "", api_name="/ask")
    with pytest.raises(Exception, match="focused, recall, contrastive"):
        client.predict(str(server[2]), "What?", [], "sideways", "", api_name="/ask")


def test_a_step_with_its_prompt_and_frames_can_be_read(server: tuple[str, Settings, Path], recorded: str) -> None:
    url = f"{server[0]}/vesta/run/{recorded}"
    status, step = get(f"{url}/step/1")
    assert status == 200 and step["call_list"][0]["messages"][0]["text"].startswith("prompt 1")
    status, jpeg = get(f"{url}/frame/{step['all_frames'][0]['sha']}")
    assert status == 200 and jpeg.startswith(b"\xff\xd8")
    status, at_one = get(f"{url}?step=1")
    assert status == 200 and [c["n"] for c in at_one["steps"]["cards"]] == [1]
    status, track = get(f"{url}/subtitles.vtt")
    assert status == 200 and b"<img" not in track and track.startswith(b"WEBVTT")


def test_what_paid_is_told_by_the_right_answer_where_a_case_holds_it(server: tuple[str, Settings, Path]) -> None:
    url, settings, _ = server
    run_id = new_id()
    folder = settings.data_dir / "runs" / run_id
    ui_run.record(folder, ui_run.run_events(FrameStore(folder / "frames"), run_id, ui_run.facts()))
    status, found = get(f"{url}/vesta/pay?runs={run_id}")
    assert status == 200 and (found["agreed"], found["known"], found["cited"]) == ("A", False, True)
    started = load(folder).session().started
    assert started is not None
    Cases(settings.data_dir).save(
        with_gold(new(started.question, started.video, [run_id]), "B", [Interval(10.0, 13.0)])
    )
    found = get(f"{url}/vesta/pay?runs={run_id}")[1]
    assert (found["agreed"], found["known"], found["cited"], found["cheapest"]) == ("B", True, False, None)
    assert found["evidence"] == [[10, 13]] and found["share"] == pytest.approx(0.05)


@pytest.mark.parametrize(
    "path",
    [
        "run/..%2f..%2fetc", "run/20260101-000000-abcdef", "run/x/step/1", "video/..%2f..%2fetc%2fpasswd", "video/sample:nothing/state",
        "run/{run}/frame/..%2f..%2fevents.jsonl", "run/{run}/frame/%2e%2e", "video/{sha}/scene/..%2f..%2fvideos.json", "run/{run}?step=x",
    ],
)  # fmt: skip
def test_no_route_reaches_beyond_its_folder(server: tuple[str, Settings, Path], recorded: str, path: str) -> None:
    status, body = get(f"{server[0]}/vesta/{path.format(run=recorded, sha='a' * 64)}")
    assert status in (400, 404)
    assert str(server[1].data_dir).encode() not in (body if isinstance(body, bytes) else json.dumps(body).encode())


def test_files_of_this_machine_are_not_served(server: tuple[str, Settings, Path]) -> None:
    for path in ("/etc/passwd", str(server[1].data_dir / "videos.json"), str(Path(__file__).parents[1] / "app.py")):
        assert get(f"{server[0]}/gradio_api/file={path}")[0] in (403, 404)


def test_a_busy_port_moves_on_to_the_next_free_one() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert port < free_port("127.0.0.1", port) <= port + 50
    assert free_port("127.0.0.1", 0) > 0
    with pytest.raises(BadInput, match="cannot be used"):
        free_port("203.0.113.7", 7860)


def test_the_line_printed_says_which_engine_runs(settings: Settings) -> None:
    assert engine(settings) == "embedded (rules, OCR, Whisper base)"
    assert "reasoner openai:o3" in engine(Settings(settings.data_dir, reasoner="openai:o3"))


def test_without_its_package_mcp_is_refused_in_one_sentence(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(BadInput, match="mcp<2"):
        launch(settings, mcp=True)


def test_a_data_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--data-dir"):
        data_dir_ready(tmp_path / "file" / "data")


def test_what_the_drawer_sends_changes_only_settings_of_a_run(settings: Settings) -> None:
    handlers = Handlers(settings, Runs(settings), Shelf(settings.data_dir))
    chosen = handlers.choose(
        "save",
        {"max_steps": 3, "route_confidence": 0, "data_dir": "/etc", "host": "0.0.0.0", "unknown": 1, "policy": ""},
    )
    assert (chosen.agent, chosen.max_steps, chosen.data_dir, chosen.host) == ("save", 3, settings.data_dir, "127.0.0.1")
    assert chosen.route_confidence == 0 != settings.route_confidence


def test_a_video_is_found_again_after_a_restart_and_only_if_it_is_the_same(tmp_path: Path) -> None:
    video = ui_run.video(tmp_path)
    known = Shelf(tmp_path / "data").open(video)
    assert known.facts
    again = Shelf(tmp_path / "data")
    assert again.find(known.facts.sha256).path == video.resolve()
    video.write_bytes(video.read_bytes() + b"more")
    with pytest.raises(BadInput, match="holds another one"):
        Shelf(tmp_path / "data").find(known.facts.sha256)
    video.unlink()
    with pytest.raises(BadInput, match="not where it was"):
        Shelf(tmp_path / "data").find(known.facts.sha256)


def test_the_first_sample_offers_one_preset_a_policy() -> None:
    first = samples.load()[0]
    assert [q["policy"] for q in first.presets] == ["focused", "recall", "contrastive"]
