"""Reading pasted questions: text with choices in the forms people use → `Question`.

Nothing pasted is lost: a line that only tells how to answer, or gives the answer away, is left out; any other text after
the choices belongs to the question. This module knows no model, no video and no screen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vesta_ui.domain import Choice, Question
from vesta_ui.errors import BadInput

LABELS = "ABCDEFGHIJ"
"""Labels of the choices, at most ten."""
PASTED_CHARS = 20_000
"""Longest text read as a question, choices included."""

_BEFORE = r"(?:[-*•‣▪]\s+)?(?:\*\*|__)?(?:(?:option|choice)\s+)?"
_LABEL = (
    r"(?P<open>[(\[<{【\"']?)(?P<label>[A-Za-z]|\d{1,2})"
    r"(?P<close>[)\]}>】]|[\"']?[.:、]\)?|\s[-–—](?=\s)|[–—](?=\s))(?:\*\*|__)?"
    r"(?:(?=\s|$|[^\s\d.])|(?<=[A-Za-z][)\]}>】.:、])(?=\d))"
)
_AT_LINE = re.compile(rf"(?:^|(?<=[^\s.)])(?:\t|  ))[ \t>]*{_BEFORE}{_LABEL}", re.MULTILINE | re.IGNORECASE)
_INLINE = re.compile(rf"(?:(?<=[\s,;/?:]|[^\x00-\x7f])|(?<=^)|(?=\([A-Za-z]\)\S)){_BEFORE}{_LABEL}", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*(?:(?:[-*•‣▪·–]\s+)?(?:\[ ?\]|[☐□○◯])|[-*•‣▪·–])\s+(?=\S)")
_BARE = re.compile(r"^[ \t]*(?P<label>[A-J])[ \t]+(?=\S)")
_HEADING = re.compile(
    r"^\W*(?:options?|choices?|answers?|answer (?:options?|choices?)|possible answers?|选项)\W*$", re.IGNORECASE
)
_ORDER = re.compile(
    r"^\W*(?:please )?(?:"
    r"(?:answer|respond|reply) (?:with|by|using|only|the (?:above )?question|directly)"
    r"|(?:select|choose|pick|give|provide|output) (?:only )?(?:the|one|your|a) (?:\w+ ){0,2}?(?:answer|option|choice|letter|response)"
    r"|(?:explain|justify|show) (?:your|the) (?:answer|choice|reasoning|thinking|work)\b|(?:think|reason) step by step\b"
    r"|(?:there is )?only one\b.*\b(?:correct|right|true|answer)\b"
    r"|(?:the |your )?(?:best |correct |final |right )?(?:answer|solution)(?: is)?\s*:?\W*$"
    r"|(?:the )?(?:best |correct |final |right )?(?:answer|solution)(?: is)?\s*[:=]\s*\(?[a-j]\b)[^?？]*$",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\n[ \t*_>#]*(?:the |your )?(?:best |correct |final )?answer[\s*_:]*\Z", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"(?<=[?.!]) ?[*_]*(?:(?:possible )?answers?|(?:answer )?(?:options?|choices?))[*_]* ?:[*_]*$", re.IGNORECASE
)
_OFFERED = re.compile(r"^(?P<stem>.+[?.!]) *(?:options?|choices?) ?: *(?P<list>.+)$", re.IGNORECASE)
_TITLE = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|sir|and|plan|type|team|group|room|exhibit|version|vitamin)\.?$", re.IGNORECASE
)
_SENTENCE_ENDS = '?.:!。？：)"”'
_ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
_PREFIX = re.compile(r"^\W*(?:question|q)\s*\d*\s*[\]:.)]+\s*", re.IGNORECASE)
_ENCLOSED = (("①", "1"), ("❶", "1"), ("➀", "1"), ("➊", "1"), ("Ⓐ", "A"), ("ⓐ", "a"), ("🅐", "A"), ("🄰", "A"), ("🅰", "A"))
"""First of ten enclosed labels each, and what it encloses."""
_NUMBER_PREFIX = re.compile(r"^\s*\(?\d{1,3}[.)]\s+")


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label found in the text: its place, its rank (A, a and 1 are 0) and its style."""

    start: int
    end: int
    rank: int
    style: str


