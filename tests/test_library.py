"""The library of indexes: listing, searching across, mending, removing, and bundles that carry one index elsewhere."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import struct
import tracemalloc
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from test_scene_index import SIGNS, content, film, finish

from vesta_ui import files, scene_index
from vesta_ui.control import Control
from vesta_ui.errors import BadInput, BadSpec, Stopped, StorageFailed
from vesta_ui.events import drained
from vesta_ui.scene_index import SceneIndex, bundle, library, store
from vesta_ui.settings import Settings
from vesta_ui.video import content_hash


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> Path:
    return film(tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture(scope="module")
def made(video, tmp_path_factory) -> tuple[Settings, SceneIndex]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("home"), speech="off")
    return settings, finish(video, settings)[0]


@pytest.fixture
def packed(made, tmp_path) -> Path:
    settings, index = made
    return bundle.export(library.find(settings, index.id), tmp_path / "film.vesta")


def brought(path: Path, settings: Settings, video_sha256: str = "") -> SceneIndex:
    return drained(bundle.load(path, settings, Control(), video_sha256))


def rewritten(source: Path, target: Path, **changes: bytes) -> Path:
    """The bundle with some members replaced."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, old.read(name)))
    return target


# ------------------------------------------------------------------------------------------------ the library
def test_lists_and_opens_without_the_video(made):
    settings, index = made
    (entry,) = library.entries(settings)
    assert (entry.id, entry.scenes, entry.video.name, entry.speech) == (index.id, 3, "film.mp4", "off")
    assert content(library.open_entry(settings, entry)) == content(index)
    with pytest.raises(BadInput, match="no index"):
        library.find(settings, "nope")


def test_searches_across_videos(made, tmp_path, video):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    first, _ = finish(video, settings)
    second, _ = finish(film(tmp_path / "other.mp4", seed=1), settings)
    hits = library.search(settings, "the hotel", 2)
    assert {hit.index_id for hit in hits} == {first.id, second.id}
    assert {hit.screen_text for hit in hits} == {SIGNS[2]}
    assert hits[0].score >= hits[1].score
    with pytest.raises(BadInput, match="empty"):
        library.search(settings, " ")


def test_a_library_that_is_shared_read_only_is_searched_as_well(tmp_path, video, monkeypatch):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    first, _ = finish(video, settings)
    finish(film(tmp_path / "other.mp4", seed=1), settings)
    written = library.search(settings, "the hotel", 4)
    before = {path: path.stat().st_mtime_ns for path in settings.data_dir.rglob("*")}
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(store.Store, "_connect", lambda *_: pytest.fail("Chroma writes to a folder when it opens it"))
    for one in (finish(video, settings)[0], library.open_entry(settings, library.find(settings, first.id))):
        assert one.reused and content(one) == content(first)
    found = library.search(settings, "the hotel", 4)
    assert [(one.index_id, one.scene_id, one.screen_text, one.video_name) for one in found] == [
        (one.index_id, one.scene_id, one.screen_text, one.video_name) for one in written
    ]
    assert [one.score for one in found] == pytest.approx([one.score for one in written], abs=1e-5)
    with pytest.raises(BadSpec, match="at least 1"):
        library.search(settings, "the hotel", 0)
    assert {path: path.stat().st_mtime_ns for path in settings.data_dir.rglob("*")} == before


def test_removes_one_index_and_its_vectors(tmp_path, video):
    settings = Settings(data_dir=tmp_path, speech="off")
    index, _ = finish(video, settings)
    longer, _ = finish(video, replace(settings, scene_max_s=5.0))
    library.remove(settings, library.find(settings, longer.id))
    assert [entry.id for entry in library.entries(settings)] == [index.id]
    assert {hit.index_id for hit in library.search(settings, "hotel", 9)} == {index.id}
    assert index.frame(index.scenes[0].frames[0]).is_file()
    library.remove(settings, library.entries(settings)[0])
    assert library.entries(settings) == () and library.search(settings, "hotel") == []
    assert not list(tmp_path.glob("indexes/*/frames"))


