"""How well a text covers words: exact, nearly the same (misread, misspelt), or close in meaning. Knows no question.

`affinity` of two words is in [0, 1]; `cover` of wanted words by a text is in [−1, 1], negative when the text denies them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from math import log

from vesta_ui.encoders.text import similarity
from vesta_ui.roles.embedded.words import COLOURS, ORDINALS, Token, content, tokens

MEANING_FLOOR = 0.57
"""Cosine of two word vectors below which they are taken as unrelated (synonyms lie above, but so do kinds of one thing)."""
OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in """open/clos open/shut left/right up/down cheap/expensiv cheap/dear high/low big/small larg/small long/short old/new old/young
    first/last begin/end start/end start/finish start/stop morn/even morn/afternoon morn/night afternoon/even day/night north/south east/west
    hot/cold warm/cold black/white arriv/depart arriv/leav come/go buy/sell win/loss win/lose full/empti fast/slow light/dark
    light/heavi insid/outsid before/after more/less man/woman boy/girl true/fals yes/no increas/decreas rise/fall near/far
    sunni/raini good/bad early/late wet/dry north/west south/east north/east south/west sugar/salt summer/winter spring/autumn""".split()
)
_DAYS = "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december"
_EXCLUSIVE = (frozenset(COLOURS), frozenset(ORDINALS), frozenset(_DAYS.split()) | {"thursdai"})
_LOOKALIKES = str.maketrans("0135", "oles")


@lru_cache(maxsize=50_000)
def affinity(a: str, b: str, word_a: str = "", word_b: str = "") -> float:
    """Of two stems, in [0, 1]; the words as written serve comparison in meaning. Different numbers never match."""
    if a == b:
        return 1.0
    if not (a and b) or a[0].isdigit() != b[0].isdigit() or (a[0].isdigit() and b[0].isdigit()):
        return 0.6 if _same_hour(a, b) else 0.0
    if frozenset((a, b)) in OPPOSITES or any(a in group and b in group for group in _EXCLUSIVE):
        return 0.0
    short, long = sorted((a, b), key=len)
    if len(short) >= 5 and (
        (short in long and len(long) - len(short) <= 3) or SequenceMatcher(None, short, long).ratio() >= 0.82
    ):
        return 0.85
    if (
        len(short) >= 5
        and SequenceMatcher(None, short.translate(_LOOKALIKES), long.translate(_LOOKALIKES)).ratio() >= 0.82
    ):
        return 0.8
    close = _cosine(word_a.lower() or a, word_b.lower() or b)
    return min(0.7, 0.3 + (close - MEANING_FLOOR)) if close > MEANING_FLOOR else 0.0


def _same_hour(a: str, b: str) -> bool:
    """ "16:30" and "4:30", "16" and "4"."""
    (first, _, minutes), (second, _, others) = a.partition(":"), b.partition(":")
    if minutes != others or not (first.isdigit() and second.isdigit()):
        return False
    early, late = sorted((int(first), int(second)))
    return late - early == 12 and 13 <= late <= 24


@lru_cache(maxsize=50_000)
def _cosine(a: str, b: str) -> float:
    if min(len(a), len(b)) < 3:
        return 0.0
    return similarity(a, b)


def meaning(a: str, b: str) -> float:
    """Closeness of two sentences in meaning, in [0, 1]."""
    return max(0.0, similarity(a, b))


Weights = Callable[[str], float]


def plain(_: str) -> float:
    """Every word counts the same: for a single text, where rarity cannot be known."""
    return 1.0


def rarity(texts: Iterable[str]) -> Weights:
    """Word weights from what was observed: a word found everywhere separates nothing."""
    seen: dict[str, int] = {}
    count = 0
    for text in texts:
        count += 1
        for one in {t.stem for t in content(text)}:
            seen[one] = seen.get(one, 0) + 1
    return lambda stem: 0.25 + log((1 + count) / (1 + seen.get(stem, 0))) if count > 3 else 1.0


def cover(wanted: Sequence[Token], sources: Sequence[tuple[str, float]], weights: Weights = plain) -> float:
    """Weighted share of `wanted` words found in the texts, each text with how much it counts (1 own, less for neighbours).

    A word that a text denies counts against, and so does a plain word found where a denied one was wanted.
    """
    shares = [weights(word.stem) for word in wanted]
    total = sum(shares)
    return sum(w * v for w, v in zip(shares, matches(wanted, sources), strict=True)) / total if total > 0 else 0.0


def matches(wanted: Sequence[Token], sources: Sequence[tuple[str, float]]) -> list[float]:
    """For each word in [−1, 1]: how well it is found; negative where it is denied or its opposite stands."""
    lines = [(tokens(text), squeezed(text), share) for text, share in sources]
    found = [_best(word, lines) for word in wanted]
    for n, pair in enumerate(pairwise(wanted)):
        fused = squeezed(pair[0].text + pair[1].text)
        for _, joined, share in lines:
            if len(fused) >= 7 and fused in joined:
                found[n], found[n + 1] = (
                    v if abs(v) > 0.85 * share else 0.85 * share for v in (found[n], found[n + 1])
                )
    return found


def _best(word: Token, lines: Sequence[tuple[list[Token], str, float]]) -> float:
    best = 0.0
    for line, joined, share in lines:
        for other in line:
            value = affinity(word.stem, other.stem, word.text, other.text) * share
            if abs(best) < 0.5 and frozenset((word.stem, other.stem)) in OPPOSITES:
                best = 0.8 * share if other.negated != word.negated else -0.8 * share
                continue
            if value > abs(best):
                best = -value if other.negated != word.negated else value
        if abs(best) < 0.85 * share and (
            (len(word.stem) >= 5 and word.stem in joined) or _run_together(word.stem, line)
        ):
            best = 0.85 * share
    return best


def in_line(wanted: Sequence[Token], text: str) -> bool:
    """Whether all numbers of `wanted` stand in the text in the same order ("2-1" is not "1-2", nor "2-2")."""
    line = iter(t.stem for t in tokens(text))
    return all(any(affinity(t.stem, other) > 0 for other in line) for t in wanted if t.number is not None)


def _run_together(stem: str, line: Sequence[Token]) -> bool:
    """Whether lettering read without its spaces begins or ends with the word ("ROSA'SCHEESE")."""
    return len(stem) == 4 and any(
        len(t.text) >= 8 and t.text.isupper() and (t.stem.startswith(stem) or t.stem.endswith(stem)) for t in line
    )


@lru_cache(maxsize=4_000)
def squeezed(text: str) -> str:
    """Letters and figures without spaces: signs are often read without them."""
    return re.sub(r"[\W_]+", "", text.lower())


def clauses(text: str) -> list[str]:
    """Parts of a sentence or of a sign that say one thing each."""
    parts = re.split(
        r"[;:,.!?/|“”]\s+|\s[–—-]\s|\s/\s|(?<!hundred )(?<!thousand )\b(?:and|but|while|whereas|then)\b", text
    )
    return [p.strip() for p in parts if p and content(p)] or [text]