def parse_question(text: str, choices: Sequence[str] = ()) -> Question:
    """The question and its choices, labelled A, B, C … in the order given.

    `choices` are taken as they are but for labels they all carry; without any they are found in the text: labels such
    as `A.`, `(B)`, `c)`, `1.`, `①`, full width, one a line or all in one, bullets, or plain lines after "Options:".
    Lines that only tell how to answer are left out. No choices: an open question. Raises `BadInput`.
    """
    length = len(text) + sum(map(len, choices))
    if length > PASTED_CHARS:
        raise BadInput(f"The question is {length:,} characters long: shorten it to at most {PASTED_CHARS:,}.")
    plain = folded(text)
    if choices:
        return _question(plain, _stripped(choices))
    record = _record(plain)
    if record is not None:
        return record
    written = _ENDING.sub("", _without_orders(_unmarked(plain)))
    roman = re.sub(
        rf"\(({'|'.join(_ROMAN)})\)|(?m:^[ \t]*({'|'.join(_ROMAN)})[.)](?=\s))",
        lambda m: f"({_ROMAN.index((m[1] or m[2]).casefold()) + 1})",
        written,
        flags=re.IGNORECASE,
    )
    for plain in (written, roman):
        marks = _chain(plain)
        if not marks:
            continue
        ends = [m.start for m in marks[1:]] + [len(plain)]
        texts = [plain[mark.end : end].strip(" \t\n,;/|*_") for mark, end in zip(marks, ends, strict=True)]
        texts[:-1] = [re.sub(r"(?:[,;]\s?|\s)(?:or|and)$", "", text).rstrip(" ,;") for text in texts[:-1]]
        stem = plain[: marks[0].start]
        numbered = marks[0].style[0] != "1" and not re.search(r"(?<=\s)\(?2[.)]", stem)
        return _question(*_sorted_out(_NUMBER_PREFIX.sub("", stem) if numbered else stem, texts))
    return _listed(written)


