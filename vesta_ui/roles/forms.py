"""The forms in which a model fills in a role's answer, and the small slips that are put right before they are checked.

Only spelling is put right: names, wrappers, time formats, superfluous fields. Nothing missing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator

from vesta_ui.domain import Demand, Flag
from vesta_ui.models.structured import loads
from vesta_ui.roles import Card

# --------------------------------------------------------------------------------------- small values


def seconds(value: Any) -> Any:
    """A time in seconds: a number, "12.5", "12,5 s", "01:02.5", "1:02:03,500" or "1m 2s"."""
    if not isinstance(value, str):
        return value
    text = re.sub(r"(?<=\d),(?=\d{1,2}\D*$)|(?<=:\d\d),(?=\d)", ".", value.strip().lower())
    if text and (named := _NAMED.fullmatch(text)):
        return sum(float(part or 0) * unit for part, unit in zip(named.groups(), (3600, 60, 1), strict=True))
    text = text.removesuffix("s").strip()
    if re.fullmatch(r"\d+(?::\d{1,2}){1,2}(?:\.\d+)?", text):
        return reduce(lambda total, part: total * 60 + float(part), text.split(":"), 0.0)
    return text


_NAMED = re.compile(
    r"(?:(\d+) ?h(?:(?:ou)?rs?)?)? ?(?:(\d+) ?m(?:in(?:ute)?s?)?)? ?(?:(\d+(?:\.\d+)?) ?s(?:ec(?:ond)?s?)?)?"
)


def share(value: Any) -> Any:
    """A confidence in [0, 1]: also "0.8", "80 %", 80, or a word."""
    if isinstance(value, str):
        text = value.strip().lower()
        if text in _WORDS:
            return _WORDS[text]
        percent = text.endswith("%")
        try:
            value = float(text.rstrip("% ").replace(",", "."))
        except ValueError:
            return text
        return value / 100 if percent else share(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 < value <= 100:
        return value / 100
    return value


_WORDS = {"low": 0.3, "medium": 0.6, "high": 0.9, "certain": 1.0, "very high": 0.95, "very low": 0.1}

# Bounds come before the validator, or pydantic writes them into the schema under names no provider knows.
Seconds = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(seconds)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), BeforeValidator(share)]
Text = Annotated[str, BeforeValidator(lambda v: "" if v is None else v)]


def entry_ids(value: Any) -> Any:
    """Ids of ledger entries, from a list or a text that names them ("[e1] and E2: …")."""
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        return [] if value is None else value
    return [name for part in parts for name in re.findall(r"(?i)\be\d+\b", part) or [part] if name]


def alone(value: Any) -> Any:
    """The answer out of a list of one, or of an object that holds only its label."""
    if isinstance(value, list | dict) and len(value) == 1:
        return value[0] if isinstance(value, list) else next(iter(value.values()))
    return value


class Form(BaseModel):
    model_config = ConfigDict(extra="ignore")


# --------------------------------------------------------------------------------------- router
def _known(kind: type[Demand] | type[Flag]) -> Any:
    def keep(value: Any) -> Any:
        if isinstance(value, str):
            value = [value]
        elif isinstance(value, dict):
            value = [name for name, holds in value.items() if holds]
        elif not isinstance(value, list | None):
            raise ValueError("Input should be a list of names")
        names = (str(v).strip().lower().replace("-", "_").replace(" ", "_") for v in value or ())
        return [name for name in dict.fromkeys(names) if name in set(kind)]

    return BeforeValidator(keep)


class EstimateForm(Form):
    """ρ as a model fills it in."""

    demands: Annotated[list[Demand], _known(Demand)]
    flags: Annotated[list[Flag], _known(Flag)]
    confidence: Share
    why: Text


# --------------------------------------------------------------------------------------- observer
def yes_no(value: Any) -> Any:
    """yes, no or unclear, also as true and false or in capitals; None for nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip().lower() or None if isinstance(value, str) else value


class StanceForm(Form):
    label: str
    supports: bool
    weight: Share


class Sighting(Form):
    """One thing seen. Null or empty where there is nothing to say."""

    start_s: Seconds
    end_s: Seconds
    content: str = Field(min_length=1)
    verdict: Annotated[Literal["yes", "no", "unclear"] | None, BeforeValidator(yes_no)] = None
    confidence: Share | None = None
    text: Text = ""
    event: Text = ""
    state: Text = ""
    number: Annotated[float | None, BeforeValidator(lambda v: None if v == "" else v)] = Field(
        None, allow_inf_nan=False
    )
    number_of: Text = ""
    stances: Annotated[list[StanceForm], BeforeValidator(lambda v: [] if v is None else v)] = Field(
        default_factory=list
    )


class InspectForm(Form):
    observations: list[Sighting]

    @model_validator(mode="before")
    @classmethod
    def listed(cls, value: Any) -> Any:
        return {"observations": value} if isinstance(value, list) else value


