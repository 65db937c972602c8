"""What a question asks for: a count, a quantity, an order, an extreme, a colour, a name on a sign, yes or no …

Read from the words of the question and its choices alone, by general rules of English; never sees a video.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from vesta_ui.domain import Modality, Question
from vesta_ui.roles.embedded.words import COLOURS, NEGATORS, ORDINALS, content, readings, stem, stems, tokens


class Kind(StrEnum):
    COUNT = "how often something happens"
    QUANTITY = "how many or how much"
    ORDER = "an order"
    PICK = "which one comes at a place in time"
    EXTREME = "which has the most or least"
    COLOUR = "a colour"
    TEXT = "what is written"
    YES_NO = "whether it is so"
    MOTION = "how something moves"
    WHAT = "which choice fits"


@dataclass(frozen=True, slots=True)
class Asked:
    """`subject`: words that evidence should contain; `anchor`: the clause that says when ("while she speaks of bread").

    `relation` ties the answer to the anchor: "while", "before", "after" or "". `place`: 1 first, 2 second, −1 last, 0 none.
    `extreme`: 1 most, −1 least, 0. `negated`: the odd one out is wanted; `denied`: the question asks what is not so ("what did she never eat"). `modality`: where the answer is to be found, or
    None. `anchor_modality`: the same for the anchor. `items`: what an ordering puts in order.
    """

    kind: Kind
    subject: str
    anchor: str = ""
    relation: str = ""
    place: int = 0
    extreme: int = 0
    negated: bool = False
    modality: Modality | None = None
    anchor_modality: Modality | None = None
    items: tuple[str, ...] = ()
    denied: bool = False


_MOST = r"most|dearer|pricier|priciest|costliest|highest|largest|biggest|longest|greatest|tallest|maximum|oldest|fastest|heaviest|busiest|latest|deepest|dearest|more|higher|longer|larger|bigger|taller|later|older|hottest|widest|richest|expensive"
_LEAST = r"least|lowest|smallest|shortest|fewest|cheapest|minimum|youngest|slowest|lightest|earliest|fewer|lower|shorter|smaller|cheaper|earlier|coldest|nearest|closest|newest"
_TIMES = re.compile(
    r"\bhow (?:many (?:(?:different|separate|distinct|individual|other|total) )?(?:times|occasions|occurrences|appearances|visits|instances|moments)|often|frequently)\b"
    r"|\bnumber of (?:times|appearances|occurrences|visits)\b|\bon how many\b|\bcount (?:the |how )"
)  # fmt: skip
_SEEN_COUNT = re.compile(
    r"\bhow many (?:(?:different|separate|distinct|individual) )?[\w\s'’-]*?\b(?:appear|appears|shown|seen|visible|cross|crosses|pass|passes|drive|sail|visited?|"
    r"(?:see|read|notice|spot) in the (?:film|video)|in (?:the|this) (?:film|video)|on screen)\b"
)
_ORDER = re.compile(
    r"\b(?:in (?:what|which) (?:order|sequence)|(?:correct|right|chronological|temporal) (?:order|sequence)|order (?:of|in which|do|does|are)|"
    r"sequence (?:of|in which)|arrange|sort|put (?:\w+ ){0,4}in order|from first to last|from earliest to latest)\b"
)
_SAID = re.compile(
    r"\b(?:said|says?|saying|narrat\w*|voice\w*|speak\w*|spoken|spoke|mention\w*|tells?|told|talk\w*|hear|heard|according to the (?:narrator|speaker|guide|presenter|host|commentary|voice|lecturer|teacher|man|woman)|explain\w*|claims?|"
    r"comment\w*|describ\w*|announc\w*|recommend\w*|advis\w*|warn\w*|commentary|promis\w*|admit\w*|remark\w*|call(?:s|ed)?|reports?|states?|stated)\b"
)
_SHOWN = re.compile(
    r"\b(?:shown?|shows|see|seen|visible|visibl\w*|appears?|appear\w*|on[- ]screen|screen|picture|pictured|image|look\w*|signs?|signposts?|captions?|title|posters?|"
    r"boards?|banners?|plates?|labels?|markers?|tags?|menu|display\w*|painted|printed|written|writing|text|read|reads|worn|wearing|cards?|notices?|chalkboard|blackboard|placards?|plaques?|logos?|number plate)\b"
)
_TEXT = re.compile(
    r"\b(?:sign|signpost|marker|tag|caption|title|poster|board|blackboard|chalkboard|banner|plate|label|card|screen|placard|notice|plaque|menu|ticket|page|slide|scoreboard)s?\b"
    r".*\b(?:say|says|said|read|reads|written|state|states|warns?|forbids?|asks?|tells?|advertis\w*|promis\w*|offers?|show|shows|display\w*|announce\w*|name|names|give|gives|print\w*|list\w*)\b"
    r"|\b(?:written|printed|painted|reads?|inscri\w+|spelled|text|words?)\b.*\b(?:on|above|over|in|below|under|at)\b|\bwhat (?:is|are) (?:written|printed)\b"
)
_MOTION = re.compile(
    r"\b(?:direction|which way|move|moves|moving|travel\w* (?:left|right)|pan|pans|panning|zoom\w*|camera)\b"
)
_NEGATED = re.compile(
    r"\bwhich\b[^?]*\b(?:not|never|n['’]t|no)\b|\b(?:not|never|isn['’]t|wasn['’]t|doesn['’]t|aren['’]t)\b[^?]*\b(?:mention\w*|shown?|seen|appear\w*|visit\w*|said|true|part of|among|includ\w*|sold|named|listed|supported|correct)\b"
    r"|\b(?:except|false|untrue|incorrect|missing|left out|odd one out)\b"
)
_ANCHOR = re.compile(
    r"\b(at the (?:moment|time|point|same time)(?: when| that| as)?|(?:right|just|immediately|shortly|directly|straight)?\s?(?:after|before|(?<!the )following)|while|whilst|when|during|"
    r"as (?=the|she|he|they|we|it|a\b)|until|next to where|on screen as)\b\s*(.+?)(?=$|[?,;])",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\b(?:right|just|immediately|shortly|directly|straight|next) ?(?:after|before|following)?\b")
_SEQUENTIAL = re.compile(
    r"\b(?:happen\w*|com\w+|came|show\w*|visit\w*|appear\w*|see|seen|do|does|did|go|goes|went|next|follow\w*|reach\w*|enter\w*|play\w*|introduc\w*|mention\w*|stop\w*|arriv\w*)\b"
)
_YES_NO = re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\s*(?:,\s*(?:and\s+)?(?:then\s+|finally\s+|next\s+)?|;\s*(?:then\s+)?|\s(?:and\s+)?then\s|→|->|–>|=>|>|\s[–—-]\s|\bfollowed by\b|\bbefore\b|/)\s*",
    re.IGNORECASE,
)
_GENERIC = frozenset(map(stem, """video film clip scene footage narrator speaker viewer camera picture image screen shown show shows seen see say says said
    mention mentioned mentions tell tells appear appears appearing following statement true correct answer choice option question time times many
    much often different separate distinct kind type sort name called call word according exactly total
    part happen happens thing visible written write read reads come comes describe described voice give gives given
    moment point correct number count long far whole entire during throughout overall""".split()))  # fmt: skip

_SEQUENCE = frozenset(map(stem, "order sequence first last second third fourth next final".split()))
_HAPPENING = frozenset(
    map(
        stem,
        "visit visited return go come back stop pass get reach arrive cross occur take place feature fly drive sail ride float move run walk".split(),
    )
)


def parts(text: str) -> list[str]:
    """The items of a sequence: "harbour, then café, then tower" → three."""
    return [p.strip(" .") for p in _SEPARATOR.split(text) if p and p.strip(" .")]


@lru_cache(maxsize=256)
def understand(question: Question) -> Asked:
    """Read a question. Words of quoted text stay together in the subject."""
    text = question.text.strip()
    low = text.lower()
    anchor, relation, main = _anchor(text)
    main_low = main.lower()
    kind, place, extreme, items = _kind(question, low, main_low, relation)
    negated = (
        bool(_NEGATED.search(low) or re.search(r"\b(?:NOT|EXCEPT)\b", text))
        and kind is not Kind.YES_NO
        and not _plain_not(low)
    )
    plain = _GENERIC | {Kind.COUNT: _HAPPENING | _SEQUENCE, Kind.ORDER: _SEQUENCE, Kind.PICK: _SEQUENCE}.get(
        kind, frozenset()
    )
    subject = " ".join(t.text for t in content(main) if t.stem not in plain or t.number is not None)
    denied = not negated and kind is not Kind.YES_NO and not low.startswith(("why", "how", "when"))
    denied = denied and any(t.text.lower() in NEGATORS for t in tokens(main))
    return Asked(
        kind, subject, anchor, relation, place, extreme, negated, _modality(kind, main_low, question),
        _modality(Kind.WHAT, anchor.lower(), None) if anchor else None, items, denied,
    )  # fmt: skip


def _plain_not(low: str) -> bool:
    """ "Why does she not buy the fish?" asks about a negative fact, not for the odd one out."""
    return low.startswith(("why", "how", "when", "where", "who", "what"))


def _kind(question: Question, low: str, main: str, relation: str) -> tuple[Kind, int, int, tuple[str, ...]]:
    choices = [c.text for c in question.choices]
    sequences = [parts(c) for c in choices]
    same_items = (
        len(choices) > 1 and len({frozenset(map(str.lower, s)) for s in sequences}) == 1 and len(sequences[0]) > 1
    )
    if same_items or (_ORDER.search(low) and (not choices or all(len(s) > 1 for s in sequences))):
        return (
            Kind.ORDER,
            0,
            0,
            tuple(sequences[0]) if same_items else tuple(dict.fromkeys(i for s in sequences for i in s)),
        )
    if (_TIMES.search(low) or _SEEN_COUNT.search(low)) and _numeric(choices):
        return Kind.COUNT, 0, 0, ()
    if re.search(
        r"\bhow (?:many|much|long|far|old|tall|high|big|heavy|fast|deep|wide|large)\b|\bwhat (?:number|price|percentage|year|amount|fraction)\b|\b(?:price|cost|age|height|weight|temperature|number) of\b",
        main,
    ) and _numeric(choices):
        return Kind.QUANTITY, 0, _extreme(main), ()
    if choices and all(
        c.strip().lower().split(",")[0].split()[0] in {"yes", "no", "true", "false"} for c in choices if c.strip()
    ):
        return Kind.YES_NO, 0, 0, ()
    if not choices and _YES_NO.match(low):
        return Kind.YES_NO, 0, 0, ()
    if not re.search(r"\b(?:most|least|fewest)\b", main) and (
        re.search(r"\b(?:what|which) colou?rs?\b|\bcolou?r (?:is|are|was|were|of)\b", low)
        or (choices and all(_is_colour(c) for c in choices))
    ):
        return Kind.COLOUR, 0, 0, ()
    place = _place(main)
    if place and _picks(main):
        return Kind.PICK, place, 0, ()
    if (
        relation in {"before", "after"}
        and re.search(r"\b(?:which|what|who)\b", main)
        and (_NEXT.search(low) or _SEQUENTIAL.search(main))
    ):
        return Kind.PICK, 1 if relation == "after" else -1, 0, ()
    extreme = _extreme(main)
    if extreme and choices and not _numeric(choices) and _ranks(main):
        return Kind.EXTREME, 0, extreme, ()
    if _MOTION.search(main) and (
        not choices or any(stems(c) & {"left", "leave", "right", "up", "down", "still", "zoom"} for c in choices)
    ):
        return Kind.MOTION, 0, 0, ()
    if (
        len(choices) > 1
        and all(len(content(c)) <= 3 and len(readings(c)) == 1 for c in choices)
        and len({frozenset(t.stem for t in content(c) if t.number is None) for c in choices}) == 1
    ):
        return Kind.QUANTITY, 0, 0, ()
    if _TEXT.search(main):
        return Kind.TEXT, 0, 0, ()
    return Kind.WHAT, 0, 0, ()


def _picks(main: str) -> bool:
    """Whether the place in time is what is asked ("Which room comes last?"), not a mere name ("Where is the last room?",
    "What is the first bridge made of?")."""
    if re.search(r"\bfirst (?:name|aid|floor|class)\b|\blast name\b", main) or not re.search(
        r"\b(?:which|what|who)\b", main
    ):
        return False
    named = re.search(rf"\bthe (?:very )?(?:{'|'.join(ORDINALS)}) \w+ (.*)", main)
    if named is None or _SHOWN.search(main):
        return True
    return not content(named[1]) or bool(
        re.match(r"(?:in|of|at|on|to|that|which|we|they|she|he|visited|shown)\b", named[1])
    )


def _ranks(main: str) -> bool:
    """Whether the most or least is what is asked ("Which tower is the tallest?"), not a mere name ("What is the oldest
    book about?")."""
    if not re.search(r"\b(?:which|what|who)\b", main) or re.search(r"\b(?:where|when|why|how)\b", main):
        return False
    return not re.search(
        rf"\bthe (?:{_MOST}|{_LEAST}) (?:\w+ )+(?:about|made of|called|used for|from|for|named|like|doing|do|say)\W*$",
        main,
    )


def _numeric(choices: list[str]) -> bool:
    """True for an open question too."""
    return all(
        readings(c) or stems(c) & {"non", "none", "never", "0"} or c.strip().lower() in {"none", "never"}
        for c in choices
    )


def _is_colour(choice: str) -> bool:
    words = [t for t in tokens(choice) if t.stem in COLOURS]
    return bool(words) and len(content(choice)) <= 3


def _place(main: str) -> int:
    for word, place in ORDINALS.items():
        if re.search(rf"\b{word}\b", main):
            return place
    if re.search(r"\b(?:next|afterwards|right after)\b", main):
        return 1
    if re.search(
        r"\b(?:begins?|starts?|opens) with\b|\b(?:opening|beginning) of\b|\bat the (?:very )?(?:beginning|start|outset)\b",
        main,
    ):
        return 1
    if re.search(r"\b(?:ends?|closes?|finish\w*) (?:with|at)\b|\bat the (?:very )?end\b", main):
        return -1
    return 0


def _extreme(main: str) -> int:
    if re.search(rf"\bleast expensive\b|\b(?:{_LEAST})\b", main):
        return -1
    return 1 if re.search(rf"\b(?:{_MOST})\b", main) else 0


def _anchor(text: str) -> tuple[str, str, str]:
    """The time clause, how it is tied, and the question without it."""
    best = None
    for match in _ANCHOR.finditer(text):
        if (
            match.start() == 0
            and match[1].lower() == "when"
            and re.match(r"when (?:is|are|was|were|do|does|did|will|can)\b", text.lower())
        ):
            continue
        if stems(match[2]):
            best = match
            break
    if best is None:
        return "", "", text
    word = best[1].lower()
    relation = (
        "after" if re.search("after|following", word) else "before" if re.search("before|until", word) else "while"
    )
    main = (text[: best.start()] + " " + text[best.end() :]).strip(" ,")
    return best[2].strip(), relation, main or text


def _modality(kind: Kind, main: str, question: Question | None) -> Modality | None:
    said, shown = bool(_SAID.search(main)), bool(_SHOWN.search(main))
    if kind is Kind.TEXT or kind is Kind.MOTION:
        return Modality.PICTURE
    if said and shown:
        return Modality.PICTURE if kind is Kind.COLOUR else None
    if said or shown:
        return Modality.SPEECH if said else Modality.PICTURE
    return Modality.PICTURE if kind is Kind.COLOUR and question is not None else None