def test_failed_parts_are_redone_alone(tmp_path, video, monkeypatch):
    from vesta_ui.scene_index import text as scene_text

    settings = Settings(data_dir=tmp_path, speech="off")
    real = scene_text.decode
    monkeypatch.setattr(
        "vesta_ui.scene_index.text.decode", lambda jpeg: None if real(jpeg)[0, 0, 0] > 150 else real(jpeg)
    )
    broken, _ = finish(video, settings)
    monkeypatch.undo()
    first = broken.scenes[0]
    assert list(broken.failed) == [first.id] and first.screen_text == ""
    mended = drained(library.redo(settings, library.find(settings, broken.id), [first.id], Control()))
    assert (mended.failed, mended.scenes[0].screen_text) == ({}, SIGNS[0])
    assert mended.scenes[1:] == broken.scenes[1:]
    assert "scenes-failed" not in {notice.code for notice in mended.notices}
    again, _ = finish(video, settings)
    assert again.reused and content(again)[1:] == content(mended)[1:]
    assert again.search("platform 9", 1)[0].scene.id == first.id


def test_lost_frames_are_taken_from_the_video_again(tmp_path, video):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    index, _ = finish(video, settings)
    scene = index.scenes[1]
    for name in scene.frames:
        index.frame(name).unlink()
    entry = library.find(settings, index.id)
    assert list(library.open_entry(settings, entry).failed) == [scene.id]
    assert list(drained(library.redo(settings, entry, [scene.id], Control())).failed) == [scene.id]
    mended = drained(library.redo(settings, entry, [scene.id], Control(), video))
    assert mended.failed == {} and mended.scenes[1].screen_text == SIGNS[1]
    other = film(tmp_path / "other.mp4", seed=1)
    with pytest.raises(BadInput, match="another video"):
        drained(library.redo(settings, entry, [scene.id], Control(), other))
    with pytest.raises(BadInput, match="no such scene"):
        drained(library.redo(settings, entry, ["s99999"], Control()))


# ------------------------------------------------------------------------------------------------ bundles
def test_a_bundle_opens_elsewhere_the_same(made, packed, tmp_path, video, monkeypatch):
    _, index = made
    elsewhere = Settings(data_dir=tmp_path / "elsewhere", speech="off")
    loaded = brought(packed, elsewhere, index.video.sha256)
    assert content(loaded) == content(index)
    assert loaded.frame(loaded.scenes[0].frames[0]).read_bytes() == index.frame(index.scenes[0].frames[0]).read_bytes()
    monkeypatch.setattr("vesta_ui.shots.scene_pass", None)
    assert finish(video, elsewhere)[0].reused


def test_an_import_tells_how_far_it_is(packed, tmp_path):
    told = list(bundle.load(packed, Settings(data_dir=tmp_path / "new", speech="off"), Control()))
    shares = [event.done / event.total for event in told if event.total]
    assert {event.phase for event in told} == {"import"} and shares == sorted(shares) and shares[-1] > 0.5


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_a_stopped_import_leaves_nothing(share, packed, tmp_path):
    settings, control = Settings(data_dir=tmp_path / "new", speech="off"), Control()

    def progress(done: float, total: float) -> None:
        if done >= share * total:
            control.stop()

    with pytest.raises(Stopped):
        bundle._load(packed, settings, "", progress, control)
    assert library.entries(settings) == ()
    assert [path for path in (tmp_path / "new").rglob("*") if path.is_file() and path.name != ".lock"] == []


@pytest.mark.parametrize("nth", [0, 1, 4])
def test_an_import_that_breaks_off_in_the_middle_never_looks_whole(nth, packed, tmp_path, monkeypatch):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    index = brought(packed, settings)
    real, moved = Path.replace, list[str]()

    def breaking(self, target):
        if ".import" in self.parts and not self.name.startswith("."):
            if len(moved) == nth:
                raise OSError(errno.EIO, "the disk is gone")
            moved.append(self.name)
        return real(self, target)

    with monkeypatch.context() as patched, pytest.raises(StorageFailed):
        patched.setattr(Path, "replace", breaking)
        brought(packed, settings)
    assert library.entries(settings) == () and len(moved) == nth
    assert content(brought(packed, settings)) == content(index)


def test_a_build_clears_what_a_killed_one_left_half_written(video, tmp_path):
    settings = Settings(data_dir=tmp_path, speech="off")
    folder = scene_index.video_folder(tmp_path, content_hash(video))
    (folder / "frames").mkdir(parents=True)
    left = [folder / ".index-0.json.9-9.partial", folder / "frames" / ".a.jpg.9-9.partial"]
    for path in left:
        path.write_bytes(b"half")
    finish(video, settings)
    assert not any(path.exists() for path in left)