class JudgeForm(Sighting):
    """One judgment about one clip."""

    verdict: Annotated[Literal["yes", "no", "unclear"], BeforeValidator(yes_no)]
    confidence: Share


# --------------------------------------------------------------------------------------- reasoner
def decision_form(cards: Sequence[Card]) -> type[BaseModel]:
    """The schema of one decision: a thought, and an action with the arguments of one of these operations."""
    by_name = {card.name: card for card in cards}

    class Tidy(Form):
        @model_validator(mode="before")
        @classmethod
        def tidy(cls, value: Any) -> Any:
            return tidied(value, by_name) if isinstance(value, dict) else value

    options = [
        create_model(
            f"{card.name.title()}Action",
            operation=(cast(Any, Literal[card.name]), ...),
            arguments=(card.arguments, ...),
            __doc__=card.summary,
        )
        for card in cards
    ]
    action: Any = options[0] if len(options) == 1 else Annotated[reduce(or_, options), Field(discriminator="operation")]
    return create_model("Decision", __base__=Tidy, thought=(str, ""), action=(action, ...))


_OPERATION_KEYS = ("operation", "name", "tool", "tool_name", "function", "action")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "params", "action_input", "input")


def tidied(value: dict[str, Any], cards: dict[str, Card]) -> dict[str, Any]:
    """`{thought, action: {operation, arguments}}` from the ways models write it down."""
    inner = value.get("action")
    action = inner if isinstance(inner, dict) else value
    name = next((action[k] for k in _OPERATION_KEYS if isinstance(action.get(k), str)), None)
    arguments = next((action[k] for k in _ARGUMENT_KEYS if k in action), None)
    if name is None:
        # {"inspect": {…}}, or a bare answer
        name = next((k for k in action if operation_name(k) in cards and isinstance(action[k], dict)), None)
        arguments = action.get(name) if name else arguments
        if name is None and "finalize" in cards and "answer" in action:
            name, arguments = "finalize", action
    if isinstance(arguments, str):
        read = loads(arguments)
        arguments = {"(not JSON)": arguments[:80]} if read is None and arguments.strip() != "null" else read
    operation = operation_name(name) if isinstance(name, str) else name
    if isinstance(arguments, dict) and operation in cards:
        arguments = _fields(arguments, cards[operation].arguments)
    thought = next((value[k] for k in ("thought", "reasoning", "why") if isinstance(value.get(k), str)), "")
    return {"thought": thought, "action": {"operation": operation, "arguments": {} if arguments is None else arguments}}


def operation_name(name: str) -> str:
    """The name without a prefix such as `functions.` or `tools/`, in our spelling."""
    return re.split(r"[.:/]", name.strip())[-1].strip("() ").lower().replace("-", "_")


def _fields(arguments: dict[str, Any], schema: type[BaseModel]) -> dict[str, Any]:
    """Only fields of the schema, with intervals as lists of [start, end] in seconds."""
    known = set(schema.model_fields)
    given = dict(arguments)
    if "intervals" in known and "intervals" not in given:
        if "interval" in given:
            given["intervals"] = [given["interval"]]
        elif (one := _span(given)) is not None:
            given["intervals"] = [one]
    if "interval" in known and "interval" not in given:
        if isinstance(given.get("intervals"), list) and len(given["intervals"]) == 1:
            given["interval"] = given["intervals"][0]
        elif (one := _span(given)) is not None:
            given["interval"] = one
    if "intervals" in known and (many := given.get("intervals")) is not None:
        if not isinstance(many, list) or (len(many) == 2 and all(map(_moment, many))):
            many = [many]
        given["intervals"] = [_pair(part) for part in many]
    if "interval" in known and given.get("interval") is not None:
        given["interval"] = _pair(given["interval"])
    if "confidence" in given:
        given["confidence"] = share(given["confidence"])
    if "evidence" in given:
        given["evidence"] = entry_ids(given["evidence"])
    if "answer" in given:
        given["answer"] = alone(given["answer"])
    optional = {name for name, field in schema.model_fields.items() if not field.is_required()}
    return {name: v for name, v in given.items() if name in known and not (v is None and name in optional)}


def _moment(part: Any) -> bool:
    """Whether it is one time, and no interval."""
    return isinstance(part, int | float) or (isinstance(part, str) and not isinstance(_pair(part), list))


def _pair(part: Any) -> Any:
    """[start, end] in seconds, from a list, an object, or a text such as "0:10–0:20"."""
    if isinstance(part, str):
        ends = re.split(r"(?<=[\ds]) ?(?:-|–|—|to) ?(?=\d)", part.strip().lower())
        part = ends if len(ends) == 2 else part
    if isinstance(part, dict):
        return _span(part)
    return [seconds(time) for time in part] if isinstance(part, list) else part


def _span(part: dict[str, Any]) -> list[Any] | None:
    for start, end in (("start_s", "end_s"), ("start", "end"), ("from", "to"), ("start_time", "end_time")):
        if start in part and end in part:
            return [seconds(part[start]), seconds(part[end])]
    return None
