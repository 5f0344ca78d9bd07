"""The base of all reply shapes: the same field under whatever spelling a model gives it.

Field names are compared without capitals, hyphens and underscores (`subQuestions` is
`sub_questions`), under each of a field's names; a text where an object was asked for is the
object's main field. Unknown fields are ignored. What a field means is never guessed from its
value.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import AliasChoices, BaseModel, ConfigDict, model_validator

_NO_LETTER = re.compile(r"[\W_]+")


def squashed(name: str) -> str:
    """A field's name as it is compared: letters and digits alone, in small letters."""
    return _NO_LETTER.sub("", name).casefold()


def from_json(value: object) -> object:
    """What a text that holds a JSON object or list says; any other value as it is."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            return json.loads(value, strict=False)
        except ValueError:
            return value
    return value


def by_id(entries: dict[str, Any]) -> list[dict[str, Any]]:
    """Entries that stand under their ids, each with its id inside."""
    return [{"id": name, **entry} for name, entry in entries.items()]


class Reply(BaseModel):
    """A reply or a part of one.

    `list_field` is the field that a bare list stands for, `entry_keys` what its entries have;
    `parts_count` says that each entry stands for itself, so that some of them are of use when
    the rest was cut off. `word_field` is the field that a bare text stands for.
    """

    model_config = ConfigDict(extra="ignore", populate_by_name=True)
    list_field: ClassVar[str] = ""
    entry_keys: ClassVar[frozenset[str]] = frozenset()
    parts_count: ClassVar[bool] = False
    word_field: ClassVar[str] = ""

    @classmethod
    def spellings(cls) -> Mapping[str, str]:
        """Every name that a field may have, squashed, to the field's own."""
        return _spellings(cls)

    @classmethod
    def knows(cls, value: Mapping[str, object]) -> bool:
        """Whether an object has any of the fields."""
        return any(squashed(key) in cls.spellings() for key in value)

    @model_validator(mode="before")
    @classmethod
    def _spelt_as_asked(cls, data: Any) -> Any:
        data = from_json(data)
        if cls.word_field and isinstance(data, str | int | float | list):
            return {cls.word_field: data}
        if not isinstance(data, dict):
            return data
        given = {squashed(key): value for key, value in reversed(data.items())}
        found: dict[str, Any] = {}
        for name, field in cls.spellings().items():
            if name in given and found.get(field) is None:
                found[field] = given[name]
        return found


@functools.cache
def _spellings(shape: type[Reply]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for name, field in shape.model_fields.items():
        names.setdefault(squashed(name), name)
        if isinstance(field.validation_alias, AliasChoices):
            for alias in field.validation_alias.choices:
                names.setdefault(squashed(str(alias)), name)
    return MappingProxyType(names)