def test_a_stopped_redo_changes_nothing(tmp_path, video):
    settings, control = Settings(data_dir=tmp_path / "home", speech="off"), Control()
    index, _ = finish(video, settings)
    before = {path: path.read_bytes() for path in index.folder.rglob("*.json")}
    working = library.redo(settings, library.find(settings, index.id), [scene.id for scene in index.scenes], control)
    assert next(working).unit == "scenes"
    control.stop()
    with pytest.raises(Stopped):
        drained(working)
    assert {path: path.read_bytes() for path in index.folder.rglob("*.json")} == before


def test_a_redo_keeps_what_another_mended_meanwhile(tmp_path, video, monkeypatch):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    index, _ = finish(video, settings)
    entry, real = library.find(settings, index.id), library.locked

    @contextmanager
    def after_another(path, why):
        with real(path, why):
            monkeypatch.setattr(library, "locked", real)
            first = replace(index, scenes=(replace(index.scenes[0], facts="mended"), *index.scenes[1:]))
            made_of = files.read_json(index.folder / f"index-{index.id}.json")["parameters"]
            scene_index.save(first, settings, made_of)
            yield

    monkeypatch.setattr(library, "locked", after_another)
    again = drained(library.redo(settings, entry, ["s00001"], Control()))
    assert again.scenes[0].facts == "mended"


def test_a_scene_that_breaks_its_reader_again_stays_failed(tmp_path, video, monkeypatch):
    settings = Settings(data_dir=tmp_path / "home", speech="off")
    index, _ = finish(video, settings)
    monkeypatch.setattr("vesta_ui.scene_index.text.SceneReader.read", lambda self, frames: 1 / 0)
    again = drained(library.redo(settings, library.find(settings, index.id), ["s00001"], Control()))
    assert again.failed == {"s00001": "its frames could not be read: ZeroDivisionError"}


def test_a_bundle_holds_no_path_of_this_machine(made, packed):
    settings, _ = made
    with zipfile.ZipFile(packed) as opened:
        text = b"".join(opened.read(name) for name in opened.namelist() if name.endswith(".json"))
    assert str(settings.data_dir).encode() not in text and b"/tmp" not in text


def test_a_bundle_of_another_video_is_refused(packed, tmp_path):
    with pytest.raises(BadInput, match="another video"):
        brought(packed, Settings(data_dir=tmp_path / "new"), "0" * 64)
    assert not (tmp_path / "new").exists()


def edited(packed: Path, target: Path, change) -> Path:
    """Change the header and keep the hashes right, as somebody who edits a bundle would."""
    with zipfile.ZipFile(packed) as old:
        manifest = json.loads(old.read("manifest.json"))
        name = f"index-{manifest['index']}.json"
        header = json.loads(old.read(name))
    change(manifest, header)
    data = json.dumps(header).encode()
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    return rewritten(packed, target, **{name: data, "manifest.json": json.dumps(manifest).encode()})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda m, h: m.update(format=99), "format 99"),
        (lambda m, h: h["parameters"].update(version=99), "another version"),
        (lambda m, h: h["parameters"].update(cut_threshold=1.0), "does not fit together"),
        (lambda m, h: h["video"].update(sha256="1" * 64), "does not fit together"),
        (lambda m, h: h.update(scenes=2), "does not fit together"),
        (lambda m, h: h.pop("parameters"), "not an index bundle"),
        (lambda m, h: h.pop("failed"), "not an index bundle"),
        (lambda m, h: h["video"].update(colour="red"), "not an index bundle"),
        (lambda m, h: m["files"].update({"../../evil.json": "0"}), "no part of an index"),
        (lambda m, h: m["files"].update({"frames/../../evil.jpg": "0"}), "no part of an index"),
    ],
)
def test_bundles_that_do_not_fit_are_refused_and_leave_nothing(change, reason, packed, tmp_path):
    target = edited(packed, tmp_path / "edited.vesta", change)
    with pytest.raises(BadInput, match=reason):
        brought(target, Settings(data_dir=tmp_path / "new"))
    left = [path.name for path in (tmp_path / "new").rglob("*") if path.is_file()]
    assert set(left) <= {".lock"} and not (tmp_path.parent / "evil.json").exists()


