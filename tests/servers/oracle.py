"""A player that recognises the stage from the prompt and answers it validly, without a model.

It reads the prompt as a model would: the sub-corpora, the question, the sources between their
marks. What it decides about a passage is a function that the caller may supply; by default it
accepts a passage that shares two longer words with the question, holds one that shares one, and
rejects the rest. It keeps no state, so the same request always gets the same reply.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_BLOCK = re.compile(
    r"<<<(?P<label>[A-Z-]+(?: \w+)?) (?P<mark>[0-9a-f]{12})\n(?P<text>.*?)\n"
    r"(?P=label) (?P=mark)>>>",
    re.DOTALL,
)
_CORPUS = re.compile(r'^- id "(?P<id>[^"]*)": (?P<name>.*?) \((?P<rest>[^()]*)\)', re.MULTILINE)
_PART = re.compile(
    r'^- id "(?P<id>[^"]*)", target "(?P<target>[^"]*)": (?P<text>.*)$', re.MULTILINE
)
_WORD = re.compile(r"\w{4,}")
_STEP = re.compile(r"This is step (\d+)")
_AT_MOST = re.compile(r"At most (\d+) sub-questions")
_QUESTION = re.compile(r"question:\n(?P<text>.*?)(?:\n\n|\Z)", re.DOTALL)
_STAGES = (
    ("judgements", "review"),
    ("promotions", "reevaluate"),
    ("confirmed_facts", "brief"),
    ('"order":', "order"),
    ("memory_update", "step"),
    ('"id": "q', "replan"),
    ("sub_questions", "plan"),
)


@dataclass(frozen=True)
class Passage:
    """A passage as the prompt shows it, with the question it is judged against."""

    id: str
    title: str
    date: str
    corpus: str
    text: str
    question: str

    @property
    def chunk(self) -> int:
        """The number of the chunk."""
        return int(self.id.lstrip("cd"))


Judge = Callable[[Passage], tuple[str, str]]
"""A passage to (verdict, reason)."""


def judge_by_words(passage: Passage) -> tuple[str, str]:
    """Accept with two longer words of the question in the text, hold with one."""
    shared = sorted(_words(passage.question) & _words(passage.text))
    if len(shared) >= 2:
        return "accept", f"names {', '.join(shared[:4])}"
    if shared:
        return "hold", f"names only {shared[0]}"
    return "reject", "names nothing of the question"


def never_promote(passage: Passage) -> str:
    """No reason to promote any passage."""
    del passage
    return ""


def stage_of(request: dict[str, Any]) -> str:
    """The stage that asks, by the name of its schema or the reply its prompt describes."""
    form = request.get("response_format") or {}
    name = (form.get("json_schema") or {}).get("name")
    if name:
        return str(name)
    system = _message(request, "system")
    return next((stage for word, stage in _STAGES if word in system), "plan")


def blocks(text: str) -> list[tuple[str, str]]:
    """(label, text) of everything that stands between marks."""
    return [(m["label"], m["text"]) for m in _BLOCK.finditer(text)]


def passages(request: dict[str, Any]) -> list[Passage]:
    """The sources that the prompt shows."""
    user = _message(request, "user")
    question = question_of(user)
    found = []
    for label, block in blocks(user):
        if not label.startswith("SOURCE "):
            continue
        head, _, text = block.partition("\ntext:\n")
        fields = dict(line.partition(": ")[::2] for line in head.splitlines())
        found.append(
            Passage(
                id=label.removeprefix("SOURCE "),
                title=fields.get("title", ""),
                date=fields.get("date", ""),
                corpus=fields.get("sub-corpus", ""),
                text=text or head,
                question=question,
            )
        )
    return found


def question_of(user: str) -> str:
    """The historian's question as the prompt shows it."""
    match = _QUESTION.search(_BLOCK.sub("", user))
    return match["text"].strip() if match else ""


