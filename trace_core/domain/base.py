"""The base of every value that is written to the record: frozen, strict, plain JSON."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen value whose JSON form is stable: unknown fields are refused, not ignored.

    So are numbers without end and what is no number: JSON has no word for them, and an event that
    cannot be read again would end its run for good.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
