"""From what a person types to what the façade takes, with one clear sentence where it cannot."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trace_core.domain.checkpoint import HumanDecision
from trace_core.domain.corpus import Scope
from trace_core.domain.dates import HistoricalDate, Undated
from trace_core.domain.errors import BadInput
from trace_core.domain.question import ScopeSpec
from trace_core.settings import Changes

_LONGEST_NUMBER = 18


def read_day(text: str | None, option: str) -> HistoricalDate | None:
    """A date as a person types it. Raises BadInput for one that cannot be read."""
    if not text:
        return None
    from trace_core.ingest.dates import read_date

    date = read_date(text)
    if isinstance(date, Undated):
        raise BadInput(
            f"{option} {text!r} is no date: {date.reason.rstrip('.')}. Write 1887-05-12 or 1887."
        )
    return date


def scope_of(arguments: Namespace) -> Scope:
    """The scope of a search."""
    low = read_day(arguments.date_from, "--from")
    high = read_day(arguments.date_to, "--to")
    if low and high and low.earliest > high.latest:
        raise BadInput("--from is later than --to; exchange them.")
    return Scope(
        tuple(arguments.corpus),
        low.earliest if low else None,
        high.latest if high else None,
        arguments.undated == "keep",
        quality_of(arguments.min_quality),
    )


def quality_of(text: str | None) -> float | None:
    """A least quality: 0.6 or 60%. Raises BadInput."""
    if not text:
        return None
    percent = text.strip().endswith("%")
    try:
        value = float(text.strip().rstrip("%")) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise BadInput(
            f"--min-quality takes a number from 0 to 1 or a share such as 60%, not {text!r}."
        )
    return value


def scope_spec_of(arguments: Namespace) -> ScopeSpec:
    """The limits of a run."""
    from trace_core.domain.dates import iso_day

    scope = scope_of(arguments)
    return ScopeSpec(
        corpora=scope.corpora,
        date_from=iso_day(scope.earliest) if scope.earliest is not None else None,
        date_to=iso_day(scope.latest) if scope.latest is not None else None,
        include_undated=scope.include_undated,
        min_quality=scope.min_quality,
    )


def pairs(items: Iterable[str], option: str) -> dict[str, str]:
    """NAME=VALUE options as a dictionary."""
    found = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"{option} takes NAME=VALUE, not {item!r}.")
        found[name.strip()] = value.strip()
    return found


def setting_changes(items: Iterable[str]) -> Changes:
    """GROUP.NAME=VALUE options as changes of settings."""
    changes: dict[str, dict[str, Any]] = {}
    for path, value in pairs(items, "A setting").items():
        group, dot, name = path.partition(".")
        if not dot:
            raise BadInput(f"Name a setting as GROUP.NAME (search.rrf_k), not {path!r}.")
        changes.setdefault(group, {})[name] = _value(value)
    return changes


def budget_changes(items: Iterable[str]) -> dict[str, float]:
    """NAME=VALUE options as caps of a run. Raises BadInput for what is no number."""
    changes = {}
    for name, text in pairs(items, "--budget").items():
        try:
            changes[name] = float(text)
        except ValueError:
            raise BadInput(f"The budget {name} takes a number, not {text!r}.") from None
    return changes


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def read_decision(path: Path) -> HumanDecision:
    """A decision from a JSON file. Raises BadInput with what is wrong in it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        return HumanDecision.model_validate_json(json.dumps(_as_shown(data)))
    except OSError as error:
        raise BadInput(f"The decision file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"The decision file {path} is no text; give a JSON file.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"The decision in {path} is no valid JSON: {error}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"The decision in {path} cannot be used: {where}: {first['msg']}.") from None


def _as_shown(data: Any) -> Any:
    """A decision with passages named as they are shown (c42), and new sub-questions without id."""
    if not isinstance(data, dict):
        return data
    changed = dict(data)
    if isinstance(parts := data.get("sub_questions"), list):
        changed["sub_questions"] = [
            {"id": "", **part} if isinstance(part, dict) else part for part in parts
        ]
    if isinstance(verdicts := data.get("verdicts"), list):
        changed["verdicts"] = [
            {**verdict, "chunk": chunk_id(verdict["chunk"])}
            if isinstance(verdict, dict) and isinstance(verdict.get("chunk"), str)
            else verdict
            for verdict in verdicts
        ]
    return changed


def chunk_id(text: str) -> int:
    """A passage id as it is shown: c42."""
    digits = text.strip().removeprefix("c")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER):
        raise BadInput(f"A passage is named like c42, not {text!r}; `show` lists them.")
    return int(digits)
