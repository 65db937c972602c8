"""Reading questions and answers: pasted multiple-choice text → `Question`; a model's words → exactly one choice, or None.

Nothing is guessed: a text that names no choice, two choices, or only what it rules out gives None, and the caller asks
once more. This module knows no model, no video and no screen.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vesta_ui.domain import Choice, Question
from vesta_ui.errors import BadInput
from vesta_ui.phrases import (
    BESIDE,
    CUE,
    DIGITS,
    EXPLAINS,
    FIELD,
    LEADS_OUT,
    LETTER,
    MARKUP,
    NTH,
    NUMBERED,
    OF_THESE,
    ORDINALS,
    RETRACTS,
    SMALL,
    STATEMENT,
    THOUGHT,
    UNSURE,
    VERB,
    YES_AND_NO,
)

LABELS = "ABCDEFGHIJ"
"""Labels of the choices, at most ten."""
PASTED_CHARS = 20_000
"""Longest text read as a question, choices included."""
ANSWER_CHARS = 4_000
"""An answer longer than this is read from its end, where it settles."""

# ------------------------------------------------------------------------------------------------ questions
_BEFORE = r"(?:[-*•‣▪]\s+)?(?:\*\*|__)?(?:(?:option|choice)\s+)?"
_LABEL = r"(?P<open>[(\[]?)(?P<label>[A-Za-z]|\d{1,2})(?P<close>[)\]]|[.:、]|\s-(?=\s))(?:\*\*|__)?(?=\s|$|[^\s\d.])"
_AT_LINE = re.compile(rf"^[ \t>]*{_BEFORE}{_LABEL}", re.MULTILINE | re.IGNORECASE)
_INLINE = re.compile(rf"(?:(?<=[\s,;/?:]|[^\x00-\x7f])|(?<=^)){_BEFORE}{_LABEL}", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]*[-*•‣▪·–]\s+(?=\S)", re.MULTILINE)
_HEADING = re.compile(
    r"^\W*(?:options?|choices?|answers?|answer (?:options?|choices?)|possible answers?|选项)\W*$", re.IGNORECASE
)
_ORDER = re.compile(
    r"^\W*(?:please )?(?:"
    r"(?:answer|respond|reply) (?:with|by|using|only|the (?:above )?question|directly)"
    r"|(?:select|choose|pick|give|provide|output) (?:only )?(?:the|one|your|a) (?:\w+ ){0,2}?(?:answer|option|choice|letter|response)"
    r"|(?:the |your )?(?:best |correct |final )?answer (?:is)?\s*:?\W*$)[^?？]*$",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\n[ \t*_>#]*(?:the |your )?(?:best |correct |final )?answer[\s*_:]*\Z", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"(?<=[?.!]) ?[*_]*(?:(?:possible )?answers?|(?:answer )?(?:options?|choices?))[*_]* ?:[*_]*$", re.IGNORECASE
)
_ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
_PREFIX = re.compile(r"^\W*(?:question|q)\s*\d*\s*[:.)]\s*", re.IGNORECASE)
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
    plain = _folded(text)
    if choices:
        return _question(plain, _stripped(choices))
    written = _ENDING.sub("", _without_orders(plain))
    roman = re.sub(rf"\(({'|'.join(_ROMAN)})\)", lambda m: f"({_ROMAN.index(m[1]) + 1})", written)
    for plain in (written, roman):
        marks = _chain(plain)
        if not marks:
            continue
        ends = [m.start for m in marks[1:]] + [len(plain)]
        texts = [plain[mark.end : end].strip(" \t\n,;/*_") for mark, end in zip(marks, ends, strict=True)]
        texts[:-1] = [re.sub(r"(?:[,;]\s?|\s)(?:or|and)$", "", text).rstrip(" ,;") for text in texts[:-1]]
        stem = plain[: marks[0].start]
        numbered = marks[0].style[0] != "1" and not re.search(r"(?<=\s)\(?2[.)]", stem)
        return _question(_NUMBER_PREFIX.sub("", stem) if numbered else stem, texts)
    return _listed(written)


def _folded(text: str) -> str:
    """Full-width and circled characters as plain ones, one kind of line break, no control characters."""
    folded = re.sub("[①-⑩]", lambda m: f"({ord(m.group()) - 0x2460 + 1}) ", text)
    folded = re.sub("[Ⓐ-Ⓙⓐ-ⓙ]", lambda m: f"({unicodedata.normalize('NFKC', m.group())}) ", folded)
    folded = "".join(
        unicodedata.normalize("NFKC", c) if "\uff01" <= c <= "\uff5e" or c == "\u3000" else c
        for c in folded.replace("\r\n", "\n").replace("\r", "\n")
    )
    return "".join(c for c in folded if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf"))


def _without_orders(text: str) -> str:
    lines = text.split("\n")
    kept = [line for line in lines if not _ORDER.match(line)]
    return "\n".join(kept if any(line.strip() for line in kept) else lines)


def _chain(text: str) -> list[_Mark]:
    """The labels of the choices: A, B, C … of one style. Whole lines before inline ones, letters before numbers (which
    may number statements in the question), the last such list before earlier ones."""
    for pattern, inline in ((_AT_LINE, False), (_INLINE, True)):
        marks = [_mark(m) for m in pattern.finditer(text)]
        found = [_follow(marks, n) for n, mark in enumerate(marks) if mark.rank == 0]
        fitting = [c for c in found if len(c) > 1 and _plausible(text, c, inline)]
        if fitting:
            best = max(fitting, key=lambda c: (c[0].style[0] != "1", c[0].start))
            if not inline:
                _complete(text, marks, best)
            return best
        if not inline and any(len(marks) > 1 and m.start and m.rank == 0 and m.style[0] == "A" for m in marks[:1]):
            _complete(text, marks, marks[:1])
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
    """Inline lists of small letters or numbers must come after the end of a sentence, and every choice needs a text."""
    ends = [mark.start for mark in chain[1:]] + [len(text)]
    if inline and not all(text[m.end : end].strip(" \t\n,;/") for m, end in zip(chain, ends, strict=True)):
        return False
    before = text[: chain[0].start].rstrip()
    return not inline or chain[0].style[0] == "A" or not before or before[-1] in '?.:!。？：)"”'


def _complete(text: str, marks: Sequence[_Mark], chain: Sequence[_Mark]) -> None:
    """Refuse a list with a label missing or given twice."""
    listed = [m for m in marks if m.style == chain[0].style and m.start >= chain[0].start]
    if len(listed) != len(chain):
        names = ", ".join(re.sub(r"\W", "", text[m.start : m.end]) for m in listed)
        raise BadInput(f"The choices are labelled {names}: label them one after the other, each once.")


def _listed(text: str) -> Question:
    """Bulleted choices, or the lines after a heading such as "Options:"; otherwise an open question."""
    lines = [line for line in text.split("\n") if line.strip()]
    bullets = [n for n, line in enumerate(lines) if _BULLET.match(line)]
    heading = next((n for n, line in enumerate(lines) if _HEADING.match(line) and n > 0), None)
    if len(bullets) > 1 and bullets == list(range(bullets[0], len(lines))) and bullets[0] > 0:
        start = bullets[0]
        return _question("\n".join(lines[:start]), [_BULLET.sub("", line) for line in lines[start:]])
    if heading is not None and len(lines) - heading > 2:
        return _question("\n".join(lines[:heading]), [line.strip() for line in lines[heading + 1 :]])
    return _question(text, [])


def _stripped(choices: Sequence[str]) -> list[str]:
    """The choices without their labels, if all carry the label of their place."""
    texts = [_folded(choice).strip() for choice in choices]
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
    twins = [LABELS[n] for n, text in enumerate(given) if [g.casefold() for g in given].count(text.casefold()) > 1]
    if twins:
        raise BadInput(f"Choices {' and '.join(twins)} are the same: take one out.")
    return Question(asked, tuple(Choice(LABELS[n], text) for n, text in enumerate(given)))


# ------------------------------------------------------------------------------------------------ answers


@dataclass(slots=True)
class _Said:
    """A choice named at `start`–`end`. `tone`: firm, hedged, open (whether …) or denied."""

    label: str
    start: int
    end: int
    tone: str = "firm"


def parse_answer(text: str, question: Question) -> str | None:
    """The label of the one choice the text settles on, or None: no choice, several, only ruled-out ones, or doubt.

    Tried in order: the whole text is a label or a choice's text; its first or last line is, with nothing against it;
    what follows the last "wait", "no" or "that is wrong", alone; the last sentence that states an answer; the only
    choice named and not ruled out.
    """
    if not question.choices:
        return None
    said = THOUGHT.sub(" ", _folded(text))[-ANSWER_CHARS:]
    fields = FIELD.findall(said)
    said = MARKUP.sub("", (fields[-1] if fields else said).replace("’", "'")).strip()
    said = re.sub(r"\n\s+", "\n", said)
    if whole := _whole(said, question):
        return whole.pop() if len(whole) == 1 else None
    if {_plain(c.text) for c in question.choices} & {"yes", "no", "true", "false"} and YES_AND_NO.search(said):
        return None
    named = _mentions(said, question)
    lone = _lone(said, question, named)
    if lone:
        return lone
    for back in reversed(list(RETRACTS.finditer(said))):
        inside = any(m.start < back.end() and back.start() < m.end for m in named)
        if not inside and any(m.end <= back.start() + 1 for m in named):
            return parse_answer(said[back.end() :].lstrip(" ,:;.!—–-"), question)
    _judge(said, named)
    stated = [labels for found in STATEMENT.finditer(said) if (labels := _stated(said, found, named))]
    if stated:
        return stated[-1].pop() if len(stated[-1]) == 1 else None
    if UNSURE.search(said):
        return None
    denied = {m.label for m in named if m.tone == "denied"}
    for tone in ("firm", "hedged"):
        left = {m.label for m in named if m.tone == tone} - denied
        if left:
            return left.pop() if len(left) == 1 else None
    return None


def _lone(said: str, question: Question, named: Sequence[_Said]) -> str | None:
    """The choice that the first or the last line is, unless the other lines name another, take it back or doubt it."""
    first, _, rest = said.partition("\n")
    before, _, last = said.rpartition("\n")
    opening, closing = _whole(first, question), _whole(last, question)
    if len(closing) == 1 and opening <= closing and not LEADS_OUT.search(before.rstrip()):
        return closing.pop()
    if len(opening) != 1 or closing or RETRACTS.search("\n" + rest) or UNSURE.search(rest):
        return None
    others = {m.label for m in named if m.start > len(first)} - opening
    explained = EXPLAINS.match(rest) and not STATEMENT.search(rest)
    return None if others and not explained else opening.pop()


def _whole(said: str, question: Question) -> set[str]:
    """`C`, `(c)`, `C.`, `Option C`, `C. its text`, or a choice's text alone; both choices for `C. another's text`."""
    same = [c.label for c in question.choices if _plain(c.text) == _plain(said)]
    head = re.fullmatch(
        r"\W*(?:(?:option|choice|answer)\W*)?([A-J])(?:\W*$|\s*[).:\]]+\s*|\s+[-–(]\s*)(.*)",
        said,
        re.DOTALL | re.IGNORECASE,
    )
    if same or head is None or question.choice(head[1].upper()) is None:
        return set(same[:1]) if len(same) == 1 else set()
    rest = _plain(head[2])
    texts = {c.label for c in question.choices if _plain(c.text) == rest}
    return texts | {head[1].upper()} if texts or not rest else set()


def _mentions(said: str, question: Question) -> list[_Said]:
    """Every choice named, by its text (longest first, so that "dark red" is not also "red") or by its label."""
    named: list[_Said] = []

    def add(label: str, start: int, end: int) -> None:
        if not any(m.start < end and start < m.end for m in named):
            named.append(_Said(label, start, end))

    for numbers in NUMBERED.finditer(said):
        for found in re.finditer(rf"\d+|{NTH}", numbers.group(), re.IGNORECASE):
            number = found.group().casefold()
            rank = int(number) - 1 if number.isdigit() else ORDINALS.index(number)
            if 0 <= rank < len(question.choices):
                label, at = LABELS[rank], numbers.start()
                # "Option 3" among choices that are numbers may mean either
                clash = any(_plain(c.text) == number and c.label != label for c in question.choices)
                named.append(_Said(label, at + found.start(), at + found.end(), "open" if clash else "firm"))
    for choice in sorted(question.choices, key=lambda c: -len(c.text)):
        for found in _places(said, choice.text):
            add(choice.label, *found.span())
    for pattern in (SMALL, LETTER):
        for found in pattern.finditer(said):
            label, after = found["label"], said[found.end("label") :]
            word = label in "AI" and not found.groupdict().get("sure") and re.match(r"\s+\w", after)
            if question.choice(label.upper()) and (not word or VERB.match(after)):
                add(label.upper(), *found.span("label"))
    return sorted(named, key=lambda m: m.start)


def _places(said: str, text: str) -> Iterator[re.Match[str]]:
    """Where a choice's text stands, whatever its case, article, spacing or the way its numbers are written."""
    parts = re.findall(r"\w+|[^\w\s]", text.rstrip(" .!?"))
    parts = parts[1:] if len(parts) > 1 and parts[0].casefold() in ("a", "an", "the") else parts
    if not parts:
        return iter(())
    words = {digits: word for word, digits in DIGITS.items()}
    written = [(p, DIGITS.get(p.casefold()) or words.get(p)) for p in parts]
    body = r"\s*".join(f"(?:{re.escape(p)}|{other})" if other else re.escape(p) for p, other in written)
    group = re.fullmatch(rf"(none|all) {OF_THESE}", text.strip(" .!"), re.IGNORECASE)
    if group:
        body = f"{group[1]} {OF_THESE}"
    head = (
        r"(?:^|(?<=[.!?:\n])\s*|(?<=answer is) )\W?"
        if text.casefold() in ("yes", "no", "true", "false")
        else r"(?<![\w.])"
    )
    return re.finditer(rf"{head}{body}(?!\w|\.\d)", said, re.IGNORECASE)


def _judge(said: str, named: Sequence[_Said]) -> None:
    """Set the tone of every mention from the cues in its stretch (a sentence, cut at "but", "so", "because" …)."""
    cues = [c for c in CUE.finditer(said) if not any(m.start <= c.start() < m.end for m in named)]
    bounds = [0, *(c.start() for c in cues if c["turn"]), len(said)]
    for start, end in pairwise(bounds):
        inside = [m for m in named if start <= m.start < end]
        for cue in (c for c in cues if start <= c.start() < end and not c["turn"]):
            before = [m for m in inside if m.end <= cue.start()]
            after = [m for m in inside if m.start >= cue.end()]
            if cue["open"] or cue["hedge"]:
                for mention in after:
                    mention.tone = "open" if cue["open"] else "hedged"
                continue
            adjacent = before and not re.search(r"[,:]|\w+\W+\w+\W+\w+", said[before[-1].end : cue.start()])
            backward = adjacent if cue["aux"] else before if cue["back"] else not after
            for mention in before if backward else after:
                mention.tone = "denied"


def _stated(said: str, found: re.Match[str], named: Sequence[_Said]) -> set[str]:
    """The choices a statement such as "the answer is" names right after it, joined ones included."""
    labels: set[str] = set()
    at = found.end()
    for mention in named:
        if mention.start < found.start() or (labels and mention.start < at):
            continue
        joined = BESIDE.fullmatch(said[at : mention.start]) if labels else mention.start <= at + 1
        if not joined or mention.tone in ("denied", "open"):
            break
        labels.add(mention.label)
        at = mention.end
    return labels


def _plain(text: str) -> str:
    """For comparing whole texts: words only, lower case, numbers as digits, without a leading article."""
    bare = re.sub(r"^\W*(?:an?|the)\s+(?=\w)", "", text.casefold())
    return " ".join(DIGITS.get(w, w) for w in re.findall(r"\w+|[^\w\s.,;:!?'\"()\[\]]", bare))
