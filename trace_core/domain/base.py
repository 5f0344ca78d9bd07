"""The base of every value that is written to the record: frozen, strict, plain JSON."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value whose JSON form is stable: unknown fields are refused, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
