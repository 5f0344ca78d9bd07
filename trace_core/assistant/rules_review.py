"""How rules judge a passage: by its place, the names in it and its day.

In: a chunk with the ways in which it was found. Out: a verdict with a reason that states what
was seen, in at most so many characters as the settings allow. Standing is the place among the
candidates of all sub-questions, so that the number accepted is one for the whole question and
not for each part of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trace_core.assistant.tasks import AcceptedItem, Judgement, ReviewItem
from trace_core.domain.dates import HistoricalDate, NoSuchDate, from_iso
from trace_core.domain.evidence import Candidate, Verdict
from trace_core.domain.hits import parted_forms
from trace_core.search.names import Name, find_names
from trace_core.search.words import content_query
from trace_core.settings import Settings
from trace_core.text.tokens import words as folded_words

_LABELS = {"bm25": "BM25"}
_LOW_RANK = 20
"""A passage that no channel ranks better, and no name speaks for, is in doubt anywhere."""

_FORMS = 2
"""Written forms that a reason names; a search shows them all."""

_CLOSE_DAYS = 1
_NEAR_DAYS = 31


@dataclass(frozen=True, slots=True)
class Sought:
    """What a passage is read for: names and other words of the question, and days (EDTF)."""

    names: tuple[Name, ...] = ()
    words: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


def sought(question: str, dates: Sequence[str] = (), leave_out: Sequence[str] = ()) -> Sought:
    """What a question seeks, without the phrases to leave out (names of the sub-corpora)."""
    names = find_names(question, leave_out=leave_out)
    named = {word for name in names for word in name.words}
    words = [
        word
        for word in content_query(question, leave_out).split()
        if word.isalpha() and not named.intersection(folded_words(word))
    ]
    return Sought(names, tuple(dict.fromkeys(words)), tuple(dates))


def telling_first(words: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """The words that stand in the fewest of the texts before the others, ties as they stood."""
    held = Counter(word for text in texts for word in set(folded_words(text)))
    return tuple(sorted(words, key=lambda word: sum(held[part] for part in folded_words(word))))


def judge(item: ReviewItem, sought: Sought, settings: Settings) -> Judgement:
    """Accept what stands among the first, hold what comes next or is in doubt, reject the rest."""
    seen = seen_names(item.text, sought.names)
    verdict = _verdict(item.candidate, seen, settings)
    facts = [
        _ranks(item.candidate),
        _named(seen, sought.names),
        _written(item.candidate),
        _days(item.date, sought.dates),
        _neighbour(item.candidate),
    ]
    before = {"accept": "", "hold": "in doubt: ", "reject": "too far down: "}[verdict]
    reason = shortened(before + "; ".join(fact for fact in facts if fact), settings)
    reason += _held_words(item.text, sought.words, settings.loop.reason_characters - len(reason))
    return Judgement(item.candidate.chunk, verdict, reason)


def _verdict(candidate: Candidate, seen: Sequence[str], settings: Settings) -> Verdict:
    rules = settings.rules
    # Where the candidates of the sub-questions were not weighed together, each gets a third.
    known = candidate.standing > 0
    place = candidate.standing if known else 3 * candidate.position
    if place <= rules.accept_documents:
        best = min((found.rank for found in candidate.found), default=_LOW_RANK + 1)
        supported = best <= _LOW_RANK or seen or candidate.boosts.get("neighbour")
        return "accept" if supported else "hold"
    if place <= rules.accept_documents + rules.hold_documents:
        return "hold"
    return "reject"


def promotion(
    item: ReviewItem, names: Sequence[Name], accepted: Sequence[AcceptedItem], settings: Settings
) -> Judgement | None:
    """Accept a held chunk with all the question's certain names within a day of accepted evidence.

    The evidence must lie in another sub-corpus; the reason says which it is.
    """
    wanted = [name for name in names if name.certain]
    if not wanted or len(names_in(item.text, wanted)) < len(wanted):
        return None
    day = _read(item.date)
    if day is None or any(other.key == item.candidate.key for other in accepted):
        return None
    for other in accepted:
        its_day = _read(other.date)
        if other.key.corpus == item.candidate.corpus or its_day is None:
            continue
        days = day.days_between(its_day)
        if days <= _CLOSE_DAYS and _exact(day) and _exact(its_day):
            said = ", ".join(name.text for name in wanted)
            reason = f"{_apart(days, f'accepted {other.key}')}; names {said}"
            return Judgement(item.candidate.chunk, "accept", shortened(reason, settings))
    return None


def names_in(text: str, names: Iterable[Name]) -> list[Name]:
    """The names all of whose words stand in the folded text, joined over line ends."""
    here = set(folded_words(text))
    return [name for name in names if name.words and here.issuperset(name.words)]


def seen_names(text: str, names: Iterable[Name]) -> list[str]:
    """What of the names stands in the text: the whole name, else the last word of one.

    Sources name people by their surname alone; the reason then says the surname alone.
    """
    here = set(folded_words(text))
    seen = []
    for name in names:
        if name.words and here.issuperset(name.words):
            seen.append(name.text)
        elif name.kind == "name" and name.words and name.words[-1] in here:
            seen.append(name.text.split()[-1])
    return seen


def shortened(reason: str, settings: Settings) -> str:
    """A reason within the limit, cut at a part or a word, with a sign that it was cut."""
    limit = settings.loop.reason_characters
    if len(reason) <= limit:
        return reason
    cut = reason[: limit - 2]
    for mark in ("; ", ", ", " "):
        if mark in cut:
            return cut[: cut.rindex(mark)] + " …"
    return cut + " …"


def _ranks(candidate: Candidate) -> str:
    ranks: dict[str, int] = {}
    for found in candidate.found:
        ranks[found.channel] = min(found.rank, ranks.get(found.channel, found.rank))
    ordered = sorted(ranks.items(), key=lambda pair: pair[1])
    return ", ".join(f"{_LABELS.get(channel, channel)} rank {rank}" for channel, rank in ordered)


def _named(seen: Sequence[str], names: Sequence[Name]) -> str:
    if seen:
        return "names " + ", ".join(seen)
    certain = [name for name in names if name.certain and name.kind == "name"]
    return "no name of the question" if certain else ""


def _written(candidate: Candidate) -> str:
    sure, _ = parted_forms(candidate.forms)
    return "written " + ", ".join(sure[:_FORMS]) if sure else ""


def _days(written: str, dates: Sequence[str]) -> str:
    """How far the document is from the nearest date named, where that says something."""
    day = _read(written)
    if day is None:
        return "undated" if dates else ""
    best: tuple[int, str] | None = None
    for named in dates:
        date = _read(named)
        if date is not None and (best is None or day.days_between(date) < best[0]):
            best = day.days_between(date), named
    if best is None:
        return ""
    if best[0] > _NEAR_DAYS:
        return f"not of {best[1]}"
    return f"of {best[1]}" if best[0] == 0 else _apart(*best)


def _neighbour(candidate: Candidate) -> str:
    near = candidate.neighbour
    return f"{_apart(near.days, str(near.key))}, also found" if near else ""


def _held_words(text: str, words: Sequence[str], room: int) -> str:
    """The words that stand in the text as they are, the first of them that there is room for."""
    here = set(folded_words(text))
    held = [word for word in words if here.issuperset(folded_words(word))]
    while held:
        said = "; has " + ", ".join(held)
        if len(said) <= room:
            return said
        held.pop()
    return ""


def _apart(days: int, other: str) -> str:
    if days == 0:
        return f"same day as {other}"
    return f"{days} day from {other}" if days == 1 else f"{days} days from {other}"


def _read(written: str) -> HistoricalDate | None:
    """A date in EDTF as values show it; None for what is no day, month, year or span of them."""
    try:
        return from_iso(written.rstrip("~?%"))
    except NoSuchDate:
        return None


def _exact(date: HistoricalDate) -> bool:
    return date.earliest == date.latest
