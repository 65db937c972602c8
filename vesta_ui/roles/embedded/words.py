"""Words: tokens with light stems, numbers in figures or words, and what is negated. Knows English, no question, no video."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey", "turquoise")
_COLOUR_ALIASES = {
    "gray": "grey", "violet": "purple", "magenta": "pink", "cyan": "turquoise", "teal": "turquoise", "scarlet": "red",
    "crimson": "red", "golden": "yellow", "navy": "blue", "maroon": "red", "beige": "brown",
}  # fmt: skip

STOP = frozenset(
    """a an the this that these those of to in on at by for from with into onto over under about as and or but if then
    than so such very just also too there here it its he she they them his her their we our us you your i me my mine is are was were be
    been being am do does did done doing have has had having will would shall should can could may might must which
    who whom whose what when where why how s t re ve ll d m up out off down again all any both each some own same
    while during before after until since because through between whether anybody anyone anything somebody someone
    something""".split()
)
NEGATORS = frozenset(
    "not no never without neither nor none nobody nothing nowhere cannot hardly instead rather except isn't aren't wasn't weren't "
    "don't doesn't didn't won't wouldn't can't couldn't shouldn't hasn't haven't hadn't isnt dont doesnt didnt wont cant".split()
)
_UNITS = {w: i for i, w in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split())}  # fmt: skip
_TENS = {w: 10 * (i + 2) for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_TIMES = {"once": 1, "twice": 2, "thrice": 3, "dozen": 12, "pair": 2}
ORDINALS = {w: i + 1 for i, w in enumerate(
    "first second third fourth fifth sixth seventh eighth ninth tenth".split())} | {"last": -1, "final": -1}  # fmt: skip
_IRREGULAR = {
    "rainy": "rain", "sunny": "sun", "foggy": "fog", "snowy": "snow", "windy": "wind", "cloudy": "cloud", "stormy": "storm", "icy": "ice",
    "children": "child", "men": "man", "women": "woman", "people": "person", "feet": "foot", "mice": "mouse", "geese": "goose",
    "teeth": "tooth", "leaves": "leaf", "loaves": "loaf", "knives": "knife", "shelves": "shelf", "went": "go", "goes": "go",
    "gone": "go", "said": "say", "says": "say", "bought": "buy", "sold": "sell", "saw": "see", "seen": "see", "came": "come",
    "left": "leave", "leaving": "leave", "leave": "leave", "told": "tell", "made": "make", "built": "build", "began": "begin", "begun": "begin", "took": "take",
    "taken": "take", "gave": "give", "given": "give", "found": "find", "kept": "keep", "held": "hold", "ran": "run", "won": "win",
    "lost": "lose", "grew": "grow", "grown": "grow", "drew": "draw", "drawn": "draw", "wrote": "write", "written": "write",
    "ate": "eat", "eaten": "eat", "rode": "ride", "sang": "sing", "stood": "stand", "brought": "bring", "thought": "think",
    "caught": "catch", "taught": "teach", "broke": "break", "broken": "break", "fell": "fall", "fallen": "fall", "flew": "fly",
    "better": "good", "best": "good", "worse": "bad", "worst": "bad", "cheapest": "cheap", "cheaper": "cheap",
}  # fmt: skip
_DEGREES = frozenset(
    """big small tall short long high low old young new cheap dear fast slow heavy light deep wide narrow hot cold warm cool rich poor busy quiet
    loud near close early late great strong weak hard soft bright dark thick thin clean dirty easi rar sweet wet dri larg fin pric ripe tini
    safe stee flat pretti happi nic""".split()
)
_BELIEVED = frozenset(
    "think thinks thought believe believes believed assume assumes assumed supposedly allegedly wrongly mistaken myth rumour legend".split()
)
_PLANNED = re.compile(
    r"\b(?:(?:was|were) (?:meant|supposed|expected|planned|due|going) to|(?:should|would|could) have)\b", re.IGNORECASE
)
"""What was to be, and was not."""
_SET_RIGHT = re.compile(
    r"\b(?:in fact|actually|but|however|really|in truth|in reality|wrong|mistaken|myth)\b", re.IGNORECASE
)
_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[.,;:!?()…/]|-(?=\s)|[–—]")
_CLOCK = re.compile(r"\b(half|quarter|(?:ten|twenty|five) minutes?|ten|twenty|five) (past|to) (\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """`stem` is what is compared, `text` the word as written, `negated` whether a negation reaches it."""

    stem: str
    text: str
    negated: bool = False

    @property
    def number(self) -> float | None:
        return _figure(self.stem)


@dataclass(frozen=True, slots=True)
class Reading:
    """A number met in text, with the words next to it that say what it counts or measures."""

    value: float
    of: str
    text: str
    negated: bool = False


def _figure(text: str) -> float | None:
    if not text[:1].isdigit():
        return None
    hours, colon, minutes = text.partition(":")
    try:
        return int(hours) + int(minutes) / 60 if colon else float(text)
    except ValueError:
        return None


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A light stem: plural, -ing, -ed, -ly and a final e go; irregular forms by table; colour names by alias."""
    word = word.lower().replace("’", "'")
    word = word.removesuffix("'s").replace("'", "")
    if word in _COLOUR_ALIASES or word in COLOURS:
        return _COLOUR_ALIASES.get(word, word)
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("est", "er"):
        base = word.removesuffix(suffix)
        if base != word and (bare := next((b for b in (base, base[:-1]) if b in _DEGREES), "")):
            return bare
    for suffix in ("ing", "ed"):
        base = word.removesuffix(suffix)
        if base != word and len(base) >= 3 and re.search(r"[aeiouy]", base):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    if len(word) > 5 and word.endswith("ly"):
        word = word[:-2]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def tokens(text: str) -> list[Token]:
    """Words and numbers in order, number words as figures ("twenty-one" → "21"), with the reach of negations."""
    return list(_tokens(text))


