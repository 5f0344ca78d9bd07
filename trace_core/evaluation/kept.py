"""Answers that are kept: a second evaluation asks only what the first did not answer.

An answer is found again under the hash of the strategy, the question with its gold, and all
conditions that the numbers depend on; what was answered under other conditions is another answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from trace_core.domain.corpus import DocumentKey
from trace_core.evaluation.questions import Question
from trace_core.evaluation.strategies import Answer, Cost
from trace_core.ports import Shelf


def hash_of(value: Any) -> str:
    """SHA-256 over the canonical JSON of a value, as 64 hex digits."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class KeptAnswers:
    """The answers of one strategy under one set of conditions, kept on the shelf."""

    def __init__(
        self,
        shelf: Shelf,
        strategy: str,
        conditions: Mapping[str, Any],
        usable: Callable[[Answer], bool] = lambda _answer: True,
    ) -> None:
        """`usable` says whether a kept answer still stands (its run is still there, say)."""
        self._shelf = shelf
        self._kind = f"answers:{hash_of({'strategy': strategy, **conditions})[:24]}"
        read = {key: _read(body) for key, body in shelf.list(self._kind)}
        self._known = {key: answer for key, answer in read.items() if usable(answer)}

    def emptied(self) -> KeptAnswers:
        """The same place without what was kept: everything is asked anew and then replaced."""
        self._known.clear()
        return self

    def load(self, question: Question) -> Answer | None:
        """The kept answer to this very text and gold, if any."""
        return self._known.get(_key(question))

    def save(self, question: Question, answer: Answer) -> None:
        """Keep an answer; a failed one is not kept, so that it is asked again."""
        if not answer.failure:
            body = json.dumps(asdict(answer), ensure_ascii=False)
            self._shelf.put(self._kind, _key(question), body)


def _key(question: Question) -> str:
    return hash_of([question.text, sorted(str(key) for key in question.gold)])


def _read(body: str) -> Answer:
    entry = json.loads(body)
    accepted = entry["accepted"]
    return Answer(
        ranking=tuple(DocumentKey(*key) for key in entry["ranking"]),
        accepted=None if accepted is None else tuple(DocumentKey(*key) for key in accepted),
        run=entry["run"],
        cost=Cost(**entry["cost"]),
    )
