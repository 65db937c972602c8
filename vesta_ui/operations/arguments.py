"""The argument schemas of the operations. Shown to a Reasoner as JSON Schema, checked before anything runs."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vesta_ui.errors import OperationRefused

A = TypeVar("A", bound="Arguments")
Moment = Annotated[float, Field(allow_inf_nan=False)]
Span = Annotated[list[Moment], Field(min_length=2, max_length=2, description="[start_s, end_s]")]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RetrieveArguments(Arguments):
    query: str = Field(min_length=1, description="what to look for, in words")
    interval: Span | None = Field(None, description="search only here; null: the whole video")
    k: int = Field(6, ge=1, le=15, description="how many scenes")


class InspectArguments(Arguments):
    intervals: list[Span] = Field(min_length=1, max_length=12)
    focus: str = Field("", description="what to attend to; may be empty")


class SpeechArguments(Arguments):
    intervals: list[Span] = Field(min_length=1, max_length=12)
    focus: str = Field("", description="what to listen for; may be empty")


class ClipArguments(Arguments):
    interval: Span
    question: str = Field(min_length=1, description="one targeted question about this clip")


class FinalizeArguments(Arguments):
    answer: str = Field(description="the label of the choice, or the answer in words when there are no choices")
    evidence: list[str] = Field(default_factory=list, description="ids of the ledger entries it rests on")
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    why: str = ""


def checked(schema: type[A], arguments: dict[str, Any]) -> A:
    """Validated arguments. Raises `OperationRefused` with every problem in one sentence."""
    try:
        return schema.model_validate(arguments)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
        raise OperationRefused(f"the arguments do not fit: {problems}") from error
