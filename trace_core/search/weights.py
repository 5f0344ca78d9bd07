"""What each channel's word is worth in this archive, earned from the archive itself.

In: the channels and passages of the archive as probes. Out: a factor from 0 to 1 a channel, by
which its weight in the fusion is multiplied. Nobody's judgement is needed: a probe is a few words
of a passage, so the passage is known to belong to its answer (*coverage*: how often a channel
finds it again), and what several unlike channels put among the first is more likely to be right
than what one of them finds alone (*agreement*: the share of a channel's first documents, the
probe's own aside, that another channel has among its first too). Both are set beside the best
channel's:

    factor = min(1, agreement / (TRUST * best agreement)) * min(1, coverage / (TRUST * best ...))

So a channel earns its full weight unless it falls below three quarters of the best one: channels
that see different things are what fusion lives on, and only one that sees nothing should say
less. Data fusion by such agreement without judgements is known from Wu and Crestani, *Data
fusion with estimated weights* (CIKM 2002).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from trace_core.domain.corpus import Chunk, DocumentKey, Scope
from trace_core.ports import Artifact, DocumentStore
from trace_core.search.channel import Channel
from trace_core.search.words import function_words, language_of
from trace_core.text.tokens import words

WEIGHTS_ARTIFACT = "channel-weights"
TRUST = 0.75
"""Share of the best channel's agreement and coverage from which a channel counts in full."""

WEIGHED = ("bm25", "dense", "fuzzy")
"""The channels that answer any query; dates and exact strings have their own occasions."""

_FORMAT = "weights-1"
_PROBES = 24
_FIRST = 10
_WORDS = 8
_TRIES = 4
_LEAST_CHUNKS = 200


@dataclass(frozen=True, slots=True)
class Probe:
    """A few words of a passage, and the document that they come from."""

    query: str
    key: DocumentKey


@dataclass(frozen=True, slots=True)
class Earned:
    """One channel: how often others agree with it, how often it finds the probe, the factor."""

    agreement: float
    coverage: float
    factor: float


def probes(documents: DocumentStore, wanted: int = _PROBES, seed: int = 1887) -> list[Probe]:
    """Probes from passages all over the archive, the same for the same archive.

    None where the archive is too small for its channels to differ by more than chance.
    """
    if sum(stats.chunks for stats in documents.stats()) < _LEAST_CHUNKS:
        return []
    chance = random.Random(seed)
    last = _last_chunk(documents)
    found: dict[int, Probe] = {}
    for _ in range(_TRIES * wanted if last else 0):
        page = documents.all_chunks(chance.randrange(last), 1)
        if page and page[0].id not in found and (query := _query(page[0], chance)):
            found[page[0].id] = Probe(query, page[0].key)
            if len(found) == wanted:
                break
    return list(found.values())


def _last_chunk(documents: DocumentStore) -> int:
    """A number that no passage's is above, at most twice the highest."""
    last = 1
    while documents.all_chunks(last, 1):
        last *= 2
    return last


def _query(chunk: Chunk, chance: random.Random) -> str:
    """Neighbouring words of a passage without its grammar; "" where it has too few."""
    grammar = function_words(language_of(chunk.text))
    line = [word for word in words(chunk.text) if len(word) > 2 and word not in grammar]
    if len(line) < 2 * _WORDS:
        return ""
    start = chance.randrange(len(line) - _WORDS)
    return " ".join(line[start : start + _WORDS])


def earn(channels: Sequence[Channel], asked: Sequence[Probe]) -> dict[str, Earned]:
    """What each channel earns on these probes; nothing for one that could not be asked.

    With fewer than three channels there is no majority that could speak against one.
    """
    found = {name: rankings for name, rankings in _answers(channels, asked) if any(rankings)}
    if len(found) < 3:
        return {}
    agreement = {name: _agreement(name, found, asked) for name in found}
    coverage = {
        name: sum(p.key in r for p, r in zip(asked, rankings, strict=True)) / len(asked)
        for name, rankings in found.items()
    }
    return {
        name: Earned(
            agreement[name], coverage[name], _part(name, agreement) * _part(name, coverage)
        )
        for name in found
    }


def _answers(
    channels: Sequence[Channel], asked: Sequence[Probe]
) -> Iterator[tuple[str, list[list[DocumentKey]]]]:
    for channel in channels:
        if channel.name not in WEIGHED:
            continue
        rankings = [channel.search(probe.query, Scope(), _FIRST + 1) for probe in asked]
        if not any(ranking.failure for ranking in rankings):
            yield channel.name, [[hit.key for hit in ranking.hits] for ranking in rankings]


def _agreement(
    name: str, found: Mapping[str, Sequence[Sequence[DocumentKey]]], asked: Sequence[Probe]
) -> float:
    shared = total = 0
    for place, probe in enumerate(asked):
        own = [key for key in found[name][place] if key != probe.key][:_FIRST]
        others = {key for other in found if other != name for key in found[other][place]}
        shared += sum(key in others for key in own)
        total += len(own)
    return shared / total if total else 0.0


def _part(name: str, values: Mapping[str, float]) -> float:
    best = max(values.values())
    return min(1.0, values[name] / (TRUST * best)) if best > 0 else 1.0


def as_artifact(earned: Mapping[str, Earned], embedder: str) -> Artifact:
    """The result, to be kept with the version of the embedder that it was measured with."""
    meta = {name: [e.agreement, e.coverage, e.factor] for name, e in earned.items()}
    return Artifact(f"{_FORMAT}:{embedder}", {}, json.dumps(meta))


def measured_with(artifact: Artifact | None) -> str:
    """The version of the embedder; "" where nothing, or something of another make, was kept."""
    made, _, embedder = artifact.version.partition(":") if artifact else ("", "", "")
    return embedder if made == _FORMAT else ""


def from_artifact(artifact: Artifact | None) -> Mapping[str, Earned]:
    """What was kept; nothing where nothing, or something of another make, was."""
    if artifact is None or not measured_with(artifact):
        return MappingProxyType({})
    return {name: Earned(*values) for name, values in json.loads(artifact.meta).items()}
