"""The intent router: question and choices → (π, μ), once, before any video content is seen (VESTA §3.2, §B.3).

`prior` reads words, a model may estimate the same demands, `merge` joins the two, `project` turns demands into policies.
It never answers, never judges difficulty, and knows no video, index or ledger.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from vesta_ui.domain import Cue, Demand, Emphasis, Estimate, Flag, Policy, Prior, Question, Route, View

_STATE_VERBS = (
    r"have|has|own|hold|wear|carry|need|want|weigh|cost|say|claim|mention|think|believe|see|hear|know|live|look|appear|"
    r"work|host|sit|stand|contain|show|belong|attend|watch|measure"
)
_HAPPENINGS = (
    r"goals?|points?|punch(?:es)?|jumps?|shots?|laps?|rounds?|cuts?|calls?|attempts?|tries|tricks?|songs?|visits?|kicks?|"
    r"claps?|knocks?|rings?|beeps?|falls?|crash(?:es)?|explosions?|push-?ups?|sit-?ups?|squats?|flips?|throws?|hits?|bounces?|"
    r"gunshots?|flash(?:es)?|commercials?|ads|interviews?|transitions?|scene changes|outfit changes|repetitions?|reps"
)
_AT_ONE_MOMENT = (
    r"(?:\bwhen\b|\bwhile\b|\bas\b|at the (?:beginning|start|end|table|moment)|in the (?:scene|picture|photo|image|shot|frame)"
    r"|on (?:the )?(?:screen|table|stage|wall|shelf|desk|sign)|visible|at \d|host)"
)
_SPEECH = (
    r"\b(?:sa(?:y|ys|id|ying)|speak(?:s|er|ers|ing)?|spoken?|talk(?:s|ed|ing)?|mention(?:s|ed|ing)?|tells?|told|explain(?:s|ed|ing)?|announce[sd]?|"
    r"narrat\w+|voice(?:-?over)?|dialogue|hear[sd]?|audio|sounds?|music|lyrics|sing(?:s|ing)?|sung|words? of|according to the "
    r"(?:speaker|host|narrator|commentator|man|woman|teacher|lecturer))\b"
)
_PICTURE = (
    r"(?:\bshown\b|on (?:the )?screen|\bdisplay(?:s|ed)?\b|\bvisible\b|\bappear(?:s|ed|ing)?\b|\bpicture\b|\bimage\b|\bslide\b|\bsubtitles?\b|"
    r"\bwear(?:s|ing)?\b|\bhold(?:s|ing)?\b|\bpoint(?:s|ing)? (?:at|to)\b|\bdiagram\b|\bchart\b|\bcamera\b|\bvisual\w*|\bgesture)"
)
_ADVERB_END = r"(?=\s*(?:$|[?.,:;!]|in th(?:e|is) (?:video|film|clip|episode|game|match)|of all|among|out of))"

CUES: tuple[tuple[Demand | None, Flag | None, str], ...] = (
    # repeated events, counting
    (Demand.REPEATED, Flag.COUNTING, r"how (?:many times|often|frequently)"),
    (Demand.REPEATED, Flag.COUNTING, r"how many (?:\w+ )?(?:occasions|instances|occurrences|appearances|episodes)\b"),
    (Demand.REPEATED, Flag.COUNTING, r"how many (?:(?:different|distinct|unique|separate|new)\b|of the following)"),
    (Demand.REPEATED, Flag.COUNTING, rf"how many (?:\w+ ){{0,2}}?(?:{_HAPPENINGS})\b(?!.*{_AT_ONE_MOMENT})"),
    (Demand.REPEATED, Flag.COUNTING,
     rf"how many (?:[\w-]+ ){{1,3}}?(?:do|does|did) (?:the |a )?(?:[\w'-]+ ){{1,4}}?(?!(?:{_STATE_VERBS})\b)[a-z]+\b"
     rf"(?<!\bthe)(?!.*{_AT_ONE_MOMENT})"),
    (Demand.REPEATED, Flag.COUNTING, r"how many .*(?:\bin total\b|altogether|throughout|over the course|(?:whole|entire|full) (?:video|film|match|game))"),
    (Demand.REPEATED, Flag.COUNTING, r"(?:number of (?:times|occurrences|occasions|appearances)|count (?:the|how|all|every)|total (?:number|count) of)"),
    (Demand.REPEATED, Flag.COUNTING, r"(?:list|name|find|identify) (?:all|every|each)\b|all (?:the |of the )?(?:moments|times|occasions|occurrences|places|scenes) (?:when|where|in which|that)"),
    # ordering
    (Demand.ORDERING, Flag.ORDERING, r"(?:in|into|the|correct|right|chronological|temporal|what|reverse) (?:\w+ )?order\b(?! of (?:magnitude|food|drinks))|chronolog\w+"),
    (Demand.ORDERING, Flag.ORDERING, r"\bsequence of\b|(?:correct|right|actual) sequence|(?:arrange|rank|sort)\b.*\b(?:events|steps|scenes|actions|by time|from)"),
    (Demand.ORDERING, Flag.ORDERING, rf"\b(?:which|what|who|whose)\b.*\b(?:first|last|earliest|latest|second|third|next to last)\b{_ADVERB_END}"),
    (Demand.ORDERING, Flag.ORDERING, r"\b(?:first|last|earliest|latest) (?:to (?:appear|arrive|leave|finish|speak|happen|enter|be))\b"),
    (Demand.ORDERING, Flag.ORDERING, r"before or after|after or before|(?:earlier|later|sooner) than|come(?:s)? (?:before|after|first|last)\b|\bpreced\w+"),
    # change of state over the video
    (Demand.ORDERING, Flag.STATE_CHANGE,
     r"(?:chang|evolv|develop|progress|transform|shift|vary|varie|grow)\w*\b.*(?:over time|throughout|over the course|during the (?:video|film|match)"
     r"|from (?:the )?(?:beginning|start) to|across the (?:video|film|scenes))"),
    (None, Flag.STATE_CHANGE, r"\b(?:change[sd]?|becom\w+|turn(?:s|ed)? into|transform\w*|transition\w*|turning point)\b"),
    # quantitative comparison
    (Demand.COMPARISON, Flag.NUMERIC, r"\b(?:more|fewer|less|longer|shorter|larger|smaller|bigger|faster|slower|higher|lower|taller|older|heavier|cheaper)\b.*\bthan\b"),
    (Demand.COMPARISON, Flag.NUMERIC, r"how much (?:more|less|longer|faster|higher|older|heavier)|difference (?:in|between)\b.*\b(?:number|score|price|time|height|weight|amount|size|length|speed|and)\b"),
    (Demand.COMPARISON, Flag.NUMERIC, r"\bthe (?:most|fewest|least|longest|shortest|highest|lowest|fastest|slowest|largest|smallest)\b(?! (?:likely|important|plausible|reasonable|appropriate|accurate|probable|suitable|obvious|famous|common reason))"),
    (Demand.COMPARISON, Flag.NUMERIC, r"most (?:often|frequently|times)|(?:increase|decrease|rise|fall|drop)[sd]? by\b|\bon average\b|\baverage (?:number|score|time|speed|price)|compared (?:to|with)|combined\b"),
    # speech together with the picture
    (Demand.CROSS_MODAL, Flag.CROSS_MODAL, rf"{_SPEECH}.*\b(?:when|while|as|during)\b.*{_PICTURE}"),
    (Demand.CROSS_MODAL, Flag.CROSS_MODAL, rf"{_PICTURE}.*\b(?:when|while|as|during|where)\b.*{_SPEECH}"),
    (Demand.CROSS_MODAL, Flag.CROSS_MODAL, rf"(?:what|who|which)\b.*\b(?:shown|seen|happening|on (?:the )?screen|doing|wearing|holding)\b.*{_SPEECH}"),
    (None, Flag.SPEECH, _SPEECH),
    # competing answers and interpretations
    (Demand.HYPOTHESES, None, r"^(?:\W*)why\b|[,;] why\b|\bwhy (?:do|does|did|is|are|was|were|has|have|would|might|could|can)\b"),
    (Demand.HYPOTHESES, None, r"\b(?:reason|purpose|motiv\w+|intention|intent|moral|meaning|significance|theme|message|implication|cause)s?\b(?! (?:number|board))"),
    (Demand.HYPOTHESES, None, r"best (?:describes?|explains?|summari[sz]es?|captures?|characteri[sz]es?|reflects?|represents?|matches|fits?|supports?|account\w*|description|explanation|summary)"),
    (Demand.HYPOTHESES, None, r"most (?:likely|plausible|reasonable|appropriate|accurate\w*|probable|probably|suitable)"),
    (Demand.HYPOTHESES, None, r"\b(?:statement|claim|explanation|interpretation|conclusion|inference|description|summary|assertion)s?\b"),
    (Demand.HYPOTHESES, None, r"\b(?:is|are|was|were) (?:\w+ )?(?:not )?(?:true|false|correct|incorrect|accurate|untrue|wrong|supported|consistent)\b(?! (?:answer|order|sequence|number|name|spelling))|true or false"),
    (Demand.HYPOTHESES, None, r"\b(?:infer\w*|conclude\w*|impl(?:y|ies|ied)|symboli[sz]\w+|foreshadow\w*|deduce\w*|suggests? about)\b"),
    (Demand.HYPOTHESES, None, r"how (?:do|does|did|might|would) .*\b(?:feel|react emotionally)\b|\b(?:attitude|mood|tone|emotion|feeling|personality|relationship|genre)s?\b"),
    (Demand.HYPOTHESES, None, r"\b(?:main|central|overall|primary|underlying|key) (?:idea|topic|point|subject|theme|goal|purpose|focus|argument|conflict|message|lesson|takeaway)|mainly about|turning point"),
    (Demand.HYPOTHESES, None, r"what (?:if|would (?:have )?happen\w*)|would have|\bwhether\b|what (?:led|leads|causes|caused|makes|made) (?:to|the|her|him|them)\b"),
    # localized recognition or description
    (Demand.LOCALIZED, None, r"\b(?:what|which) (?:is |are |was |were )?(?:the )?(?:[\w-]+ ){0,2}?(?:name|colou?r|title|text|word|brand|logo|date|year|sign|shape|letter|animal|object|item|flag|pattern|symbol|nationality|breed|model)s?\b"),
    (Demand.LOCALIZED, Flag.NUMERIC, r"how (?:old|tall|much|long|far|big|high|wide|heavy|deep|fast)\b|what (?:is |was )?(?:the )?(?:[\w-]+ ){0,2}?(?:number|price|score|time|temperature|speed|height|weight|distance|amount|percentage|age)\b"),
    (Demand.LOCALIZED, Flag.NUMERIC, r"how many\b"),
    (Demand.LOCALIZED, None, r"\b(?:where|when) (?:do|does|did|is|are|was|were|can)\b|\bwho (?:is|are|was|were|does|did|[a-z]+s|[a-z]+ed)\b"),
    (Demand.LOCALIZED, None, r"what (?:is|are|was|were|does|do|did) .*\b(?:wear\w*|hold\w*|do|doing|written|shown|show|carry\w*|say|read|look like|made of)\b|\b(?:reads|written|inscription|label(?:l?ed)?)\b"),
    (Demand.LOCALIZED, None, r"\bat (?:around |about )?\d+(?::\d\d|\s*(?:s|sec|seconds|min|minutes)\b)|right (?:after|before)|immediately (?:after|before)"),
)  # fmt: skip
"""What fires what: demand, single view, pattern. Read in order; English only."""

_COMPILED = tuple((demand, flag, re.compile(pattern, re.IGNORECASE)) for demand, flag, pattern in CUES)
_ENGLISH = re.compile(
    r"\b(?:the|is|are|was|were|what|which|who|whose|how|why|where|when|does|did|do|of|and|in|this|that|many|there|it|to)\b",
    re.IGNORECASE,
)
_EXPLICIT = (Demand.REPEATED, Demand.ORDERING, Demand.COMPARISON, Demand.CROSS_MODAL)

RANK: tuple[tuple[Demand, Policy, Emphasis], ...] = (
    (Demand.REPEATED, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.ORDERING, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.HYPOTHESES, Policy.CONTRASTIVE, Emphasis.HYPOTHESES),
    (Demand.COMPARISON, Policy.RECALL, Emphasis.COVERAGE),
    (Demand.CROSS_MODAL, Policy.FOCUSED, Emphasis.LOCAL),
    (Demand.LOCALIZED, Policy.FOCUSED, Emphasis.LOCAL),
)
"""Projection (VESTA Table 9): the first demand present decides. Explicit counting and ordering come before
interpretation, because no interpretation can make up for an occurrence that was never looked at."""


def is_english(question: Question) -> bool:
    """Whether the cues can be trusted: mostly ASCII letters, and an English function word among the first words."""
    letters = [c for c in question.text if c.isalpha()]
    return (
        bool(letters)
        and sum(c.isascii() for c in letters) >= 0.8 * len(letters)
        and len(_ENGLISH.findall(question.text)) >= max(1, len(question.text.split()) // 8)
    )


def prior(question: Question) -> Prior:
    """b: the demands and views that words in the question call for. Without any cue, or not in English: localized."""
    cues: list[Cue] = []
    flags: list[Flag] = []
    if is_english(question):
        for demand, flag, pattern in _COMPILED:
            found = pattern.search(question.text)
            if found is None:
                continue
            if demand is not None:
                cues.append(Cue(demand, " ".join(found.group().split())))
            if flag is not None:
                flags.append(flag)
    if _permuted([c.text for c in question.choices]):
        cues.append(Cue(Demand.ORDERING, "the choices are one list in different orders"))
        flags.append(Flag.ORDERING)
    if question.choices and all(re.fullmatch(r"\W*\d[\d.,:]*\W*\w{0,8}", c.text) for c in question.choices):
        flags.append(Flag.NUMERIC)
    demands = _unique(cue.demand for cue in cues) or (Demand.LOCALIZED,)
    return Prior(demands, _in_order(flags), tuple(cues))


def merge(
    b: Prior, rho: Estimate | None, threshold: float = 0.6
) -> tuple[tuple[Demand, ...], tuple[Flag, ...], str]:
    """Demands, flags and one sentence why (eq. 13).

    What the words ask for outright (counting, ordering, comparison, speech with picture) always stays; whether the rest
    is a local question or a contest of interpretations is the model's to say, if it is at least `threshold` sure.
    """
    if rho is None or not usable(rho):
        return b.demands, b.flags, "the words alone decide"
    if rho.confidence < threshold:
        why = f"the words alone decide: the model is {rho.confidence:.2f} sure, below {threshold:.2f}"
        return b.demands, b.flags, why
    explicit = tuple(d for d in b.demands if d in _EXPLICIT)
    demands = _unique((*explicit, *rho.demands))
    flags = _in_order((*b.flags, *rho.flags))
    kept = _listed(d for d in explicit if d not in rho.demands)
    why = f"the model decides ({rho.confidence:.2f} sure)" + (f"; kept from the words: {kept}" if kept else "")
    return demands, flags, why


def usable(rho: Estimate) -> bool:
    """Whether an estimate says anything: at least one demand and a confidence in [0, 1]."""
    return bool(rho.demands) and math.isfinite(rho.confidence) and 0 <= rho.confidence <= 1


def project(demands: Iterable[Demand], flags: Iterable[Flag] = ()) -> tuple[Policy, View]:
    """(π, μ) for a set of demands (VESTA Table 9, `RANK`)."""
    present = set(demands)
    _, policy, emphasis = next((row for row in RANK if row[0] in present), RANK[-1])
    return policy, View(emphasis, _in_order(flags))


def route(
    question: Question,
    estimate: Estimate | None,
    note: str = "",
    threshold: float = 0.6,
    policy: Policy | None = None,
    view: View | None = None,
) -> Route:
    """The whole decision. `note` says why there is no estimate; `policy` and `view` are set by hand and win."""
    if estimate is not None and not usable(estimate):
        estimate, note = None, note or "the model's estimate names no demand or no valid confidence"
    b = prior(question)
    demands, flags, why = merge(b, estimate, threshold)
    routed, accounting = project(demands, flags)
    decisive = next(demand for demand, _, _ in RANK if demand in demands)
    reasons = [f"{_name(decisive)} asks for {routed.value} acquisition; {why}"]
    if not is_english(question):
        reasons.append("the question does not read as English, so its words were not used")
    elif not b.cues:
        reasons.append("no word in the question calls for more than a local look")
    if routed is Policy.CONTRASTIVE and not question.choices:
        reasons.append("without choices there is nothing to contrast and retrieval falls back to focused")
    by_hand = {"policy": policy, "view": view}
    return Route(
        policy=policy or routed,
        view=view or accounting,
        prior=b,
        model=estimate,
        demands=demands,
        why=_sentence(reasons),
        model_note=note,
        overridden=tuple(name for name, value in by_hand.items() if value is not None),
    )


def _permuted(texts: list[str]) -> bool:
    """Whether the choices are orders of the same three or more items."""
    if len(texts) < 2:
        return False
    split = [[p.strip().casefold() for p in re.split(r"\s*(?:→|->|=>|>|;|,|–|-)\s*", t) if p.strip()] for t in texts]
    first = Counter(split[0])
    return (
        len(split[0]) >= 3
        and all(Counter(parts) == first for parts in split)
        and len({tuple(parts) for parts in split}) > 1
    )


def _unique(demands: Iterable[Demand]) -> tuple[Demand, ...]:
    return tuple(dict.fromkeys(demands))


def _in_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    held = set(flags)
    return tuple(flag for flag in Flag if flag in held)


def _name(demand: Demand) -> str:
    return demand.value.replace("_", "-")


def _listed(demands: Iterable[Demand]) -> str:
    return ", ".join(_name(d) for d in demands)


def _sentence(parts: list[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