class Oracle:
    """Answers every stage. `judge` gives verdicts, `promote` a reason to promote or "".

    `searches` is how many searches it makes before it finishes; `step`, where given, is its reply
    to every step; `invent` adds an id that nobody showed to each review; `obedient` accepts
    whatever id stands anywhere in the prompt, as a model would that a source has talked over.
    """

    def __init__(
        self,
        judge: Judge = judge_by_words,
        promote: Callable[[Passage], str] = never_promote,
        *,
        searches: int = 2,
        step: str = "",
        invent: bool = False,
        obedient: bool = False,
    ) -> None:
        self.judge, self.promote = judge, promote
        self.searches, self.step = searches, step
        self.invent, self.obedient = invent, obedient

    def __call__(self, request: dict[str, Any]) -> str:
        """The reply to one request."""
        stage = stage_of(request)
        if stage == "step" and self.step:
            return self.step
        answer = getattr(self, f"_{stage}")(request)
        return json.dumps(answer, ensure_ascii=False)

    def _plan(self, request: dict[str, Any]) -> dict[str, Any]:
        user = _message(request, "user")
        question = question_of(user)
        corpora = [(m["id"], m["name"]) for m in _CORPUS.finditer(user)]
        folded = _fold(question)
        named = [c for c in corpora if _fold(c[1]) in folded or _fold(c[0]) in folded]
        limit = _AT_MOST.search(user)
        parts = [
            {"text": f"{question} ({name})", "target": corpus, "entities": _names(question)}
            for corpus, name in (named or corpora)[: int(limit[1]) if limit else 4]
        ]
        return {"sub_questions": parts or [{"text": question, "target": ""}], "note": ""}

    def _step(self, request: dict[str, Any]) -> dict[str, Any]:
        user = _message(request, "user")
        match = _STEP.search(user)
        number = int(match[1]) if match else 1
        question = question_of(user)
        names = _names(question) or sorted(_words(question), key=len, reverse=True)
        memory = {"question_analysis": " ".join(names[:8]), "next_steps": "search, then finish"}
        if number > self.searches:
            return {"thought": "Enough.", "action": "finish", "args": {}, "memory_update": memory}
        action = ("search_bm25", "search_fuzzy", "search_semantic")[(number - 1) % 3]
        query = " ".join(names[number - 1 : number + 1]) or question
        args = {"query": f"{query} {number}" if number > 3 else query, "corpus": ""}
        return {"thought": "Look.", "action": action, "args": args, "memory_update": memory}

    def _review(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.obedient:
            ids = sorted(set(re.findall(r"\bc\d+\b", _message(request, "user"))))
            return {"judgements": [_entry(i, "accept", "The source says so.") for i in ids]}
        entries = [_entry(p.id, *self.judge(p)) for p in passages(request)]
        if self.invent:
            entries.append(_entry("c999999999", "accept", "invented"))
        return {"judgements": entries}

    def _reevaluate(self, request: dict[str, Any]) -> dict[str, Any]:
        found = [(p, self.promote(p)) for p in passages(request)]
        return {"promotions": [_entry(p.id, "accept", why) for p, why in found if why]}

    def _brief(self, request: dict[str, Any]) -> dict[str, Any]:
        user = _message(request, "user")
        accepted = next((text for label, text in blocks(user) if label == "ACCEPTED"), "")
        lines = [line.removeprefix("- ") for line in accepted.splitlines() if line[:2] == "- "]
        return {
            "summary": f"{len(lines)} sources were accepted.",
            "confirmed_facts": lines[:4],
            "dates": sorted(set(re.findall(r"\d{4}-\d{2}-\d{2}", accepted)))[:8],
            "entities": _names(question_of(user))[:8],
            "gaps": [] if lines else ["nothing was found"],
            "search_hints": [],
        }

    def _replan(self, request: dict[str, Any]) -> dict[str, Any]:
        user = _message(request, "user")
        remaining = user.rpartition("Remaining:")[2]
        parts = [
            {"id": m["id"], "text": m["text"], "target": m["target"]}
            for m in _PART.finditer(remaining)
        ]
        return {"sub_questions": parts, "note": ""}

    def _order(self, request: dict[str, Any]) -> dict[str, Any]:
        ids = [p.id for p in passages(request)]
        return {"order": [{"id": i, "reason": "as it stood"} for i in ids]}


def _entry(chunk: str, verdict: str, reason: str) -> dict[str, str]:
    return {"id": chunk, "verdict": verdict, "reason": reason, "quote": ""}


def _message(request: dict[str, Any], role: str) -> str:
    return "\n".join(str(m["content"]) for m in request["messages"] if m["role"] == role)


def _fold(text: str) -> str:
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in bare if not unicodedata.combining(c))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(_fold(text)))


def _names(text: str) -> list[str]:
    words = re.findall(r"\w+", text)
    return [w for n, w in enumerate(words) if n and len(w) > 2 and w[0].isupper()]
