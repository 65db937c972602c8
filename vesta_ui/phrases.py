"""The words in which an answer names, states, doubts, denies or takes back a choice, as patterns.

They know no question: `vesta_ui.answers` decides what they mean for the choices at hand.
"""

from __future__ import annotations

import re

NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|$)", re.DOTALL | re.IGNORECASE)
FIELD = re.compile(
    r"(?:[\"'](?:final_)?(?:answer|choice|option|label)[\"']\s*:|\b(?:answer|choice)=(?=[\"']))\s*(\[[^\]\n]*\]|[\"']?[^\"'\n}]+)",
    re.IGNORECASE,
)
MARKUP = re.compile(r"\\boxed|\\text(?:bf)?|\*\*|__|[`$\\*{}]|</?\w+>")
STATES = (
    r"\b(?:answer|choice|option|pick|selection|conclusion|guess)\b(?: (?:here|must|should|would|to the question))*\s*(?:is|be|remains|'s|[:=→>-])+"
    r"|\b(?:i|we)(?:'d| would| will|'ll| have to| must)? (?:choose|pick|select|go with|say|answer|settle on|opt for|conclude|guess)\b"
    r"|答案\s*[是为:】]*|选[项择]?"
)
FILLER = r"(?:\s|[\"'“(\[:]|\b(?:most|likely|probably|clearly|definitely|therefore|thus|indeed|that|it|is|it's|the|an?|option|choice|letter|answer)\b)*"
STATEMENT = re.compile(rf"(?:{STATES}){FILLER}", re.IGNORECASE)
SMALL = re.compile(
    rf"(?:(?i:{STATES})[\s\"'(\[]*(?:option |choice )?|[(\[])(?P<label>[a-j])(?=[)\]]?\s*(?:$|[.,;:!\n)\]]))"
)
LEADING = (
    "is|was|were|be|does|do|it|it's|its|so|thus|therefore|hence|but|not|or|and|nor|neither|either|both|than|of|out|say|for|to|between|with"
    "|over|left|leave[sd]?|leaving|only|against|because|since|while|whereas|as|that|if|whether|choos(?:e|ing)|pick(?:ing)?|select(?:ing)?|prefer"
    "|favou?rs?|supports?|shows|matches|fits|eliminate[sd]?|reject(?:s|ed)?|exclude[sd]?|maybe|perhaps|probably|likely"
    "|certainly|definitely|clearly|surely|actually|really|conclude|(?:look|seem|sound)s? like"
)
"""Words after which a capital letter is a label, as in "so C"; after others it is a name, as in "vitamin C"."""
LETTER = re.compile(
    r"(?:(?P<sure>(?i:\b(?:option|choice|answer|letter)s?\s+|答案\s*[是为:】]*\s*|选[项择]?\s*)|[(\[])"
    rf"|(?:(?:^|[.:;!?,/&+|>\n—–-])\s*|(?i:(?:\b(?:{LEADING})|'s)\s+))[\"'“‘]?|(?<!\S)(?=[A-J]\s*(?:or|and|[,/])\s*[A-J]\b))"
    r"(?<![Nn]/)(?<![Nn] / )(?P<label>[A-J])(?![\w'&]|\.\w)"
)
VERB = re.compile(
    r"\s+(?:is|was|are|and|or|nor|because|since|as|seems?|looks?|appears?|match(?:es)?|fits?|would|can|cannot|could|does|doesn|isn|must|should|may|might|has"
    r"|contradicts?|describes?|says|states|but|not|rather|over|instead|wins|remains|only|too|then|here|best|clearly|makes|maybe|perhaps|while|whereas|although|though|than|by|in|from|with|on|at|to|if|when|which|that)\b"
)
CUE = re.compile(
    r"(?P<turn>(?:(?<=\bcorrect )|(?<=\bright )|(?<=\btrue ))and\b|(?:[.;!?]|(?<!:)\n)(?!\d)|—|(?<!\bnot )\b(?:but|so|therefore|thus|hence|because|since|while|whereas|however|leaving|leaves|instead(?! of)|actually|as|(?:al)?though)\b|,\s*(?:i|we|it|(?:the|my) (?:\w+ ){0,2}(?:answer|choice|option))\b)"
    r"|(?P<aux>\b(?:is|are|was|were|does|do|did|can|could|would|will|should|has|have)(?:n't|\s+not)\b|\bcannot\b|\bfails?\b|\bnever\b)"
    r"|(?P<back>\b(?:(?<!at )least|(?<!no )less (?:likely|plausible|probable|convincing|consistent|accurate)(?: than)?|lacks?|absent|nowhere|(?<=\bis )out(?=\s*(?:[.,;!]|$))|doubtful|dubious|questionable|wrong"
    r"|incorrect|false|untrue|unsupported|implausible|unlikely|impossible|irrelevant|refuted|contradicted|(?:ruled|crossed) out|eliminated"
    r"|excluded|rejected|discarded|dismissed)\b)"
    r"|(?P<ahead>\b(?:(?:everything|anything|nothing|all|any)(?: (?:of )?(?:them|these|those|options?|choices?))? but|no (?!doubt|question|wait)(?=\w)"
    r"|nothing(?! else)|hardly|scarcely|(?<!no )(?<!without )doubts?|not|neither|nor|contradict(?:s|ing)?)\b)"
    r"|(?P<only>\b(?:apart from|aside from|rather than|instead of|other than|except|unlike|without|over|than|against|rul(?:e|es|ing) out|eliminat(?:e|es|ing)"
    r"|reject(?:s|ing)?|exclud(?:e|es|ing)|dismiss(?:es|ing)?|discard(?:s|ing)?|refut(?:e|es|ing))\b)"
    r"|(?P<open>\b(?:whether|if|unclear|unsure|between|either|suppos(?:e|ing)|assum(?:e|ing)|imagine"
    r"|(?<!\bi )(?<!\bwe )(?:might|may|could|would) (?:say|think|argue|claim|guess)"
    r"|(?:let me|let us|let's|(?:need|want|have|going) to|should|will|'ll|must)"
    r" (?:look|inspect|check|see|watch|listen|search|verify|examine|review)(?!\s*:)"
    rf"|(?:at (?:least|most)|up to|(?:more|fewer|less) than)(?= \W?(?:\d|{'|'.join(NUMBER_WORDS)})))\b)"
    r"|(?P<weak>\b(?:(?:also|equally|just as|still) )?(?:possible|plausible|conceivable)\b)"
    r"|(?P<hedge>(?<!or )\b(?:maybe|perhaps|possibly|might|could)\b)",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:can(?:no|')t|cannot|could not|couldn't|unable to|impossible to|hard to|not possible to)\s+(?:be )?(?:\w+ )?(?:tell|say|determined?|know|answer|decide"
    r"|identify|establish)|\b(?:insufficient|not enough|inconclusive|unclear|unknown|don't know|not sure|no (?:clear )?(?:evidence|answer|way to))\b"
    r"|\b(?:i|we) (?:can't|cannot|can not|couldn't) (?:\w+ )?(?:see|watch|view|access|verify|confirm)\b"
    r"|\b(?:no (?:less|more)|equally|just as) (?:likely|plausible|possible|probable)\b|\bor (?:more|fewer|less)\b",
    re.IGNORECASE,
)
BESIDE = re.compile(
    r"\W*(?:\bor\b|\band\b|[/&,+|])\W*(?:(?:option|choice|the|an?|maybe|perhaps)\s+)*\W*", re.IGNORECASE
)
BEHIND = re.compile(r"\s*[:,(\[–—-]\s*(?:(?:option|choice|the|an?)\s+)*", re.IGNORECASE)
"""Joins a choice's label with its text ("B: the tram", "the tram (B)"); with another's they contradict each other."""
RETRACTS = re.compile(
    r"(?:^|[.!?\n,;—–-])\s*(?:(?:but|and|oh|hmm+|ah|so|well|or)\W+)*(?:(?:wait|actually|correction|sorry|oops|scratch that|edit(?=:)|on (?:(?:second|further|closer) )?(?:thought|look|reflection|inspection)s?"
    r"|no,? wait|(?<=or )(?:is|was) it)\b|no(?=\s*(?:[,:;.!—–-]|$))|(?:(?:that|this|it|which)(?:'s| is| was| seems| looks)?\s+)?(?:wrong|incorrect|not (?:right|correct))\b(?!\s*:))",
    re.IGNORECASE,
)
EXPLAINS = re.compile(
    r"\W*(?:explanation|explained|reason(?:ing|s)?|rationale|justification|because|since)\b", re.IGNORECASE
)
LEADS_OUT = re.compile(
    r"\b(?:least|not|wrong|incorrect|except|but|excluded|eliminated|ruled out)\b[^.\n]*$", re.IGNORECASE
)
YES_AND_NO = re.compile(
    r"\b(?:(?:yes|true)[\s,;/]+(?:(?:and|or|but)\s+)?(?:then\s+)?(?:no|false)\b(?!\s+(?:doubt|question|problem|one|other))"
    r"|(?:no|false)[\s,;/]+(?:(?:and|or|but)\s+)?(?:then\s+)?(?:yes|true)\b)",
    re.IGNORECASE,
)
OF_THESE = (
    r"of (?:these|those|them|the (?:above|others?|options|choices|answers)(?: (?:above|options|choices|given|listed))?)"
)
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
NTH = rf"(?:{'|'.join(ORDINALS)})"
NUMBERED = re.compile(
    rf"\b(?:(?:option|choice)s?\s?#?(?P<digits>\d\d?(?:(?:\s?[,/&-]\s?|\s(?:or|and)\s)\d\d?)*)\b(?!\.\d)"
    rf"|(?<!my )(?P<words>{NTH}(?:\s(?:or|and)\s(?:the )?{NTH})*)\s(?:option|choice)s?\b)",
    re.IGNORECASE,
)
DIGITS = dict(zip(NUMBER_WORDS, map(str, range(13)), strict=True))
ELSEWHERE = re.compile(
    rf"\b(?:\d+|{'|'.join(NUMBER_WORDS)})[\s-]+(?:(?!(?:in|at|for|across|over|and|or|with)\b)\w+\s+){{0,2}}?"
    r"(?P<unit>frames?|shots?|clips?|scenes?|seconds?|minutes?|hours?|times?|images?|pictures?|views?|angles?|segments?"
    r"|parts?|steps?|entries|entry|of (?:them|these|those))\b",
    re.IGNORECASE,
)
"""An amount of what a video is cut into or of how often it was looked at: the count asked for only if that was asked."""
ASKED_AS = (("often", "times"), ("long", "seconds minutes hours"))
"""Words of a question that ask for a unit without naming it."""
COUNTED = r"(?<!step )(?<!scene )(?<!frame )(?<!page )(?<!\s[-−])(?<!^[-−])"
"""Stands before a number that is an amount: no name of a step or scene, no sign."""
REPLIES = r"(?=\s*(?:[.,;:!—–-]|$|\n)|\s+(?:it|he|she|they|there|the|this|that|we|i|you)\b)"
"""Stands behind a "no" that is an answer, not a determiner ("no idea")."""
CONCLUDES = re.compile(r"\b(?:final|therefore|thus|hence|so|in conclusion|overall|in the end)\b", re.IGNORECASE)
"""Words that let a later statement stand over an earlier one."""
CONCLUDING = re.compile(
    r"^\W*(?:(?:and )?(?:so|final|finally|therefore|thus|hence|in conclusion|overall)\b\W*)+", re.IGNORECASE
)
"""Opens a last line that is an answer: "Therefore: B"."""
SUPPOSED = re.compile(
    r"(?<![^.!?\n,;])[^.!?\n,;]*?\bwould\b[^.!?\n]*\b(?:had|were)\b[^.!?\n]*|(?<![^.!?\n])[^.!?\n]*\?"
    r"|(?:(?<![^.!?\n;])|(?<=\bbut))(?:(?!\bbut\b)[^.!?\n;])*?\b(?:(?<!even )(?<!as )if(?! (?:i|we) (?:had|have) to)|unless)\b"
    r"(?:(?!\bbut\b)[^.!?\n;])*"
    r"|(?<![^.!?\n;])\s*(?:had|were)\b[^.!?\n;]*?(?:\bwould|'d)\b[^.!?\n;]*",
    re.IGNORECASE,
)
"""A condition that is not said to hold with what would follow from it, or a question."""
SCORE = re.compile(r"\s*[:=]?\s*\d+(?:\.\d+)?(?![\d:%]|\.\d|\s?(?:%|s\b|sec))")
"""Stands behind a label that is only rated: "B 3, A 1"."""
SUBJECT = re.compile(r"\b(?:does|do|did)\s+(?:(?:the|an?)\s+)?(\w+ \w+)", re.IGNORECASE)
"""Whom a question asks about: "What does the nurse give …"."""
OPENS_WITH = re.compile(r"\W*(?:the|an?)\s+(\w+)", re.IGNORECASE)
"""Whom a clause is about, where it names someone."""
GOES_ON = re.compile(r"\s*,\s*\w|\s*(?:and|then)\b", re.IGNORECASE)
"""Stands behind a list that is longer than the choice: "red, green, then white"."""
IRREGULAR = """ring rang rung|give gave given|take took taken|leave left|bring brought|break broke broken|steal stole stolen
    |throw threw thrown|write wrote written|drive drove driven|ride rode ridden|eat ate eaten|drink drank drunk|find found
    |hold held|buy bought|sell sold|catch caught|hide hid hidden|wear wore worn|fall fell fallen|see saw seen|say said
    |tell told|run ran|come came|go went gone|make made|win won|lose lost|build built|send sent|speak spoke spoken
    |stand stood|sit sat|sing sang sung|begin began begun|choose chose chosen|draw drew drawn|fly flew flown|get got
    |keep kept|meet met|pay paid|sink sank sunk|swim swam swum|feel felt|wake woke woken|tear tore torn|blow blew blown
    |bite bit bitten|feed fed|dig dug|strike struck|light lit|hang hung|shake shook shaken|grow grew grown|lead led
    |forget forgot forgotten|sleep slept|creep crept|sweep swept|kneel knelt|spill spilt|burn burnt|teach taught"""
"""Verbs that change inside, the base form first."""
TIED = re.compile(r"\b(?:no (?:less|more)|equally|just as) (?:likely|plausible|possible|probable)\b", re.IGNORECASE)
"""Two choices held level: whatever is stated beside it is no decision."""
BELIEVED = re.compile(
    r"\b(?:(?:i|we) (?:\w+ ){0,2}?(?:thought|assumed|guessed|believed|expected|suspected)|initially|at first|originally)\b"
    r"[^.!?\n;]*?(?=\bbut\b|\bnow\b|[.!?\n;]|$)",
    re.IGNORECASE,
)
"""What the writer once thought, which is no answer."""
ENDING = re.compile(
    r"\b(?:so|therefore|thus|hence)\b\W*(?:(?:it|that|this)(?: is|'s| must be| has to be| leaves)?\s+)?(?P<answer>[^.!?\n]+[.!]?)\W*$",
    re.IGNORECASE,
)
"""The last clause, when it concludes: ", so C."."""
ADDED = re.compile(
    r"\s*(?:[,;/&+|]\s*)?(?:(?:or|and|also|possibly|maybe|perhaps|but (?:not|also))\b|[/&+|])", re.IGNORECASE
)
"""Stands behind a choice to which something is added: "A, possibly C"."""
CLAUSE = re.compile(
    r"[.;:!?\n()\[\]{}—–]|\s-\s|\b(?:but|so|therefore|thus|hence|because|since|while|whereas|however|(?:al)?though)\b"
    r"|(?P<late>,|\b(?:as|who|which|where|when|until)\b)",
    re.IGNORECASE,
)
"""Ends what is said of a choice; `late` only behind it, for "same as the tram" is one clause."""
SEEMING = re.compile(
    r"\b(?:i|we)(?:'\w+)?(?: \w+){0,2}? (?:think|believe|say|guess|conclude|see|saw|find|found|read|heard|count(?:ed)?|choos(?:e|ing)|pick(?:ing)?"
    r"|select(?:ing)?|go(?:ing)? (?:with|for)|settle on|opt for|favou?r|prefer|answer)\b"
    r"|\blooking (?:closely|carefully|again|at (?:the|this|all) \w+)|\b(?:looks?|seems?|appears?|sounds?) (?:like|to be)\b|\bpoints? to\b",
    re.IGNORECASE,
)
"""The writer's own view: "I think", "it looks like". Another's ("he says") changes what is named."""
PLAIN_WORDS = frozenset(
    """a an the this that these those it its he him his she her they them their there here i me my we us our you your one
    is are was were be been being am do does did has have had having will would must should can could may might
    of in on at to for from by with into or and both so then also too only just even still now yet
    yes well ok okay sure no doubt question not nor neither either than over rather
    option options choice choices answer answers letter label number amount price total result value year date time times order
    name person thing place reason cause statement claim count final correct right true best better good accurate valid
    most more likely probable plausible possible convincing consistent certain confident confidence certainly definitely clearly
    surely probably possibly maybe perhaps evidently apparently obviously simply indeed therefore thus hence seems seem looks
    appears chosen matches match fits fit supports support supported supporting verified verifies confirmed confirms agrees
    shows show shown seen visible heard happens occurs remains remain remaining left leaves leaving wins stands actually really
    based according given video film clip frame frames scene scenes shot ledger evidence entry entries transcript reference
    references exactly altogether mark what which how many much""".split()
)
"""Words that say no more than "this is it": beside a choice they change nothing about what is named."""
PLAIN_MARKS = re.compile(
    r"\b(?:[a-z]{1,9}[ -]?)?\d[\d:.,]*\s?(?:%|s\b|sec\b|min\b|seconds?\b|minutes?\b)?", re.IGNORECASE
)
"""Times, percentages and names of entries (e4), beside choices that are no numbers."""
PLAIN_TIMES = re.compile(r"\b(?:\d+:\d[\d:.]*|\d[\d.]*\s?(?:%|s\b|sec\b|seconds?\b)|[a-z]\d+\b)", re.IGNORECASE)
"""The same beside choices that are numbers."""