@lru_cache(maxsize=20_000)
def _tokens(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    negated = False
    corrected = bool(_SET_RIGHT.search(text))
    pieces = _numbers(_WORD.findall(_clock_words(text).replace("-", " ")))
    for at, (piece, value) in enumerate(pieces):
        if not (piece[0].isalnum()):
            negated = False
            continue
        low = piece.lower().replace("’", "'")
        if value is not None:
            found.append(Token(value, piece, negated))
        elif low == "except":  # turns what was said of all the others
            negated = not negated
        elif low in NEGATORS:
            negated = low not in {"rather", "instead"} or (
                at + 1 < len(pieces) and pieces[at + 1][0].lower() in {"of", "than"}
            )
            found.append(Token(low.replace("'", ""), piece, False))
        elif low in _BELIEVED and corrected:
            negated = True
        elif low in {"but", "however", "yet"}:
            negated = False
        else:
            found.append(Token(stem(low), piece, negated))
    return tuple(found)


def content(text: str) -> list[Token]:
    """Tokens that carry meaning: no stop words, no negators."""
    return [t for t in tokens(text) if t.text.lower() not in STOP and t.text.lower().replace("’", "'") not in NEGATORS]


def stems(text: str) -> set[str]:
    return {t.stem for t in content(text)}


def _clock_words(text: str) -> str:
    """ "half past nine" → "9:30", "nine o'clock" → "nine", "£4.50" → "4.50", "4,200" → "4200"."""

    def clock(match: re.Match[str]) -> str:
        part, way, hour = match[1].lower().split()[0], match[2].lower(), match[3].lower()
        at = _UNITS.get(hour, int(hour) if hour.isdigit() else None)
        if at is None:
            return match[0]
        minutes = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}[part]
        return f"{at}:{minutes:02d}" if way == "past" else f"{(at - 2) % 12 + 1}:{60 - minutes:02d}"

    text = _CLOCK.sub(clock, text)
    text = _PLANNED.sub("not", text)
    text = re.sub(r"\bno one\b", "nobody", text, flags=re.IGNORECASE)
    text = re.sub(r"\bnot (?=only\b)", "", text, flags=re.IGNORECASE)
    text = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", text)
    text = re.sub(r"\s+o['’]?\s?clock\b", "", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"\b(\d{1,2})(?::00|\.00)\b", r"\1", text)
    text = re.sub(r"\b(\d{1,2})\.(\d\d)(?=\s*(?:a|p)\.?m\b)", r"\1:\2", text, flags=re.IGNORECASE)
    return re.sub(r"(\d+) (?:pounds?|euros?|dollars?) (\d\d)\b", r"\1.\2", text, flags=re.IGNORECASE)


def _numbers(pieces: list[str]) -> list[tuple[str, str | None]]:
    """Joins number words: ("forty", "two") → ("forty two", "42"). The second part is None for other words."""
    done: list[tuple[str, str | None]] = []
    total, current = 0, 0
    words: list[str] = []

    def close() -> None:
        nonlocal total, current, words
        if words:
            done.append((" ".join(words), f"{total + current:g}"))
        total, current, words = 0, 0, []

    for at, piece in enumerate(pieces):
        low = piece.lower()
        if low in _UNITS or low in _TENS:
            value = _UNITS.get(low, _TENS.get(low, 0))
            if words and total == 0 and 10 <= current <= 20 and value >= 10:
                current = 100 * current + value  # a year: "nineteen forty-four"
            elif words and (current % 100 == 0 or (current % 10 == 0 and 0 < value < 10 and current % 100 >= 20)):
                current += value
            else:
                close()
                current = value
            words.append(piece)
        elif low in _SCALES and (words or (done and done[-1][0].lower() in {"a", "an"})):
            if not words:
                done.pop()
                current = 1
            current *= _SCALES[low]
            if low != "hundred":
                total, current = total + current, 0
            words.append(piece)
        elif (
            low == "and"
            and words
            and words[-1].lower() in _SCALES
            and at + 1 < len(pieces)
            and pieces[at + 1].lower() in _UNITS | _TENS
        ):
            words.append(piece)
        else:
            close()
            figure = _figure(low.replace(",", "."))
            if low in _TIMES:
                done.append((piece, str(_TIMES[low])))
            elif figure is not None:
                done.append((piece, low.replace(",", ".") if ":" in low else f"{figure:g}"))
            else:
                done.append((piece, None))
    close()
    return done


def readings(text: str) -> list[Reading]:
    """Numbers in a text with what they count: the words after it ("12 boats"), else those before ("platform 3")."""
    line = _tokens(text)
    found: list[Reading] = []
    for at, token in enumerate(line):
        value = token.number
        if value is None:
            continue
        after: list[str] = []
        for other in line[at + 1 : at + 5]:
            if other.number is not None or (other.text.lower() in STOP and (after or other.text.lower() != "of")):
                break
            if other.text.lower() not in STOP:
                after.append(other.text)
        before = [t.text for t in line[max(0, at - 4) : at] if t.text.lower() not in STOP and t.number is None]
        found.append(Reading(value, " ".join(after or before[-3:]), token.text, token.negated))
    return found


def colours(text: str) -> list[str]:
    """Colour names in a text, in order, each once."""
    return list(dict.fromkeys(t.stem for t in tokens(text) if t.stem in COLOURS and not t.negated))


def brief(text: str, most: int) -> str:
    """At most `most` words, without a full stop at the end."""
    words = text.split()
    return " ".join(words[:most]).rstrip(".,;: ") + ("…" if len(words) > most else "")
