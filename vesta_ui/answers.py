"""Reading answers: a model's words → the label of exactly one choice, or None.

Nothing is guessed: a text that names no choice, two choices, or only what it rules out gives None, and the caller asks
once more. This module knows no model, no video and no screen.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vesta_ui.domain import Question
from vesta_ui.phrases import (
    ADDED,
    ASKED_AS,
    BEHIND,
    BELIEVED,
    BESIDE,
    CLAUSE,
    CONCLUDES,
    CONCLUDING,
    COUNTED,
    CUE,
    DIGITS,
    ELSEWHERE,
    ENDING,
    EXPLAINS,
    FIELD,
    GOES_ON,
    IRREGULAR,
    LEADS_OUT,
    LETTER,
    MARKUP,
    NTH,
    NUMBERED,
    OF_THESE,
    OPENS_WITH,
    ORDINALS,
    PLAIN_MARKS,
    PLAIN_TIMES,
    PLAIN_WORDS,
    REPLIES,
    RETRACTS,
    SCORE,
    SEEMING,
    SMALL,
    STATEMENT,
    SUBJECT,
    SUPPOSED,
    THOUGHT,
    TIED,
    UNSURE,
    VERB,
    YES_AND_NO,
)
from vesta_ui.question import LABELS, folded

ANSWER_CHARS = 4_000
"""An answer longer than this is read from its end, where it settles."""


@dataclass(slots=True)
class _Said:
    """A choice named at `start`–`end`. `tone`: firm, hedged, open (whether …), denied, or told (more is said of it)."""

    label: str
    start: int
    end: int
    tone: str = "firm"


def parse_answer(text: str, question: Question) -> str | None:
    """The label of the one choice the text settles on, or None: no choice, several, only ruled-out ones, or doubt.

    Tried in order: the whole text is a label or a choice's text; its first or last line is, with nothing against it;
    what follows the last "wait", "no" or "that is wrong", alone; the last sentence that states an answer; the clause that
    ends it with "so"; the only choice named and not ruled out, if its clause says no more than that this is it.
    """
    if not question.choices:
        return None
    said = THOUGHT.sub(" ", folded(text))[-ANSWER_CHARS:]
    fields = FIELD.findall(said)
    said = MARKUP.sub("", (fields[-1] if fields else said).replace("’", "'")).strip()
    said = re.sub(r"\n\s+", "\n", said)
    said = _spelt(said)
    if whole := _whole(said, question):
        return whole.pop() if len(whole) == 1 else None
    if {_plain(c.text) for c in question.choices} & {"yes", "no", "true", "false"} and YES_AND_NO.search(said):
        return None
    named = _mentions(said, question)
    lone = _lone(said, question, named)
    if lone:
        return lone
    for back in reversed(list(RETRACTS.finditer(said))):
        inside = any(m.start < back.end() <= m.end for m in named)
        if not inside and any(m.end < back.end() for m in named):
            return parse_answer(said[back.end() :].lstrip(" ,:;.!—–-"), question)
    _judge(said, named)
    stated = [labels for found in STATEMENT.finditer(said) if (labels := _stated(said, found, named))]
    if TIED.search(said) and len({m.label for m in named}) > 1:
        return None
    if stated:
        settled = stated[-1:] if CONCLUDES.search(said) else stated
        labels = set().union(*settled)
        return labels.pop() if len(labels) == 1 else None
    if (head := _headed(said, question, named)) and not UNSURE.search(said):
        return head
    ending = ENDING.search(said)
    supposed = ending and any(m.tone == "open" for m in named if m.start >= ending.start("answer"))
    if ending and not supposed and len(closing := _whole(ending["answer"], question)) == 1:
        return closing.pop()
    if UNSURE.search(said):
        return None
    _weigh(said, named, question)
    denied = {m.label for m in named if m.tone == "denied"}
    for tone in ("firm", "hedged"):
        left = {m.label for m in named if m.tone == tone} - denied
        if left:
            told = {m.label for m in named if m.tone == "told"} - denied
            return left.pop() if len(left | told) == 1 else None
    return None


def _weigh(said: str, named: Sequence[_Said], question: Question) -> None:
    """Set to "told" every mention whose clause holds a word that needs interpreting: "the tram leaves first".

    Harmless are the words of the question, of the choice itself, and those that only say "this is it".
    """
    asked, subject = _stems(question.text), SUBJECT.search(question.text)
    numeric = any(re.search(r"\d", _plain(c.text)) for c in question.choices)
    marks = PLAIN_TIMES if numeric else PLAIN_MARKS
    blank = list(said)
    judged = [c.span() for c in CUE.finditer(said) if not c["turn"]]
    beside = [f.span() for f in marks.finditer(said)] + _elsewhere(said, question)
    for start, end in judged + beside + [(m.start, m.end) for m in named]:
        blank[start:end] = " " * (end - start)
    words = SEEMING.sub(lambda seen: " " * len(seen.group()), "".join(blank))
    bounds = list(CLAUSE.finditer(words))
    opens = [0, *(b.end() for b in bounds if not b["late"])]
    closes = [*(b.start() for b in bounds if not ADDED.match(said, b.start())), len(said)]
    for mention in named:
        if mention.tone not in ("firm", "hedged"):
            continue
        opening = opens[bisect_right(opens, mention.start) - 1]
        clause = words[opening : closes[bisect_left(closes, mention.end)]]
        own = asked | _stems(next(c.text for c in question.choices if c.label == mention.label))
        bases = {_BASE.get(word, word) for word in own}
        foreign = {w for w in _stems(clause) - own - _PLAIN_STEMS if _BASE.get(w, w) not in bases}
        about = OPENS_WITH.match(words[opening : mention.start])
        other = subject and about and _stem(about[1]) in _stems(question.text[subject.end() :]) - _stems(subject[1])
        score = SCORE.match(said, mention.end)
        scored = score and not any(mention.end <= m.start < score.end() for m in named)
        if other or scored or foreign or re.search(r"[+*<>~]", clause):
            mention.tone = "told"


def _elsewhere(said: str, question: Question) -> list[tuple[int, int]]:
    """Where amounts stand that the question does not ask for: "8 frames" beside "How many candles …"."""
    asked = question.text.casefold()
    for word, units in ASKED_AS:
        asked = re.sub(rf"\b{word}\b", units, asked)
    return [f.span() for f in ELSEWHERE.finditer(said) if not _stems(f["unit"]) & _stems(asked)]


def _stem(word: str) -> str:
    """A word without the endings that only bend it: carry, carries, carried; drop, dropping."""
    bare = re.sub(r"(?<=\w{3})(?:ing|ed|es|s|e|'s)$", "", word.casefold())
    return re.sub(r"y$", "i", re.sub(r"([^\W\daeiou_])\1$", r"\1", bare)) if len(bare) > 2 else bare


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[^\W\d_]+(?:-\w+)*|\d+", text)}


_PLAIN_STEMS = _stems(" ".join(PLAIN_WORDS)) | {"s", "t", "ll", "d", "m", "re", "ve"}
_BASE = {_stem(form): _stem(verb.split()[0]) for verb in IRREGULAR.split("|") for form in verb.split()}


def _spelt(text: str) -> str:
    """With "he's", "they're" and "nope" written out, so that a choice's text is found either way."""
    text = re.sub(r"\bnope\b", "no", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(he|she|it|that|there|what|who)'s\b", r"\1 is", text, flags=re.IGNORECASE)
    return re.sub(r"\b(they|we|you)'re\b", r"\1 are", text, flags=re.IGNORECASE)


def _lone(said: str, question: Question, named: Sequence[_Said]) -> str | None:
    """The choice that the first or the last line is, unless the other lines name another, take it back or doubt it."""
    first, _, rest = said.partition("\n")
    before, _, last = said.rpartition("\n")
    opening, closing = _whole(first, question), _whole(CONCLUDING.sub("", last), question)
    if len(closing) == 1 and opening <= closing and not LEADS_OUT.search(before.rstrip()):
        return closing.pop()
    if len(opening) != 1 or closing or RETRACTS.search("\n" + rest) or UNSURE.search(rest):
        return None
    others = {m.label for m in named if m.start > len(first)} - opening
    explained = EXPLAINS.match(rest) and not STATEMENT.search(rest)
    return None if others and not explained else opening.pop()


def _headed(said: str, question: Question, named: Sequence[_Said]) -> str | None:
    """C for "C. The tram leaves at 4:12, after the van": one sentence that opens with a label and that choice's text."""
    head = re.match(r"\W*(?:(?:option|choice|answer)\W+)?([A-J])\s*[).:\]–-]+\s*", said)
    choice = question.choice(head[1]) if head else None
    if head is None or choice is None:
        return None
    article = re.compile(r"(?:(?:an?|the)\s+)?", re.IGNORECASE)
    own = next((p for p in _places(said, choice.text) if article.fullmatch(said, head.end(), p.start())), None)
    rest = said[own.end() :] if own else ""
    others = [m for m in named if own and m.start >= own.end() and m.label != choice.label]
    several = re.search(r"[.!?]\s|\n", rest.rstrip()) or any(m.end - m.start == 1 for m in others)
    return choice.label if own and not several and not ADDED.match(rest) else None


def _whole(said: str, question: Question) -> set[str]:
    """`C`, `(c)`, `C.`, `Option C`, `C. its text`, or a choice's text alone; both choices for `C. another's text`."""
    if said.endswith("?") and not any(c.text.endswith("?") for c in question.choices):
        return set()
    same = [c.label for c in question.choices if _plain(c.text) == _plain(said)]
    same = same or [c.label for c in question.choices if _core(c.text) == _plain(said)]
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
    elsewhere = _elsewhere(said, question)

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
        counted = _plain(choice.text).isdigit()
        for found in _places(said, choice.text):
            if not (counted and any(start <= found.start() < end for start, end in elsewhere)):
                add(choice.label, *found.span())
    if not named:
        for label, start, end in _bent(said, question):
            add(label, start, end)
    for pattern in (SMALL, LETTER):
        for found in pattern.finditer(said):
            label, after = found["label"], said[found.end("label") :]
            word = label in "AI" and not found.groupdict().get("sure") and re.match(r"\s+(?!\d+\s?%)\w", after)
            if question.choice(label.upper()) and (not word or VERB.match(after)):
                add(label.upper(), *found.span("label"))
    return sorted(named, key=lambda m: m.start)


def _bent(said: str, question: Question) -> Iterator[tuple[str, int, int]]:
    """Where a choice of several words stands in another tense ("the bell has rung" for "the bell rings") or, if it is a
    list, with "then" between its parts: label, start and end. Not where two choices would be the same so."""
    key = re.compile(
        r"(?!(?:an?|the|then|and|has|have|had|(?:is|are|was|were)(?= \w+ing\b))\b)\b[\w'-]+", re.IGNORECASE
    )
    bases = {c.label: [_BASE.get(w, w) for w in map(_stem, key.findall(_spelt(c.text)))] for c in question.choices}
    words = list(key.finditer(said))
    stems = [_BASE.get(w, w) for w in (_stem(word.group()) for word in words)]
    for choice in question.choices:
        wanted, several = bases[choice.label], choice.text.count(",") > 1
        adjective = re.match(
            r"\W*(?:an?\s+|the\s+)?\w+ed\b", choice.text, re.IGNORECASE
        )  # "chopped onions" are no deed
        if adjective or len(wanted) < 2 or list(bases.values()).count(wanted) > 1:
            continue
        for n in (n for n in range(len(words)) if stems[n : n + len(wanted)] == wanted):
            start, end = words[n].start(), words[n + len(wanted) - 1].end()
            apart = re.search(r"[^\w\s,'-]" if several else r"[^\w\s'-]", said[start:end])
            longer = several and (GOES_ON.match(said, end) or re.search(r"(?:,|\bthen)\s*$", said[:start]))
            if not apart and not longer:
                yield choice.label, start, end


def _places(said: str, text: str) -> Iterator[re.Match[str]]:
    """Where a choice's text stands, whatever its case, article, spacing or the way its numbers are written."""
    parts = re.findall(r"\w+|[^\w\s]", _spelt(MARKUP.sub("", text).replace("’", "'")).rstrip(" .!?"))
    parts = parts[1:] if len(parts) > 1 and parts[0].casefold() in ("a", "an", "the") else parts
    if not parts:
        return iter(())
    words = {digits: word for word, digits in DIGITS.items()}
    written = [(p, DIGITS.get(p.casefold()) or words.get(p)) for p in parts]
    body = r"\s*".join(f"(?:{re.escape(p)}|{other})" if other else re.escape(p) for p, other in written)
    group = re.fullmatch(rf"(none|all) {OF_THESE}", text.strip(" .!"), re.IGNORECASE)
    if group:
        body = f"{group[1]} {OF_THESE}"
    before, after = r"(?<![\w.])(?<!\d:)", r"(?!\w|[.:]\d)"
    if text.casefold() in ("yes", "no", "true", "false"):
        before = r"(?:^|(?<=[.!?:\n])\s*|(?:(?<=answer is)|(?<=statement is)|(?<=claim is)) )\W?"
        after = REPLIES if text.casefold() == "no" else after
    elif _plain(text).isdigit():
        before, after = rf"{COUNTED}{before}", rf"{after}(?!\s?%)"
    return re.finditer(rf"{before}{body}{after}", said, re.IGNORECASE)


def _judge(said: str, named: Sequence[_Said]) -> None:
    """Set the tone of every mention from the cues in its stretch (a sentence, cut at "but", "so", "because" …)."""
    cues = [c for c in CUE.finditer(said) if not any(m.start <= c.start() < m.end for m in named)]
    bounds = [0, *(c.start() for c in cues if c["turn"]), len(said)]
    for start, end in pairwise(bounds):
        inside = [m for m in named if start <= m.start < end]
        for cue in (c for c in cues if start <= c.start() < end and not c["turn"]):
            before = [m for m in inside if m.end <= cue.start()]
            after = [m for m in inside if m.start >= cue.end()]
            if cue["weak"]:
                for mention in before:
                    mention.tone = "hedged" if mention.tone == "firm" else mention.tone
                continue
            if cue["open"] or cue["hedge"]:
                for mention in after:
                    mention.tone = "open" if cue["open"] else "hedged"
                continue
            adjacent = before and not re.search(r"[,:]|\w+\W+\w+\W+\w+", said[before[-1].end : cue.start()])
            backward = adjacent if cue["aux"] else before if cue["back"] else not after and not cue["only"]
            for mention in before if backward else after:
                mention.tone = "denied"
    for supposed in (*SUPPOSED.finditer(said), *BELIEVED.finditer(said)):
        for mention in named:
            if supposed.start() <= mention.start < supposed.end():
                mention.tone = "open"


def _stated(said: str, found: re.Match[str], named: Sequence[_Said]) -> set[str]:
    """The choices a statement such as "the answer is" names right after it, joined ones included."""
    labels: set[str] = set()
    at = found.end()
    for mention in named:
        if mention.start < found.start() or (labels and mention.start < at):
            continue
        between = said[at : mention.start]
        joined = BESIDE.fullmatch(between) or BEHIND.fullmatch(between) if labels else mention.start <= at + 1
        if not joined or mention.tone in ("denied", "open"):
            break
        labels.add(mention.label)
        at = mention.end
    return labels


def _plain(text: str) -> str:
    """For comparing whole texts: words only, lower case, numbers as digits, without a leading article."""
    spelt = _spelt(MARKUP.sub("", text).casefold().replace("’", "'").replace(" percent", "%"))
    bare = re.sub(r"^\W*(?:an?|the)\s+(?=\w)", "", spelt)
    return " ".join(DIGITS.get(w, w) for w in re.findall(r"\w+|[^\w\s.,;:!?'\"()\[\]]", bare))


def _core(text: str) -> str:
    """`_plain` without the word that only ties a text into the question: "at noon", "because the train was late"."""
    return _plain(re.sub(r"^\W*(?:at|in|on|by|from|because|to)\s+(?=\w)", "", text, flags=re.IGNORECASE))
