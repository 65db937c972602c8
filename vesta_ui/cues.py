"""The linguistic cues of the router's prior, in one table (VESTA §B.3). English only.

Each row: the demand its words call for (None: only a view), the single view of μ it switches on (None: none), an example,
and the pattern. Add a row, with an example that fires it, and the tests cover it. This module knows words, nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from vesta_ui.domain import Demand, Flag


@dataclass(frozen=True, slots=True)
class Row:
    demand: Demand | None
    flag: Flag | None
    example: str
    pattern: str

    def find(self, text: str) -> str:
        """The words of `text` that fire this row; empty when none do."""
        found = re.search(self.pattern, text, re.IGNORECASE)
        return " ".join(found.group().split()) if found else ""


_FACTS = (
    "have|has|own|hold|wear|carry|need|want|weigh|cost|say|claim|mention|think|believe|see|hear|know|live|look|appear"
    "|work|host|sit|stand|contain|show|belong|attend|watch|measure"
)
"""What is true at a time, as against what is done time after time."""
_HAPPENINGS = (
    "goals?|points?|punch(?:es)?|jumps?|shots?|laps?|rounds?|cuts?|calls?|attempts?|tries|tricks?|songs?|visits?|kicks?"
    "|claps?|knocks?|rings?|beeps?|falls?|crash(?:es)?|explosions?|push-?ups?|sit-?ups?|squats?|flips?|throws?|hits?"
    "|bounces?|gunshots?|flash(?:es)?|commercials?|ads|interviews?|transitions?|scene changes|outfit changes|rep(?:etition)?s"
)
_COMINGS = "arrive|leave|enter|exit|pass|cross|join|quit|fall|drop|land|escape|crash|finish|die|survive"
_DONE = (
    "given|thrown|broken|eaten|drunk|sung|sold|caught|lost|won|shot|fired|scored|saved|played|performed|rescued|arrested"
    "|released|delivered|opened|closed|dropped|missed|hit|cut down|knocked over"
)
"""What comes one by one, or is done to one after the other."""
_SPANS = (
    "day|night|week|trip|journey|walk|tour|visit|match|game|race|film|video|episode|show|concert|season|evening|lesson"
)
_ONE_MOMENT = (
    r"(?:\b(?:when|while|as)\b|\bat the (?:beginning|start|end|table|moment)|\bat \d|visible|host"
    r"|\bin the (?:scene|picture|photo|image|shot|frame)|\bon (?:the )?(?:screen|table|stage|wall|shelf|desk|sign))"
)
_SPEECH = (
    r"\b(?:sa(?:y|ys|id|ying)|sp(?:eak|oke)\w*|talk(?:s|ed|ing)?|mention\w*|tells?|told|explain(?:s|ed|ing)?|announce[sd]?"
    r"|narrat\w+|voice(?:-?over)?|dialogue|hear[sd]?|audio|sounds?|music|lyrics|s[iu]ng|sing(?:s|ing)|words? of"
    r"|according to the (?:speaker|host|narrator|commentator|man|woman|teacher|lecturer))\b"
)
_PICTURE = (
    r"(?:\bon (?:the )?screen|\b(?:shown|visible|picture|image|slide|subtitles?|diagram|chart|camera|visual\w*|gesture\w*"
    r"|display(?:s|ed)?|appear(?:s|ed|ing)?|wear(?:s|ing)?|hold(?:s|ing)?|point(?:s|ing)? (?:at|to))\b)"
)
_AT_END = r"(?=\s*(?:$|[?.,:;!]|in th(?:e|is) (?:video|film|clip|episode|game|match)|of all|among|out of))"
_MORE = "more|fewer|less|longer|shorter|larger|smaller|bigger|faster|slower|higher|lower|taller|older|heavier|cheaper"
_MOST = "most|fewest|least|longest|shortest|highest|lowest|fastest|slowest|largest|smallest"
_NTH = "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_VERDICTS = "true|false|correct|incorrect|accurate|untrue|wrong|supported|consistent"
_THINGS = (
    "name|colou?r|title|text|word|brand|logo|date|year|sign|shape|letter|animal|object|item|flag|pattern|symbol|breed"
    "|nationality|model"
)
_QUANTITIES = "number|price|score|time|temperature|speed|height|weight|distance|amount|percentage|age"

_REPEATED, _ORDERING, _COMPARISON = Demand.REPEATED, Demand.ORDERING, Demand.COMPARISON
_CROSS, _HYPOTHESES, _LOCALIZED = Demand.CROSS_MODAL, Demand.HYPOTHESES, Demand.LOCALIZED

CUES: tuple[Row, ...] = (
    # ---- repeated events, counting
    Row(_REPEATED, Flag.COUNTING, "How many times does she wave?", r"how (?:many times|often|frequently)"),
    Row(_REPEATED, Flag.COUNTING, "On how many occasions does it rain?",
        r"how many (?:\w+ )?(?:occasions|instances|occurrences|appearances|episodes)\b"),
    Row(_REPEATED, Flag.COUNTING, "How many different hats are worn?",
        r"how many (?:(?:different|distinct|unique|separate|new)\b|of the following)"),
    Row(_REPEATED, Flag.COUNTING, "How many goals are scored?",
        rf"how many (?:\w+ ){{0,2}}?(?:{_HAPPENINGS})\b(?!.*{_ONE_MOMENT})"),
    Row(_REPEATED, Flag.COUNTING, "How many cakes does he bake?",
        rf"how many (?:[\w-]+ ){{1,5}}?(?:do|does|did)\b(?!.*\b(?:{_FACTS})\b)(?!.*{_ONE_MOMENT})"),
    Row(_REPEATED, Flag.COUNTING, "How many guests leave early?",
        rf"how many (?:[\w-]+ ){{1,3}}?(?:{_COMINGS}|(?:is|are|was|were|get) (?:{_DONE}))\b(?!.*{_ONE_MOMENT})"),
    Row(_REPEATED, Flag.COUNTING, "How many cars pass in total?",
        r"(?:in total|altogether|overall)\b.*how many|how many .*(?:\bin total\b|altogether|throughout|over the course|(?:whole|entire|full) (?:video|film|match|game))"),
    Row(_REPEATED, Flag.COUNTING, "How many lies does she tell during the trip?",
        rf"how many (?!.*{_ONE_MOMENT}).*\b(?:during|throughout|over|in the course of) the (?:\w+ )?(?:{_SPANS})\b"),
    Row(_REPEATED, Flag.COUNTING, "Count the number of times he falls.",
        r"number of (?:times|occurrences|occasions|appearances)|count (?:the|how|all|every)|total (?:number|count) of"),
    Row(_REPEATED, Flag.COUNTING, "List all the towns on the way.",
        r"(?:list|name|find|identify) (?:all|every|each)\b"
        r"|all (?:the |of the )?(?:moments|times|occasions|occurrences|places|scenes) (?:when|where|in which|that)"),
    # ---- ordering
    Row(_ORDERING, Flag.ORDERING, "In what order do they arrive?",
        r"(?:in|into|the|correct|right|chronological|temporal|what|reverse) (?:\w+ )?order\b"
        r"(?! (?:of (?:magnitude|food|drinks)|number|form|id|slip|to)\b)|chronolog\w+"),
    Row(_ORDERING, Flag.ORDERING, "What is the correct sequence?",
        r"\bsequence of\b|(?:correct|right|actual) sequence"
        r"|(?:arrange|rank|sort)\b.*\b(?:events|steps|scenes|actions|by time|from)"),
    Row(_ORDERING, Flag.ORDERING, "Which happens first?",
        rf"\b(?:which|what|who|whose)\b.*(?<!the )(?<!at )\b(?:first|last|earliest|latest|second|third)\b{_AT_END}"),
    Row(_ORDERING, Flag.ORDERING, "Who is the last to leave?",
        r"\b(?:first|last|earliest|latest) (?:to (?:appear|arrive|leave|finish|speak|happen|enter|be))\b"),
    Row(_ORDERING, Flag.ORDERING, "Does it rain before or after lunch?",
        r"before or after|after or before|(?:earlier|later|sooner) than|comes? (?:before|after|first|last)\b|\bpreced\w+"),
    Row(_ORDERING, Flag.ORDERING, "After which scene does it rain?",
        r"\b(?:before|after|between) which\b|\bwhich of (?:these|the following|them)\b.*\b(?:before|after)\b"),
    Row(_ORDERING, Flag.ORDERING, "What is the third town that she visits?",
        rf"\b(?:what|which|who)\b.*\bthe (?:{_NTH}) [\w-]+ (?:(?:that|which|who|whom) )?"
        r"(?:(?:the [\w-]+|he|she|they|we) [\w-]+|(?:shown|seen|visited|introduced|mentioned|presented|played|named)\b)"),
    Row(_ORDERING, Flag.STATE_CHANGE, "How does the lake change over time?",
        r"(?:chang|evolv|develop|progress|transform|shift|vary|varie|grow)\w*\b.*(?:over time|throughout|over the course"
        r"|during the (?:video|film|match)|from (?:the )?(?:beginning|start) to|across the (?:video|film|scenes))"),
    Row(None, Flag.STATE_CHANGE, "What does the frog turn into? It becomes a prince.",
        r"\b(?:change[sd]?|becom\w+|turn(?:s|ed)? into|transform\w*|transition\w*|turning point)\b"),
    # ---- quantitative comparison
    Row(_COMPARISON, Flag.NUMERIC, "Is the red car faster than the blue one?",
        rf"\b(?:{_MORE})\b.*\bthan\b(?! (?:once|twice|one|two|\d))"),
    Row(_COMPARISON, Flag.NUMERIC, "Who talks longer, the guide or the driver?",
        rf"\b(?:which|who|whose|what)\b.*\b(?:{_MORE})\b[^,:]*[,:] .*\bor\b"),
    Row(_COMPARISON, Flag.NUMERIC, "What is the difference in height?",
        rf"how much (?:{_MORE})|difference (?:in|between)\b.*\b(?:{_QUANTITIES}|size|length|and)\b"),
    Row(_COMPARISON, Flag.NUMERIC, "Who has the most points?",
        rf"\bthe (?:{_MOST})\b(?! \w+ (?:made|called|named|painted|doing|wearing|holding|saying)\b)(?! (?:likely|important|plausible|reasonable|appropriate|accurate|probable|suitable|obvious"
        r"|famous|common reason))"),
    Row(_COMPARISON, Flag.NUMERIC, "Which lake is the deepest?",
        rf"\bwh(?:ich|o|at)\b.*\b(?:is|are|was|were) the (?!b?est\b|priest|guest|forest|l?atest|earliest)\w+est{_AT_END}"),
    Row(_COMPARISON, Flag.NUMERIC, "What is the average score?",
        r"most (?:often|frequently|times)|(?:increase|decrease|rise|fall|drop)[sd]? by\b|\bon average\b"
        r"|\baverage (?:number|score|time|speed|price)|compared (?:to|with)|\bcombined\b"),
    # ---- speech together with the picture
    Row(_CROSS, Flag.CROSS_MODAL, "What does he say when the chart is shown?",
        rf"{_SPEECH}.*\b(?:when|while|as|during)\b.*{_PICTURE}"),
    Row(_CROSS, Flag.CROSS_MODAL, "What is on the slide while she speaks?",
        rf"{_PICTURE}.*\b(?:when|while|as|during|where)\b.*{_SPEECH}"),
    Row(_CROSS, Flag.CROSS_MODAL, "What is he holding as the narrator starts?",
        rf"(?:what|who|which)\b.*\b(?:seen|happening|doing|wearing|holding)\b.*{_SPEECH}"),
    Row(None, Flag.SPEECH, "What does the guide say?", _SPEECH),
    # ---- competing answers and interpretations
    Row(_HYPOTHESES, None, "Why does she leave?",
        r"^\W*why\b|[,;] (?:and |but )?why\b|\bwhy (?:do|does|did|is|are|was|were|has|have|would|might|could|can)\b"),
    Row(_HYPOTHESES, None, "What goes wrong because of the fog?",
        r"\b(?:because of|due to|thanks to|(?:as a|the) (?:result|consequence) of)\b"),
    Row(_HYPOTHESES, None, "Which town does she prefer?",
        r"\b(?:which|what|who)\b.*\b(?:like[sd]? (?:best|most|least|better)|(?:prefer|admire|fear|recommend)\w*)\b"),
    Row(_HYPOTHESES, None, "What is the purpose of the test?",
        r"\b(?:reason|purpose|motiv\w+|intention|intent|moral|lesson|meaning|significance|theme|message|implication|cause)s?\b"
        r"(?! (?:number|board|code|field)\b)"),
    Row(_HYPOTHESES, None, "Which title best describes the clip?",
        r"best (?:describ|explain|summar|captur|characteri|reflect|represent|match|fit|support|account|descr|explan)\w*"),
    Row(_HYPOTHESES, None, "Which title suits the clip best?",
        r"\b(?:suit|fit|describe|explain|summari[sz]e|capture|reflect)s?\b.*\bbest\b"),
    Row(_HYPOTHESES, None, "How can his silence be explained?",
        r"\bhow (?:can|could|might|should|would) .*\bbe (?:explained|interpreted|understood)\b|\bwhat explains\b"),
    Row(_HYPOTHESES, None, "How might she react to the news?",
        r"\bhow (?:might|would|could|will) .*\b(?:react|respond|behave)\b|what (?:can|could) (?:you|we|one) (?:tell|say) about\b"
        r"|\bthe point .*\bmak(?:e|es|ing)\b"),
    Row(_HYPOTHESES, None, "Who is to blame for the delay?", r"\b(?:responsible|to blame|at fault|guilty)\b"),
    Row(_HYPOTHESES, None, "Is he lying or telling the truth?",
        r"\b(?:lying or|or lying|tell\w* the truth|honest(?:ly)?|sincere(?:ly)?|pretend\w*|on purpose|deliberate(?:ly)?"
        r"|intentional(?:ly)?)\b"),
    Row(_HYPOTHESES, None, "What is he most likely to do?",
        r"most (?:likely|plausible|reasonable|appropriate|accurate\w*|probable|probably|suitable)"),
    Row(_HYPOTHESES, None, "Which statement fits?",
        r"\b(?:statement|claim|explanation|interpretation|conclusion|inference|description|summary|assertion)s?\b"),
    Row(_HYPOTHESES, None, "Which of these is true?",
        rf"\b(?:is|are|was|were) (?:\w+ )?(?:not )?(?:{_VERDICTS})\b(?! (?:answer|order|sequence|number|name|spelling))"
        r"|true or false"),
    Row(_HYPOTHESES, None, "What can be inferred?",
        r"\b(?:infer\w*|conclude\w*|impl(?:y|ies|ied)|symboli[sz]\w+|foreshadow\w*|deduce\w*|suggests? about)\b"),
    Row(_HYPOTHESES, None, "What is the mood of the song?",
        r"how (?:do|does|did|might|would) .*\bfeel\b"
        r"|\b(?:attitude|mood|tone|emotion|feeling|personality|relationship|genre)s?\b"),
    Row(_HYPOTHESES, None, "What is the main idea?",
        r"\b(?:main|central|overall|primary|underlying|key) (?:idea|topic|point|subject|theme|goal|purpose|focus|argument"
        r"|conflict|message|lesson|takeaway)|mainly about|turning point"),
    Row(_HYPOTHESES, None, "What would have happened otherwise?",
        r"what (?:if|would (?:have )?happen\w*)|\bwould\b.*\bif\b|would have|\bwhether\b"
        r"|(?:will|might|may|could) (?:\w+ )?(?:happen|do|be) next|what (?:kind|sort|type) of person"
        r"|what (?:led|leads|causes|caused|makes|made) (?:to|the|her|him|them)\b"),
    # ---- localized recognition or description
    Row(_LOCALIZED, None, "What is the name of the ship?",
        rf"\b(?:what|which) (?:is |are |was |were )?(?:the )?(?:[\w-]+ ){{0,2}}?(?:{_THINGS})s?\b"),
    Row(_LOCALIZED, Flag.NUMERIC, "How tall is the tower?",
        r"how (?:old|tall|much|long|far|big|high|wide|heavy|deep|fast)\b"
        rf"|what (?:is |was )?(?:the )?(?:[\w-]+ ){{0,2}}?(?:{_QUANTITIES})\b"),
    Row(_LOCALIZED, Flag.NUMERIC, "How many people are on stage?", r"how many\b"),
    Row(_LOCALIZED, None, "Where does he sleep?",
        r"\b(?:where|when) (?:do|does|did|is|are|was|were|can)\b|\bwho (?:is|are|was|were|does|did|[a-z]+s|[a-z]+ed)\b"),
    Row(_LOCALIZED, None, "What is the woman wearing?",
        r"what (?:is|are|was|were|does|do|did) .*\b(?:wear\w*|hold\w*|do|doing|written|shown?|carry\w*|say|read|look like"
        r"|made of)\b|\b(?:reads|written|inscription|label(?:l?ed)?)\b"),
    Row(_LOCALIZED, None, "What happens at 12:45?",
        r"\bat (?:around |about )?\d+(?::\d\d|\s*(?:s|sec|seconds|min|minutes)\b)|(?:right|immediately) (?:after|before)"),
)  # fmt: skip

_ENGLISH = re.compile(
    r"\b(?:the|are|were|what|which|who|whose|how|why|where|when|does|did|and|this|that|many|there|she|he|they|her|his"
    r"|list|name|count|describe|arrange|sort|find|identify)\b",
    re.IGNORECASE,
)


def is_english(text: str) -> bool:
    """Whether the cues can be trusted: mostly ASCII letters, and an English function word for every twelve words (three do)."""
    letters = [c for c in text if c.isalpha()]
    ascii_share = sum(c.isascii() for c in letters) / max(1, len(letters))
    return ascii_share >= 0.8 and len(_ENGLISH.findall(text)) >= max(1, min(3, len(text.split()) // 12))
