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
        return " ".join(found.group().split()).strip(" .,;:!?–—") if found else ""


_FACTS = (
    "have|has|own|hold|wear|carry|need|want|weigh|cost|say|claim|mention|think|believe|see|hear|know|live|look|appear"
    "|work|(?<!the )host|sit|stand|contain|show|belong|attend|watch|measure"
)
"""What is true at a time, as against what is done time after time."""
_HAPPENINGS = (
    "goals?|points?|punch(?:es)?|jumps?|shots?|laps?|rounds?|cuts?|calls?|attempts?|tries|tricks?|songs?|visits?|kicks?"
    "|claps?|knocks?|rings?|beeps?|falls?|crash(?:es)?|explosions?|push-?ups?|sit-?ups?|squats?|flips?|throws?|hits?"
    "|bounces?|gunshots?|flash(?:es)?|commercials?|ads|interviews?|transitions?|scene changes|outfit changes|rep(?:etition)?s"
)
_COMINGS = (
    "arrive|leave|enter|exit|pass|cross|join|quit|fall|drop|land|escape|crash|finish|die|survive|return|board|climb|get (?:on|off|in|out)"
    "|come (?:in|out|by)|go (?:in|out|by)|walk (?:in|out|by|past)|drive (?:by|past)"
)
_DONE = (
    "given|thrown|broken|eaten|drunk|sung|sold|caught|lost|won|shot|fired|scored|saved|played|performed|rescued|arrested"
    "|released|delivered|opened|closed|dropped|missed|hit|cut down|knocked over|shown|introduced|mentioned|visited|presented|featured|discussed|demonstrated|interviewed"
    "|described|filmed|built|planted|tried|tested|used"
)
"""What comes one by one, or is done to one after the other."""
_SPANS = (
    "day|night|week|trip|journey|walk|tour|visit|match|game|race|film|video|clip|documentary|movie|footage|recording|episode|show|concert"
    "|season|evening|lesson"
)
_ONE_MOMENT = (
    r"(?:\b(?:when|while|as (?:the|an?|he|she|it|they|we|i|his|her|their))\b|\bat the (?:beginning|start|end|table|moment)|\bat \d|visible|\bhost(?:s|ed|ing)? (?:the|this|an?)\b"
    r"|\bin the (?:scene|picture|photo|image|shot|frame)|\bon (?:the )?(?:screen|table|stage|wall|shelf|desk|sign))"
)
_STILL = _ONE_MOMENT.replace("|while|as (?:the|an?|he|she|it|they|we|i|his|her|their)", "")
"""A moment at which nothing comes or goes: "when", not "while"."""
_SPEECH = (
    r"\b(?:sa(?:y|ys|id|ying)|sp(?:eak|oke)\w*|talk(?:s|ed|ing)?|mention\w*|tells?|told|explain(?:s|ed|ing)?|announce[sd]?"
    r"|narrat\w+|voice(?:-?over)?|dialogue|hear[sd]?|audio|sounds?|music|lyrics|s[iu]ng|sing(?:s|ing)|words? of"
    r"|according to the (?:speaker|host|narrator|commentator|man|woman|teacher|lecturer))\b"
)
_PICTURE = (
    r"(?:\bon (?:the )?screen|\b(?:shown|visible|picture|image|slide|subtitles?|diagram|chart|camera|visual\w*|gesture\w*"
    r"|display(?:s|ed)?|appear(?:s|ed|ing)?|wear(?:s|ing)?|hold(?:s|ing)?|point(?:s|ing)? (?:at|to))\b)"
)
_AT_END = rf"(?=\s*(?:$|[?.,:;!]|(?:in|on|at) th(?:e|is) (?:{_SPANS})\b|of all|among|out of))"
_ERS = "longer|shorter|larger|smaller|bigger|faster|slower|higher|lower|taller|older|heavier|cheaper"
_MORE = f"more|fewer|less|{_ERS}"
_MOST = "most|fewest|least|longest|shortest|highest|lowest|fastest|slowest|largest|smallest"
_ABSTRACT = (
    "advantage|aim|ambition|argument|aspiration|assumption|atmosphere|attitude|belief|benefit|bias|concern|conflict|consequence"
    "|contrast|contribution|criticism|dilemma|disadvantage|drawback|effect|emotion|excuse|expectation|feeling|function|hope|ideal"
    "|impact|implication|importance|impression|incentive|influence|insight|inspiration|intention|interpretation|irony|justification"
    "|lesson|likelihood|limitation|meaning|message|metaphor|misconception|mood|moral|motivation|motive|notion|objection|obstacle"
    "|opinion|outcome|outlook|perspective|philosophy|prejudice|principle|purpose|reason|reputation|risk|role|scenario|sentiment"
    "|significance|stance|stereotype|strategy|strength|symbolism|takeaway|tension|theme|theory|threat|tone|trait|viewpoint|virtue"
    "|weakness|worry"
)
"""What no single picture shows."""
_NOT_A_NOUN = (
    "of|for|in|on|at|to|from|by|with|about|behind|between|among|against|under|over|into|as|than|through|during|after|before|when|while"
    "|if|because|and|or|but|nor|not|that|which|who|whom|whose|why|how|where|what|the|an?|this|these|those|is|are|was|were|be|been|do|did"
    "|have|had|can|could|may|might|must|will|would|shall|should|he|she|it|they|we|you|i|her|his|their|my|your|our|people|someone|everyone"
    "|most|best|more|here|there|later|first|then|too|lay|led|drove|made|came|got|went|stood|ran|kept|gave|took|became|brought|run"
)
_NO_COMPOUND = rf"(?! (?!(?:{_NOT_A_NOUN})\b)(?:(?-i:[a-z-]+)(?<!s)(?<!ed)(?<!ing)(?<!ly)\b|(?-i:[a-z-]+) (?:do|does|did|is|are|was|were)\b))"
"""Not before another noun, which it would only name the kind of: a theme park, a message board."""
_NOT_WRITTEN = (
    r"(?! (?:(?:is|are|was|were|that|which) ){0,2}?(?:appears? |seen |shown |written |printed |displayed |painted |visible )?(?:on|across) "
    r"(?:[\w'’-]+ ){1,3}?(?:screens?|display|monitor|labels?|posters?|signs?|board|blackboard|whiteboard|billboard|banner|t-?shirt|shirt|phone"
    r"|notes?|cards?|stickers?|page|cover|box|package|bottle|mug|cake|plaque|slides?|sheet|wall|door|badge)\b)"
)
"""Not what is written on something: that can be read in one place."""
_JUDGED = (
    "reliable|honest|sincere|serious|guilty|innocent|trustworthy|realistic|convincing|justified|successful|genuine|authentic|fake"
    "|staged|real|accidental|intentional|deliberate|credible|reasonable|effective|fair|trusted|to be believed"
)
_MEASURED = (
    "(?:old|young|tall|much|many|long|far|big|high|wide|heavy|deep|fast|often|large|small|thick|thin|hot|cold|loud|late|early|full"
    "|close|frequently|steep|warm|bright|soon|expensive|short|slow)\\b"
)
_NTH = "second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
_NO_EST = r"(?!(?:[btw]|atl|gu|for|pri|l?at|earli|harv|cont|requ|qu|ch|n|v|arr|prot|inter|inv|sugg|dig|man|r)?est\b)"
_PARTS = (
    "(?:thing|scene|shot|minute|second|half|part|chapter|frame|word|name|sentence|line|letter|page|floor|row|step)s?\\b"
)
"""Whose first or last is a place, not a time."""
_VERDICTS = "true|false|correct|incorrect|accurate|untrue|wrong(?! with)|supported|consistent"
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
        r"^\W*(?:in|on|at|for|by|with) how many\b|how many (?:\w+ )?(?:occasions|instances|occurrences|appearances|episodes)\b"),
    Row(_REPEATED, Flag.COUNTING, "How many different hats are worn?",
        r"how many (?:(?:different|distinct|unique|separate|new)\b|of the following)"),
    Row(_REPEATED, Flag.COUNTING, "How many goals are scored?",
        rf"how many (?:\w+ ){{0,2}}?(?:{_HAPPENINGS})\b(?!.*{_ONE_MOMENT})"),
    Row(_REPEATED, Flag.COUNTING, "How many cakes does he bake?",
        rf"how many (?:[\w-]+ ){{1,5}}?(?:do|does|did)\b(?!.*\b(?:{_FACTS})\b)(?!.*{_ONE_MOMENT})"),
    Row(_REPEATED, Flag.COUNTING, "How many guests leave early?",
        rf"how many (?:[\w-]+ ){{1,3}}?(?:{_COMINGS}|(?:is|are|was|were|get) (?:{_DONE}))\b(?!.*{_STILL})"),
    Row(_REPEATED, Flag.COUNTING, "How many cars pass in total?",
        rf"(?:in total|altogether|overall)\b.*how many|how many .*(?:\bin total\b|\bin all(?=\W*$|[?.,;]| (?:is|are|was|were|do|does|did|have|has)\b)|altogether|throughout|over the course|(?:whole|entire|full) (?:{_SPANS}))"),
    Row(_REPEATED, Flag.COUNTING, "How many lies does she tell during the trip?",
        rf"how many (?!.*{_ONE_MOMENT}).*\b(?:during|throughout|over|in the course of) the (?:\w+ )?(?:{_SPANS})\b"),
    Row(_REPEATED, Flag.COUNTING, "Count the number of times he falls.",
        r"number of (?:times|occurrences|occasions|appearances)|count (?:the|how|all|every)|\bthe total\b"),
    Row(_REPEATED, Flag.COUNTING, "How many dogs are there in the film?",
        rf"how many (?!.*{_ONE_MOMENT})(?!.*\bhave\b).*\bin th(?:e|is) (?:whole |entire )?(?:video|film|clip|movie|documentary|footage|episode)\W*$"),
    Row(_REPEATED, Flag.COUNTING, "How many of the runners give up?",
        rf"how many of (?:the|these|those|them)\b(?!.*\b(?:{_FACTS}|are|is|were|was)\b)(?!.*{_ONE_MOMENT})|how many of the(?:se|following)?\b[^:?]*:|\beach time\b|\bevery time\b"),
    Row(_REPEATED, Flag.COUNTING, "List all the towns on the way.",
        r"(?:list|name|find|identify) (?:all|every|each)\b|^\W*(?:list|name|enumerate) the (?:[\w-]+ )?(?:people|[\w-]+s)\b"
        r"|all (?:the |of the )?(?:moments|times|occasions|occurrences|places|scenes) (?:when|where|in which|that)"),
    # ---- ordering
    Row(_ORDERING, Flag.ORDERING, "In what order do they arrive?",
        r"(?:in|into|the|correct|right|chronological|temporal|what|reverse) (?:\w+ )?order\b"
        r"(?! (?:of (?:magnitude|food|drinks)|number|form|id|slip|to)\b)|chronolog\w+"
        r"|\b(?:correct|right|proper|exact) order\b|\bbetween \w+ing\b.*\band \w+ing\b"),
    Row(_ORDERING, Flag.ORDERING, "What is the correct sequence?",
        r"\bsequence of\b|(?:correct|right|actual) sequence"
        r"|(?:arrange|rank|sort)\b.*\b(?:events|steps|scenes|actions|by time|from)"),
    Row(_ORDERING, Flag.ORDERING, "Which happens first?",
        rf"\b(?:which|what|who|whose)\b.*(?<!the )(?:(?<!at )|(?<=look at )|(?<=stop at )|(?<=stay at ))\b(?:first|last|earliest|latest|earlier|later|sooner|second|third)\b{_AT_END}"),
    Row(_ORDERING, Flag.ORDERING, "Who is the last to leave?",
        r"\b(?:first|last|earliest|latest) (?:to (?:appear|arrive|leave|finish|speak|happen|enter|be))\b"),
    Row(_ORDERING, Flag.ORDERING, "Does it rain before or after lunch?",
        r"before or after|after or before|(?:earlier|later|sooner) than|comes? (?:before|after|first|last)\b|\bpreced\w+"
        r"|\bafter\b.*\band\b.*\bbefore\b|\bfirst,? (?:and )?second\b|\b(?:second|third|next)[ -]to[ -]last\b|\bis the (?:earliest|latest|first|last)\W*$|^\W*(?:was|were|did|does|do|is|has)\b.*\bbefore\b|\bhappens? between\b"
        r"|\b(?:which|who)\b.*\bnext\b(?! to\b|\W*$)|\bbefore\b.*\b(?:and|or)\b.*\bafter\b|\bafter\b.*\bor\b.*\bbefore\b"),
    Row(_ORDERING, Flag.ORDERING, "After which scene does it rain?",
        r"\b(?:before|after|between) which\b|\bwhich of (?:these|the following|them)\b.*\b(?:before|after)\b"),
    Row(_ORDERING, Flag.ORDERING, "What is the third town that she visits?",
        rf"\b(?:what|which|who)\b.*\bthe (?:{_NTH}) [\w-]+ (?:(?:that|which|who|whom) )?"
        r"(?:(?:the [\w-]+|he|she|they|we) [\w-]+|(?:shown|seen|visited|introduced|mentioned|presented|played|named)\b)"),
    Row(_ORDERING, Flag.ORDERING, "What was the third town of the trip?",
        rf"\b(?:what|which|who)\b.*\bthe (?:first|last|{_NTH}) (?!{_PARTS})[\w-]+ (?:of|in|on|during) the (?:{_SPANS})\b"),
    Row(_ORDERING, Flag.ORDERING, "What is the last song that they play?",
        rf"\b(?:what|which)\b.*\bthe (?:first|last) (?:things? (?:that |which )?|(?!{_PARTS})[\w-]+ (?:that|which) )(?:the [\w-]+|he|she|they|we|i) [\w-]+"),
    Row(_ORDERING, Flag.ORDERING, "Who comes in second place, and who speaks first and then sits down?",
        rf"\b(?:{_NTH}|first|last) place\b|\b(?:first|next)\b.*\band (?:then|who|what|which|afterwards)\b"),
    Row(_ORDERING, Flag.ORDERING, "Who is the second guest to speak?",
        rf"\b(?:what|which|who)\b.*\bthe (?:first|last|{_NTH})(?: two| three| four)? [\w-]+ to (?!the\b|an?\b)\w+"),
    Row(_ORDERING, Flag.ORDERING, "At which try does it work?",
        r"\b(?:at|on|in|after) (?:which|what) (?:attempt|try|round|lap|go|set|turn)\b"),
    Row(_ORDERING, Flag.ORDERING, "Who takes the last shot?",
        rf"\bwh(?:o|ich|en|ose)\b.*(?<!in )(?<!of )(?<!at )(?<!during )(?<!after )(?<!before )\bthe (?:first|last|{_NTH}) (?:{_HAPPENINGS})\b"),
    Row(_ORDERING, Flag.ORDERING, "How much time passes between the two calls?",
        r"how (?:long|much time|many (?:seconds|minutes|hours|days|weeks|months|years)) "
        r"(?:(?:passe[sd]|pass|elapse[sd]?|lies?|goes by|(?:is|are|was|were) (?:it|there)) )?(?:between|after|before)\b"
        r"|how much (?:later|earlier)"),
    Row(_ORDERING, Flag.STATE_CHANGE, "How does the lake change over time?",
        r"(?:chang|evolv|develop|progress|transform|shift|vary|varie|grow)\w*\b.*(?:over time|over the years|\bfrom (?:the )?[\w-]+ to\b|from one \w+ to the (?:next|other)|since|throughout|by the end|(?:over|in) the course"
        rf"|(?:during|over) the (?:{_SPANS})|from (?:the )?(?:beginning|start|first|earliest) (?:[\w-]+ )?to|across the (?:video|film|scenes))"),
    Row(None, Flag.STATE_CHANGE, "What does the frog turn into? It becomes a prince.",
        r"\b(?:change[sd]?|becom\w+|turn(?:s|ed)? into|transform\w*|transition\w*|turning point)\b"),
    # ---- quantitative comparison
    Row(_COMPARISON, Flag.NUMERIC, "Is the red car faster than the blue one?",
        rf"\b(?:{_MORE})\b.*\bthan\b(?! (?:once|twice|one|two|\d))"),
    Row(_COMPARISON, Flag.NUMERIC, "Who talks longer, the guide or the driver?",
        rf"\b(?:which|who|whose|what)\b.*\b(?:{_MORE})\b[^,:]*[,:] .*\bor\b"),
    Row(_COMPARISON, Flag.NUMERIC, "Does she spend more time reading or writing?",
        rf"^\W*(?:do|does|did|is|are|was|were|has|have)\b.*\b(?:(?:more|fewer|less) (?:time|often|[\w-]+s)\b|(?:{_ERS})\b).*\bor\b"),
    Row(_COMPARISON, Flag.NUMERIC, "Which side has fewer losses?",
        rf"\b(?:which|who)\b.*\b(?:more|fewer) [\w-]+s\b(?!.*{_ONE_MOMENT})|\b(?:which|who)(?: one)? of the\b.*\b(?:{_MORE})\b(?! (?:likely|plausible))"
        rf"|\b(?:which|who)\b.*\b(?:us(?:es|ed)|t(?:akes|ook)|needs?|needed|spen[dt]s?|g[eo]ts?|earn(?:s|ed)|los(?:es|t)) (?:{_MORE})\b"),
    Row(_COMPARISON, Flag.NUMERIC, "What is the difference in height?",
        rf"how much (?:{_MORE})|difference (?:in|between)\b.*\b(?:{_QUANTITIES}|size|length|and)\b"),
    Row(_COMPARISON, Flag.NUMERIC, "Who has the most points?",
        rf"\b(?:{_NTH})[- ](?:{_NO_EST}\w+est|most|least)\b|\bthe (?:{_MOST})\b(?! \w+ (?:made|called|named|painted|doing|wearing|holding|saying)\b)(?! (?:likely|important|plausible|reasonable|appropriate|accurate|probable|suitable|obvious"
        r"|famous|common reason))"),
    Row(_COMPARISON, Flag.NUMERIC, "Which lake is the deepest?",
        rf"\bwh(?:ich|o|at)\b.*\bthe {_NO_EST}\w+est{_AT_END}"),
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
        r"^\W*why\b|\bhow come\b|^\W*how (?:would|might|could|should)\b|\bin (?:what|which) (?:way|sense|respect)\b|[,;] (?:and |but )?why\b|\bwhy (?:do|does|did|is|are|was|were|has|have|would|might|could|can)\b"),
    Row(_HYPOTHESES, None, "What goes wrong because of the fog?",
        r"\b(?:(?:affect|influence|impact|contribut)\w*|factors?|a (?:matter|question) of)\b|\b(?:because of|due to|thanks to|(?:as a|the) (?:result|consequence) of)\b"),
    Row(_HYPOTHESES, None, "Which town does she prefer?",
        r"\b(?:which|what|who)\b.*\b(?:like[sd]? (?:best|most|least|better)|(?:prefer|admire|fear)\w*)\b"),
    Row(_HYPOTHESES, None, "What is the purpose of the test?",
        r"(?<!before the )(?<!after the )(?<!during the )\b(?:(?:reason|purpose|motive|intention|intent|moral|lesson|meaning|theme|message|implication|cause)s\b"
        rf"|(?:reason|purpose|motiv\w+|intention|intent|moral|lesson|meaning|significance|theme|message|implication|cause)\b{_NO_COMPOUND}){_NOT_WRITTEN}"),
    Row(_HYPOTHESES, None, "Which title best describes the clip?",
        r"best (?:way|mean|describ|explain|summar|captur|characteri|reflect|represent|match|fit|support|account|descr|explan)\w*"),
    Row(_HYPOTHESES, None, "Was that the right decision?",
        r"\b(?:good|right|wrong|wise|fair|bad|better) (?:decision|choice|title|idea|reason|name for)\b|\b(?:play a|role does|role do|role of)\b"),
    Row(_HYPOTHESES, None, "Does the footage point to an accident?",
        r"\b(?:evidence|footage|clues?|signs?|facts?|findings?)\b.*\b(?:point to|speaks? (?:for|against)|indicate|prove)s?\b"),
    Row(_HYPOTHESES, None, "Which title suits the clip best?",
        r"\b(?:suit|fit|describe|explain|summari[sz]e|capture|reflect)s?\b.*\bbest\b"),
    Row(_HYPOTHESES, None, "Which title would suit the clip?",
        r"\b(?:would|could|might) (?:\w+ )?(?:suit|fit|match|describe|explain|summari[sz]e|capture)\b"),
    Row(_HYPOTHESES, None, "What does the white dove stand for?",
        r"what (?:do|does|did) (?!.*\b(?:chart|graph|map|diagram|legend|abbreviation|acronym|initials|letters?|lines?|icon|formula)\b)"
        r".*\b(?:stand for|represent|mean)\b"),
    Row(_HYPOTHESES, None, "Who do you think took it?",
        r"\b(?:do|would|can) you (?:think|suppose|believe|guess|say)\b|\bin your (?:opinion|view)\b"),
    Row(_HYPOTHESES, None, "What effect does the fog have?",
        rf"\b(?:what|which) (?:(?:is|are|was|were) )?(?:(?!(?:before|after|during|while|since|until)\b)[\w'’-]+ ){{0,4}}?"
        rf"(?:(?:{_ABSTRACT})s\b|(?:{_ABSTRACT})\b{_NO_COMPOUND}){_NOT_WRITTEN}"),
    Row(_HYPOTHESES, None, "What is strange about the house?",
        rf"\bwhat (?:is|was|seems) (?:so |most )?[\w-]+ about\b|^\W*(?:is|are|was|were|can)\b.*\b(?:{_JUDGED})\b"
        r"|\b(?:really|truly|actually)\b.*\bor\b|\bthe (?:real|true|actual|deeper|hidden|ultimate) (?!name|size|order)\w+|\bthe same [\w-]+ as\b"),
    Row(_HYPOTHESES, None, "What do the two films have in common?",
        r"\b(?:in common|common (?:feature|trait|element|theme|denominator)s?|similar(?:ity|ities)|differs? from|(?:connection|link) between)\b"),
    Row(_HYPOTHESES, None, "Which of these is not part of the plan?",
        r"\bwhich (?:one )?of (?:these|those|the (?:following|options|answers|choices)|them)\b.*\b(?:not|never|except)\b"),
    Row(_HYPOTHESES, None, "For whom was the film made?",
        r"\bfor wh(?:om|at)\b|\b(?:audience|intended|aimed at|meant (?:to|for|by))\b"),
    Row(_HYPOTHESES, None, "What does he think about the plan?",
        r"\b(?:think|feel|thinks|feels|thought|felt) (?:of|about)\b|\bmean(?:s|t)? by\b"
        r"|\b(?:kind|sort|type) of (?:video|film|programme|program|movie|story|person|man|woman|character)\b"),
    Row(_HYPOTHESES, None, "What could have saved the boat?",
        r"\b(?:could|might|should|would|must)\b(?! (?:[\w-]+ ){0,3}?(?:seen|heard|found|read|say)\b)"
        r"|\b(?:is|are|was|were)\b.*\bgoing to\b|^\W*(?:what|who|how|which)(?: [\w-]+)? will\b"),
    Row(_HYPOTHESES, None, "How convincing is her excuse?",
        rf"\bhow (?!{_MEASURED})[\w-]+ (?:is|are|was|were)\b|\bhow well\b|^\W*what (?:makes|made)\b"
        r"|\b(?:is|are|was|were|feels?|seems?|becomes?|so) (?:happy|sad|angry|afraid|proud|ashamed|jealous|nervous|disappointed|relieved"
        r"|grateful|surprised|upset|worried|satisfied)\b"),
    Row(_HYPOTHESES, None, "Is this a sign of luck or of skill?",
        r"\ban? (?:sign|proof|symbol|case|act|expression|form|mark|symptom|test|result) of\b|\b(?:lies|is|was|stands) behind (?:the|his|her|their"
        r"|this) (?:\w+ )?(?:decision|change|refusal|success|failure|move|idea|rise|fall)|\b(?:lies|lay) behind\b"
        r"|\b(?:meant|understood|expressed|caused|explained) by\b|\b(?:meant|intended|seen|understood|interpreted) as\b"),
    Row(_HYPOTHESES, None, "How does the author show her anger?",
        r"\bhow (?:do|does|did) the (?:director|film|filmmaker|author|writer|poet|painter|video|documentary|story|narrator|lecture|speech)\b"
        r"|\b(?:position|views?|take) on\b|\bhop(?:e|es|ed|ing) to\b|\bwarn\w* against\b|'s (?:view|picture|image|idea|sense) of\b|\bmore of an?\b|\b(?:joke|punch ?line|satir\w+|parod\w+|allusion|dedicated)\b"),
    Row(_HYPOTHESES, None, "Is he asleep, or is he only resting?",
        r"^\W*(?:is|are|was|were|does|do|did|has|have)\b.*\bor (?:is|are|was|were|does|do|did|has|have) (?:he|she|it|they|the|there)\b"),
    Row(_HYPOTHESES, None, "Whose fault is it?",
        r"\b(?:fault|deserves?|learn\w* (?:about|from)|take away from|expect(?:s|ed)? (?:from|of))\b|^\W*wh(?:at|o) .*\bby \w+ing\b"
        r"|^\W*(?:does|do|did)\b.*\b(?:know|understand|love|want|believe|intend|regret|trust|reali[sz]e|accept|approve)\b"),
    Row(_HYPOTHESES, None, "Which saying fits the story?",
        r"\b(?:which|what) (?:[\w-]+ )?(?:fits?|suits?|applies|describes?|explains?|summari[sz]es?|captures?|sums)\b"),
    Row(_HYPOTHESES, None, "Who profits from the war?",
        r"\b(?:benefits? from|profits? from|prevent(?:s|ed)?|result(?:s|ed)? in|led to|persuade[sd]?|convince[sd]?|inspire[sd]?|motivate[sd]?"
        r"|symboli[sz]e[sd]?|illustrate[sd]?|emphasi[sz]e[sd]?|praise[sd]?|mock(?:s|ed)?|regret(?:s|ted)?|(?:dis)?agrees? with|(?:dis)?trust(?:s|ed)?"
        r"|doubt(?:s|ed)?)\b|^\W*(?:what|which [\w-]+) (?:drove|drives|led|leads|brought|moved|pushed|forced|prompted|caused)\b|\bhow (?:is|are|was|were) .*\b(?:related|connected|linked|portrayed|depicted|presented|characteri[sz]ed|treated)\b"),
    Row(_HYPOTHESES, None, "Is what happens here normal?", r"\b(?:normal|abnormal|anomal\w+|unusual)\b"),
    Row(_HYPOTHESES, None, "How can his silence be explained?",
        r"\bhow (?:can|could|might|should|would) .*\bbe (?:explained|interpreted|understood)\b|\bwhat explains\b"),
    Row(_HYPOTHESES, None, "How might she react to the news?",
        r"\bhow (?:might|would|could|will) .*\b(?:react|respond|behave)\b"
        r"|\bhow (?:do|does|did) .*\b(?:view|regard|perceive|judge|assess|interpret)\b|what (?:can|could) (?:you|we|one) (?:tell|say)\b"
        r"|\bthe point .*\bmak(?:e|es|ing)\b"),
    Row(_HYPOTHESES, None, "Who is to blame for the delay?", r"\b(?:responsible|to blame|at fault|guilty)\b"),
    Row(_HYPOTHESES, None, "Is he lying or telling the truth?",
        r"\b(?:lying or|or lying|tell\w* the truth|honest(?:ly)?|sincere(?:ly)?|pretend\w*|on purpose|deliberate(?:ly)?"
        r"|intentional(?:ly)?)\b"),
    Row(_HYPOTHESES, None, "What is he most likely to do?",
        r"most (?:plausible|reasonable|appropriate|accurate\w*|suitable)|\b(?:likel(?:y|iest)|probabl[ey]|presumabl[ey])\b"),
    Row(_HYPOTHESES, None, "Which statement fits?",
        r"\b(?:statement|claim|explanation|interpretation|conclusion|inference|description|summary|assertion)s?\b"),
    Row(_HYPOTHESES, None, "Which of these is true?",
        rf"\b(?:is|are|was|were) (?:\w+ )?(?:not )?(?:{_VERDICTS})\b(?! (?:answer|order|sequence|number|name|spelling))"
        r"|true or false"),
    Row(_HYPOTHESES, None, "What can be inferred?",
        r"\b(?:infer\w*|conclude\w*|impl(?:y|ies|ied)|symboli[sz]\w+|foreshadow\w*|deduce\w*|suggests? about|hints? at|criticis\w+|criticiz\w+"
        r"|evok\w+|convey\w*|tr(?:y|ies|ied|ying) to (?:prove|show|say|tell|express|achieve|argue|teach)|reveal\w*|(?:prove|show|mean)s? that|comes? across|(?:tell|teach|show)s? us|(?:say|tell)s? about (?:him|her|them|us|it))\b"
        r"|\b(?:can|could|may|might) (?:not )?be (?:learn\w*|drawn|derived|said|understood|seen as|expected|assumed|true|right|correct)\b"),
    Row(_HYPOTHESES, None, "What is the mood of the song?",
        r"how (?:do|does|did|might|would) .*\bfeel\b"
        r"|\b(?:atmosphere|assumption|hypothes[ie]s|thesis|stereotype|dilemma|bias|attitude|opinion|viewpoint|perspective|stance|impression|mood|tone|emotion|feeling|personality|relationship|genre)s?\b"),
    Row(_HYPOTHESES, None, "What is the main idea?",
        r"\b(?:main|central|overall|primary|underlying|key) (?:idea|topic|point|subject|theme|goal|purpose|focus|argument"
        r"|conflict|message|lesson|takeaway)|mainly about|what (?:is|was) [^,;]*\babout\W*$|turning point"),
    Row(_HYPOTHESES, None, "What would have happened otherwise?",
        r"what (?:if|would (?:have )?happen\w*)|\bwould\b.*\bif\b|\bif\b.*\bwould\b|would (?:[\w-]+ ){0,3}have\b|\bwhether\b"
        r"|\b(?:will|might|may|could|going to)\b.*\bnext\W*$|what (?:kind|sort|type) of person"
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