def test_a_bundle_of_vectors_that_are_no_numbers_is_refused(packed, tmp_path):
    with zipfile.ZipFile(packed) as old:
        manifest = json.loads(old.read("manifest.json"))
        name = f"vectors-{manifest['index']}.f32"
        data = struct.pack("<f", float("nan")) * (len(old.read(name)) // 4)
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    target = rewritten(packed, tmp_path / "nan.vesta", **{name: data, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(BadInput, match="no numbers"):
        brought(target, Settings(data_dir=tmp_path / "new"))


def test_a_bundle_of_scenes_that_are_none_is_refused_and_the_library_stays(made, packed, tmp_path):
    settings = Settings(data_dir=tmp_path / "new", speech="off")
    whole = content(brought(packed, settings))
    with zipfile.ZipFile(packed) as old:
        manifest = json.loads(old.read("manifest.json"))
        name = f"body-{manifest['index']}.json"
        body = json.loads(old.read(name))
    body["scenes"][1].pop("start")
    data = json.dumps(body).encode()
    manifest["files"][name] = hashlib.sha256(data).hexdigest()
    target = rewritten(packed, tmp_path / "y.vesta", **{name: data, "manifest.json": json.dumps(manifest).encode()})
    with pytest.raises(BadInput, match="not an index bundle"):
        brought(target, settings)
    assert content(library.open_entry(settings, library.find(settings, made[1].id))) == whole
    assert not list((tmp_path / "new").rglob(".import"))


def test_an_import_holds_one_file_at_a_time(packed, tmp_path):
    settings, big, many = Settings(data_dir=tmp_path / "new", speech="off"), bytes(1 << 20), 24
    brought(packed, settings)  # loads the encoder
    with zipfile.ZipFile(packed) as old:
        manifest = json.loads(old.read("manifest.json"))
    extra = {f"frames/{'0' * 16}-00000-{n}.jpg": big for n in range(many)}
    manifest["files"] |= {name: hashlib.sha256(data).hexdigest() for name, data in extra.items()}
    target = rewritten(packed, tmp_path / "z.vesta", **{"manifest.json": json.dumps(manifest).encode()})
    with zipfile.ZipFile(target, "a") as more:
        for name, data in extra.items():
            more.writestr(name, data)
    tracemalloc.start()
    brought(target, settings)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < many * len(big) / 2


def test_a_bundle_of_another_encoder_is_refused(made, packed, tmp_path):
    def change(manifest, header):
        header["parameters"]["encoder"] = "embedded/older"
        header["id"] = manifest["index"] = files.digest(header["parameters"])

    with zipfile.ZipFile(packed) as old:
        before = json.loads(old.read("manifest.json"))["index"]
    target = edited(packed, tmp_path / "edited.vesta", lambda m, h: None)
    with zipfile.ZipFile(target) as old, zipfile.ZipFile(tmp_path / "renamed.vesta", "w") as new:
        manifest = json.loads(old.read("manifest.json"))
        header = json.loads(old.read(f"index-{before}.json"))
        change(manifest, header)
        hashes = {}
        for name in old.namelist():
            if name != "manifest.json":
                data = json.dumps(header).encode() if name.startswith("index-") else old.read(name)
                renamed = name.replace(before, header["id"])
                hashes[renamed] = hashlib.sha256(data).hexdigest()
                new.writestr(renamed, data)
        new.writestr("manifest.json", json.dumps({**manifest, "files": hashes}))
    with pytest.raises(BadInput, match="made with the encoder embedded/older"):
        brought(tmp_path / "renamed.vesta", Settings(data_dir=tmp_path / "new"))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 torn", b"<html>"])
def test_what_is_no_bundle_is_refused(data, tmp_path):
    path = tmp_path / "x.vesta"
    path.write_bytes(data)
    with pytest.raises(BadInput, match="not an index bundle"):
        brought(path, Settings(data_dir=tmp_path))
    with pytest.raises(BadInput, match="cannot be read"):
        brought(tmp_path / "absent.vesta", Settings(data_dir=tmp_path))


def test_a_changed_byte_is_refused(packed, tmp_path, made):
    name = f"vectors-{made[1].id}.f32"
    with zipfile.ZipFile(packed) as old:
        data = bytearray(old.read(name))
    data[5] ^= 1
    with pytest.raises(BadInput, match="damaged"):
        brought(rewritten(packed, tmp_path / "y.vesta", **{name: bytes(data)}), Settings(data_dir=tmp_path / "new"))
