"""One look in words: what is written first, things and colours when they are asked about or nothing else is there. Pure.

Sentences are read by people on a screen: about `MOST_WORDS` words at most, with the rows of a long sign that bear on the
question. The whole text stays in the observation's `text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vesta_ui.domain import Interval, Question
from vesta_ui.perception import Box
from vesta_ui.perception.objects import Movement, Thing
from vesta_ui.roles.embedded.asked import Kind, understand
from vesta_ui.roles.embedded.signs import Sign
from vesta_ui.roles.embedded.similarity import cover
from vesta_ui.roles.embedded.words import COLOURS, Token, content

MOST_WORDS = 20
_FORMS = frozenset(
    ("circle", "squar", "rectangl", "triangl", "shap", "patch", "light", "dark", "colour", "color", "ball")
)


@dataclass(frozen=True, slots=True)
class Glance:
    """One look, perceived: the signs in it, vivid things, the main colours and the light. `looks`: positions in the run."""

    span: Interval
    signs: tuple[Sign, ...]
    things: tuple[Thing, ...]
    colours: tuple[str, ...]
    light: str
    looks: tuple[int, ...]

    @property
    def text(self) -> str:
        return " / ".join(sign.text for sign in self.signs)


def describe(glance: Glance, moves: Sequence[Movement], question: Question) -> str:
    """For example: a red sign in the centre reads “HIGH PEAK / 1840 METRES”."""
    said = _written(glance.signs, question)
    visual = _visual(question)
    things = told_things(glance, question)
    said += _listed(things)
    if visual or not glance.signs:
        named = {"camera", *(t.name for t in things)}
        said += dict.fromkeys(f"the {m.what} {m.how}" for m in moves if m.what in named)
    if glance.colours and (understand(question).kind is Kind.COLOUR or not said):
        said.append(f"the picture is {'dark, ' if glance.light == 'dark' else ''}mostly {_and(glance.colours[:3])}")
    return "; ".join(said) or "nothing that can be named"


def told_things(glance: Glance, question: Question) -> list[Thing]:
    """The vivid things worth telling: those of a colour that is asked about; when nothing is written, whole forms."""
    things = [t for t in glance.things[:3] if not _is_sign(t.box, glance.signs)]
    if understand(question).kind is Kind.COLOUR:
        return things
    if _visual(question):
        return [t for t in things if not (hues := _hues(question)) or t.colour in hues]
    return [] if glance.signs else [t for t in things if t.form != "patch"]


def _visual(question: Question) -> bool:
    """Whether colours, forms or motion are asked about."""
    return (
        understand(question).kind in (Kind.COLOUR, Kind.MOTION)
        or bool(_hues(question))
        or any(t.stem in _FORMS for t in _words(question))
    )


def _hues(question: Question) -> set[str]:
    """Colours that are asked about; a capital inside the question makes a name of it ("the Blue Boat Trail")."""
    asked = [t for t in content(question.text) if not (t.text[0].isupper() and question.text.find(t.text) > 0)]
    return {t.stem for t in (*asked, *(t for c in question.choices for t in content(c.text))) if t.stem in COLOURS}


def _words(question: Question) -> list[Token]:
    return content(" . ".join((question.text, *(c.text for c in question.choices))))


def _written(signs: Sequence[Sign], question: Question) -> list[str]:
    """The signs that fit into the sentence, those that bear on the question first."""
    wanted = _words(question)
    ranked = sorted(signs, key=lambda s: -cover(wanted, [(s.text, 1.0)]))
    said: list[str] = []
    left = MOST_WORDS
    for sign in ranked:
        text = _shortened(sign.text, wanted, max(6, left - 6))
        if said and left < len(text.split()) + 6:
            break
        said.append(f"{_a(sign.ground)} sign {sign.region} reads “{text}”")
        left -= len(said[-1].split())
    return said


def _shortened(text: str, wanted: Sequence[Token], most: int) -> str:
    """Whole rows up to `most` words: the row that bears most on the question, then its neighbours."""
    rows = text.split(" / ")
    if len(text.replace("/", "").split()) <= most:
        return text
    first = last = max(range(len(rows)), key=lambda n: cover(wanted, [(rows[n], 1.0)]))
    size = len(rows[first].split())
    for n in (*range(first - 1, -1, -1), *range(last + 1, len(rows))):
        size += len(rows[n].split())
        if size > most:
            break
        first, last = min(first, n), max(last, n)
    shown = " / ".join(rows[first : last + 1]).split()
    return f"{'… ' if first else ''}{' '.join(shown[: most + 4])}{' …' if last + 1 < len(rows) or len(shown) > most + 4 else ''}"


def _listed(things: Sequence[Thing]) -> list[str]:
    """Things of one name together: "a blue patch at the top left and in the centre"."""
    where: dict[str, list[str]] = {}
    for thing in things:
        where.setdefault(thing.name, []).append(
            "in the centre" if thing.region == "centre" else f"at the {thing.region}"
        )
    return [f"{_a(name)} {_and(tuple(dict.fromkeys(places))[:2])}" for name, places in where.items()]


def _a(words: str) -> str:
    return f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _is_sign(box: Box, found: Sequence[Sign]) -> bool:
    """A vivid patch that is only the ground of a sign already told of."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(s.box[0] - 0.05 <= x <= s.box[2] + 0.05 and s.box[1] - 0.05 <= y <= s.box[3] + 0.05 for s in found)
