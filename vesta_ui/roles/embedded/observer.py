"""The embedded Observer: reads text, names colours, finds vivid objects and motion on frames at known times (VESTA §B.5).

It reports what was perceived in each stretch of time and matches it against the question; it recognises no people,
places or kinds of things, and says so by saying nothing about them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vesta_ui import perception
from vesta_ui.control import Control
from vesta_ui.domain import Interval, Modality, Observation, Question
from vesta_ui.perception import Image
from vesta_ui.perception.objects import movements, things
from vesta_ui.roles import Look, Seen
from vesta_ui.roles.embedded.describing import Glance, describe, told_things
from vesta_ui.roles.embedded.reading import MET, read
from vesta_ui.roles.embedded.signs import Sign, numbers, same, signs, state
from vesta_ui.roles.embedded.similarity import cover
from vesta_ui.roles.embedded.words import content

REACH_S = 5.0
"""A look speaks for at most so many seconds on either side, and never past the middle to the next look."""
SAME_SHOT = 14.0
"""Mean grey-level difference of neighbouring looks, at 64 × 36 pixels, under which they show one shot moving on."""
LONG_RUN = 4
REMEMBERED = 2_048
_QUOTED = re.compile("“([^”]+)”")
_known: dict[str, tuple[Sign, ...]] = {}
"""Signs by the content hash of the picture: runs that look at the same stored frame read it once."""
_lock = threading.Lock()


class EmbeddedObserver:
    """`max_frames`: most frames it looks at in one call; reading text costs about half a CPU second a frame."""

    spec = "embedded"

    def __init__(self, max_frames: int = 8) -> None:
        self.max_frames = max_frames
        self._last: tuple[NDArray[np.int16], tuple[Sign, ...]] | None = None

    def inspect(
        self, looks: Sequence[Look], intervals: Sequence[Interval], focus: str, question: Question, control: Control
    ) -> Seen:
        found: list[Observation] = []
        for interval in intervals:
            inside = [look for look in looks if interval.start - 0.05 <= look.time <= interval.end + 0.05]
            if inside:
                found += self._describe(inside, interval, focus, question, control)
        return Seen(tuple(found))

    def judge(
        self, looks: Sequence[Look], interval: Interval, sub_question: str, question: Question, control: Control
    ) -> Seen:
        """What is perceived, judged by what the sub-question puts in quotation marks, else by all of it: yes where that was
        met, no where another choice was met instead, else "cannot tell": what a picture does not show may still be so."""
        quoted = _QUOTED.search(sub_question)
        asked = quoted[1] if quoted else sub_question
        found = self._describe(looks, interval, asked, question, control)
        return Seen(tuple(_judged(one, asked, question) for one in found))

    # ------------------------------------------------------------------ perceiving
    def _describe(
        self, looks: Sequence[Look], interval: Interval, focus: str, question: Question, control: Control
    ) -> list[Observation]:
        """One observation for each stretch that looks the same, and one for each further number on a sign."""
        glances = self._glances(looks, interval, control)
        moves = movements([look.image for look in looks]) if len(looks) > 1 else []
        found: list[Observation] = []
        for glance in glances:
            told = [
                m
                for m in moves
                if m.first <= glance.looks[-1] and m.last >= glance.looks[0] and _close(looks, m.first, m.last)
            ]
            sentence = describe(glance, told, question)
            r = read(sentence, question, focus)
            vivid = told_things(glance, question)
            named = glance.signs[0].text.lower() if glance.signs else vivid[0].name if vivid else ""
            readings = numbers(glance.signs)
            number = next((n for n in readings if n[0] == r.number), readings[0] if readings else (None, "", ""))
            found.append(
                Observation(
                    interval=glance.span,
                    modality=Modality.PICTURE,
                    content=sentence,
                    verdict=r.verdict,
                    confidence=r.confidence,
                    text=glance.text,
                    event=r.event or named,
                    state=state(glance.signs),
                    number=number[0],
                    number_of=number[1],
                    stances=r.stances,
                    examined=interval if not found else None,
                )
            )
            found += [
                Observation(glance.span, Modality.PICTURE, f"the sign gives {text} for {of}", number=v, number_of=of)
                for v, of, text in readings[:6]
                if of and text[0].isdigit() and (v, of, text) != number
            ]
        return found

    def _glances(self, looks: Sequence[Look], interval: Interval, control: Control) -> list[Glance]:
        glances: list[Glance] = []
        written = self._signs(looks, control)
        for n, look in enumerate(looks):
            control.check()
            before = looks[n - 1].time if n else None
            after = looks[n + 1].time if n + 1 < len(looks) else None
            start = max(interval.start, look.time - REACH_S, (before + look.time) / 2 if before is not None else 0.0)
            end = min(interval.end, look.time + REACH_S, (after + look.time) / 2 if after is not None else interval.end)
            vivid = tuple(things(look.image))
            main = tuple(c.name for c in perception.colours(look.image, least=0.04))
            glance = Glance(
                Interval(start, max(start, end)), written[n], vivid, main, perception.brightness(look.image), (n,)
            )
            if glances and _alike(glances[-1], glance):
                last = glances[-1]
                kept = glance if len(glance.text) > len(last.text) else last
                glances[-1] = Glance(
                    Interval(last.span.start, glance.span.end),
                    kept.signs,
                    kept.things,
                    kept.colours,
                    kept.light,
                    (*last.looks, n),
                )
            else:
                glances.append(glance)
        return glances

    def _signs(self, looks: Sequence[Look], control: Control) -> list[tuple[Sign, ...]]:
        """The signs of every look. In a long run of looks at one shot only the first, the middle and the last are read; the
        others are taken to show what the nearest of these shows."""
        tiny = [_tiny(look.image) for look in looks]
        found: list[tuple[Sign, ...]] = []
        start = 0
        for end in range(1, len(looks) + 1):
            if end < len(looks) and np.abs(tiny[end] - tiny[end - 1]).mean() < SAME_SHOT:
                continue
            chosen = {start, (start + end - 1) // 2, end - 1} if end - start > LONG_RUN else set(range(start, end))
            read = {n: self._read_look(looks[n], tiny[n], control) for n in sorted(chosen)}
            found += [read[min(read, key=lambda k, n=n: abs(k - n))] for n in range(start, end)]  # type: ignore[misc]
            start = end
        return found

    def _read_look(self, look: Look, tiny: NDArray[np.int16], control: Control) -> tuple[Sign, ...]:
        """Read once for each picture in this process; one that hardly differs from the one just read is not read again."""
        control.check()
        if look.sha256 and (known := _known.get(look.sha256)) is not None:
            return known
        if (
            self._last is not None
            and np.abs(self._last[0] - tiny).mean() < 2.0
            and np.abs(self._last[0] - tiny).max() < 40
        ):
            found = self._last[1]
        else:
            found = tuple(signs(look.image)) if perception.likely_text(look.image) else ()
            self._last = (tiny, found)
        if look.sha256:
            with _lock:
                if len(_known) >= REMEMBERED:
                    _known.pop(next(iter(_known)))
                _known[look.sha256] = found
        return found


def _alike(a: Glance, b: Glance) -> bool:
    """The same signs, or none on both and the same colours."""
    if a.text or b.text:
        return same(a.text, b.text)
    return a.colours[:2] == b.colours[:2] and {t.name for t in a.things[:2]} == {t.name for t in b.things[:2]}


def _close(looks: Sequence[Look], first: int, last: int) -> bool:
    """Motion between looks many seconds apart is not motion, but another picture."""
    return all(looks[i + 1].time - looks[i].time <= 3.0 for i in range(first, last))


def _judged(seen: Observation, asked: str, question: Question) -> Observation:
    words = content(asked)
    met = max(0.0, cover(words, [(f"{seen.content} {seen.text}", 1.0)])) if words else 0.0
    if met >= MET:
        return replace(seen, verdict=True, confidence=round(min(0.95, 0.5 + 0.45 * met), 2))
    others = (question.choice(s.label) for s in seen.stances if s.supports)
    if any(choice and choice.text != asked for choice in others):
        return replace(seen, verdict=False, confidence=0.7)
    return replace(seen, verdict=None, confidence=0.4)


def _tiny(image: Image) -> NDArray[np.int16]:
    grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, (64, 36), interpolation=cv2.INTER_AREA), np.int16)