def _record(text: str) -> Question | None:
    """A data set's record: a JSON object with a question and its options, as a list or by label."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    fields = {str(name).casefold(): value for name, value in record.items()}
    offered: Any = next((fields[n] for n in ("options", "choices", "candidates", "answers") if n in fields), [])
    offered = list(offered.values()) if isinstance(offered, dict) else offered
    if not isinstance(fields.get("question"), str) or not isinstance(offered, list):
        return None
    return _question(fields["question"], _stripped([str(one) for one in offered]))


def _unmarked(text: str) -> str:
    """Without what Markdown puts around lines: quotation marks, headings, the bars of a table."""
    lines = text.split("\n")
    if sum(line.lstrip().startswith(">") for line in lines) > 1:
        lines = [re.sub(r"^[ \t]*(?:>[ \t]?)+", "", line) for line in lines]
    lines = [re.sub(r"^[ \t]*#{1,6}[ \t]+", "", line) for line in lines]
    rows = [re.fullmatch(r"\s*\|(.*)\|\s*", line) for line in lines]
    return "\n".join(_row(row[1]) if row else line for line, row in zip(lines, rows, strict=True))


def _row(cells: str) -> str:
    held = [cell.strip() for cell in cells.split("|") if re.search(r"[^\s:-]", cell)]
    labelled = len(held) > 1 and re.fullmatch(r"[A-Ja-j]|\d{1,2}", held[0])
    return f"{held[0]}. {' '.join(held[1:])}" if labelled else " ".join(held)


def _sorted_out(stem: str, texts: list[str]) -> tuple[str, list[str]]:
    """What stands after the last choice, where it is not part of it, goes to the question."""
    *others, last = texts
    bare = not stem.strip() or bool(_HEADING.match(stem.strip()))
    if bare and "\n" in last and last.rstrip().endswith(("?", "？")) and not any("\n" in one for one in others):
        last, _, stem = last.rpartition("\n")
    elif not any("\n" in one for one in others) and re.search(r"\n\s*\n", last):
        last, after = re.split(r"\n\s*\n", last, maxsplit=1)
        stem = f"{stem.rstrip()} {after.strip()}"
    end = last.rstrip()[-1:]
    if end in ("?", ".") and not any(one.endswith(end) for one in others) and "\n" not in stem.rstrip() + last:
        last = last.rstrip().removesuffix(end)
    return stem, [*others, last.strip()]


def folded(text: str) -> str:
    """Full-width, styled and enclosed characters as plain ones, one kind of line break, no control characters."""
    text = re.sub(r"([1-9])\ufe0f?\u20e3", r"(\1) ", text)
    for first, plain in _ENCLOSED:
        ten = f"[{first}-{chr(ord(first) + 9)}]\ufe0f?"
        text = re.sub(ten, lambda m: f"({_next(plain, ord(m.group()[0]) - ord(first))}) ", text)  # noqa: B023
    text = "".join(
        unicodedata.normalize("NFKC", c) if _styled(c) else c for c in re.sub("\r\n?|[\u2028\u2029]", "\n", text)
    )
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf"))


def _next(label: str, places: int) -> str:
    return str(int(label) + places) if label.isdigit() else chr(ord(label) + places)


def _styled(c: str) -> bool:
    """Full width, mathematical letters, one-character Roman numerals."""
    return "\uff01" <= c <= "\uff5e" or c == "\u3000" or "\U0001d400" <= c <= "\U0001d7ff" or "\u2160" <= c <= "\u2179"


def _without_orders(text: str) -> str:
    lines = text.split("\n")
    kept = [line for line in lines if not _ORDER.match(line)]
    return "\n".join(kept if any(line.strip() for line in kept) else lines)


def _chain(text: str) -> list[_Mark]:
    """The labels of the choices: A, B, C … of one style. Whole lines before inline ones, letters before numbers (which
    may number statements in the question), the last such list before earlier ones. Lines that hold several choices each
    (columns) are one inline list."""
    incomplete: list[_Mark] = []
    for pattern, inline in ((_AT_LINE, False), (_INLINE, True)):
        marks = [_mark(m) for m in pattern.finditer(text)]
        found = [_follow(marks, n) for n, mark in enumerate(marks) if mark.rank == 0]
        fitting = [c for c in found if len(c) > 1 and _plausible(text, c, inline)]
        best = max(fitting, key=lambda c: (c[0].style[0] != "1", c[0].start), default=marks[:1])
        started = len(marks) > 1 and best[0].start and best[0].rank == 0 and best[0].style[0] == "A"
        if fitting or (started and not inline):
            listed = [m for m in marks if m.style == best[0].style and m.start >= best[0].start]
            if not inline and len(listed) != len(best):
                incomplete = listed
            elif not incomplete or {m.rank for m in incomplete} < {m.rank for m in best}:
                return best
    if incomplete:
        names = ", ".join(re.sub(r"\W", "", text[m.start : m.end]) for m in incomplete)
        raise BadInput(f"The choices are labelled {names}: label them one after the other, each once.")
    return []


def _mark(found: re.Match[str]) -> _Mark:
    label = found["label"]
    if label.isdigit():
        rank, kind = int(label) - 1, "1"
    else:
        rank, kind = ord(label.upper()) - ord("A"), "A" if label.isupper() else "a"
    return _Mark(found.start(), found.end(), rank, kind + found["open"] + found["close"].strip())


def _follow(marks: Sequence[_Mark], first: int) -> list[_Mark]:
    chain = [marks[first]]
    for mark in marks[first + 1 :]:
        if mark.style == chain[0].style and mark.rank == len(chain):
            chain.append(mark)
    return chain


def _plausible(text: str, chain: Sequence[_Mark], inline: bool) -> bool:
    """In a list inside a line every choice needs a text; small letters and numbers must come after the end of a sentence,
    and capitals with a dot must not be initials or names ("Mr. A. Smith", "plan A.")."""
    ends = [mark.start for mark in chain[1:]] + [len(text)]
    if inline and not all(text[m.end : end].strip(" \t\n,;/") for m, end in zip(chain, ends, strict=True)):
        return False
    before = text[: chain[0].start].rstrip()
    if not inline or not before:
        return True
    if before[-1] not in _SENTENCE_ENDS and any(
        text[m.start - 1].isascii() and text[m.start - 1].isalnum() for m in chain
    ):  # "f(A)x or g(B)y"
        return False
    if text[chain[0].end].isdigit() and before[-1] not in _SENTENCE_ENDS:  # "compare A.3 with B.4"
        return False
    if chain[0].style == "A." and (_TITLE.search(before) or _asks_after(text, chain)):
        return False
    return chain[0].style[0] == "A" or before[-1] in _SENTENCE_ENDS


def _asks_after(text: str, chain: Sequence[_Mark]) -> bool:
    """Whether the question goes on behind its initials: "Who are A. Smith and B. Jones?" """
    return text.rstrip().endswith("?") and "?" not in text[: chain[-1].start]


def _listed(text: str) -> Question:
    """Choices without a mark of their own: `A apples` on lines of their own, bullets, the lines after a heading such as
    "Options:", or what such a word announces in the same line; otherwise an open question."""
    lines = [line for line in text.split("\n") if line.strip()]
    for mark in (_BARE, _BULLET):
        found = [(n, m) for n, m in enumerate(mark.match(line) for line in lines) if m]
        start = found[0][0] if found else 0
        if start == 0 or len(found) < 2 or len(found) != len(lines) - start:
            continue
        if mark is _BULLET or "".join(m["label"] for _, m in found) == LABELS[: len(found)]:
            return _question("\n".join(lines[:start]), [lines[n][m.end() :] for n, m in found])
    heading = next((n for n, line in enumerate(lines) if _HEADING.match(line) and n > 0), None)
    if heading is not None and len(lines) - heading > 2:
        return _question("\n".join(lines[:heading]), [line.strip() for line in lines[heading + 1 :]])
    offered = _OFFERED.match(" ".join(lines))
    if offered:
        by = ";" if ";" in offered["list"] else r",\s*(?:or|and)\s|,|\s(?:or|and)\s"
        return _question(offered["stem"], [p for p in (p.strip(" .") for p in re.split(by, offered["list"])) if p])
    return _question(text, [])


def _stripped(choices: Sequence[str]) -> list[str]:
    """The choices without their labels, if all carry the label of their place."""
    texts = [folded(choice).strip() for choice in choices]
    found = [_AT_LINE.match(text) for text in texts]
    marks = [_mark(m) if m else None for m in found]
    if all(m is not None and m.rank == n for n, m in enumerate(marks)) and len({m.style for m in marks if m}) == 1:
        rest = [text[m.end :].strip() for text, m in zip(texts, marks, strict=True) if m]
        return rest if all(rest) else texts
    return texts


def _question(stem: str, texts: Sequence[str]) -> Question:
    lines = [line.strip() for line in stem.strip().split("\n")]
    while len(lines) > 1 and (not lines[-1] or _HEADING.match(lines[-1])):
        lines.pop()
    asked = _ANNOUNCED.sub("", " ".join(_PREFIX.sub("", " ".join(lines)).split())).strip("*_ ")
    asked = re.sub(r"(?<=[?？])\s*[:|]$", "", asked)
    given = [" ".join(text.split()) for text in texts]
    if not asked:
        raise BadInput("The question is empty: write it before the choices." if given else "The question is empty.")
    if len(given) == 1:
        raise BadInput("There is only one choice: give 2 to 10, or none for an open question.")
    if len(given) > len(LABELS):
        raise BadInput(f"There are {len(given)} choices: give 2 to 10, or none for an open question.")
    empty = next((LABELS[n] for n, text in enumerate(given) if not text), None)
    if empty:
        raise BadInput(f"Choice {empty} is empty: give it a text or take it out.")
    plain = [text.casefold() for text in given]
    twin = next((text for text in plain if plain.count(text) > 1), None)
    if twin is not None:
        same = [label for label, text in zip(LABELS, plain, strict=False) if text == twin]
        raise BadInput(f"Choices {', '.join(same[:-1])} and {same[-1]} are the same: keep one of them.")
    return Question(asked, tuple(Choice(LABELS[n], text) for n, text in enumerate(given)))
