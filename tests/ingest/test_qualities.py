"""Quality told by the source, or estimated by the archive's words and letters."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.ingest.making import alto, block, line, page, save, string
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput
from trace_core.service import Service

STEMS = "port mar chand vill cons eil rout plac mais jard fleur pier mont champ croix".split()
ENDS = "e es er ier iere age ement eur euse ette ant ade oir".split()
WORDS = [stem + end for stem in STEMS for end in ENDS] + [
    first + second + end
    for first in STEMS[:8]
    for second in STEMS[6:]
    for end in ENDS[:4]
    if first != second
]


def text(chance: random.Random, damaged: float = 0.0) -> str:
    """Words of one vocabulary, some with letters that no word of it has side by side."""
    words = chance.choices(WORDS, k=120)
    for place in range(len(words)):
        if chance.random() < damaged:
            words[place] = "".join(chance.choices("bcdfgqwxz", k=3)) + words[place][3:]
    return " ".join(words)


def write(path: Path, texts: dict[str, str]) -> Path:
    rows = [{"doc_id": n, "corpus": "g", "text_original": t} for n, t in texts.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def rated(service: Service, tmp_path: Path) -> Service:
    """An archive of forty sound and four badly read texts."""
    chance = random.Random(5)
    texts = {f"sound{n}": text(chance) for n in range(40)}
    texts |= {f"bad{n}": text(chance, 0.6) for n in range(4)}
    service.run_import(write(tmp_path / "in.jsonl", texts))
    return service


def quality(service: Service, source_id: str) -> float:
    value = service.document(DocumentKey("g", source_id)).quality
    assert value is not None
    return value


def test_the_archives_own_words_tell_bad_readings(rated: Service) -> None:
    sound = [quality(rated, f"sound{n}") for n in range(40)]
    bad = [quality(rated, f"bad{n}") for n in range(4)]
    assert min(sound) > 0.9
    assert max(bad) < min(sound) - 0.2


def test_what_comes_later_is_judged_too_and_nothing_twice(rated: Service, tmp_path: Path) -> None:
    assert rated.index().rated == 0
    chance = random.Random(9)
    report = rated.run_import(write(tmp_path / "more.jsonl", {"late": text(chance, 0.6)}))
    assert report.new == 1
    assert quality(rated, "late") < 0.8
    assert rated.index().rated == 0
    more = {f"new{n}": text(chance) for n in range(30)}
    rated.run_import(write(tmp_path / "much.jsonl", more))
    assert rated.stores.documents.unrated("another model")[0].version == 1
    assert rated.index().rated == 0


def test_a_filter_by_quality_in_every_channel(rated: Service) -> None:
    word = WORDS[0]
    everything = {head.key for head in rated.browse(Scope())}
    good = {head.key for head in rated.browse(Scope(min_quality=0.85))}
    assert len(everything) == 44
    assert {key.source_id for key in everything - good} == {f"bad{n}" for n in range(4)}
    for channel in ("bm25", "exact", "fuzzy", "dense", "fused"):
        alone = {hit.key for hit in rated.search(word, channel, limit=44).hits}
        within = rated.search(word, channel, Scope(min_quality=0.85), limit=44)
        assert {hit.key for hit in within.hits} == alone & good, channel
        assert within.below_quality == 4
        assert len(rated.search(word, channel, Scope(min_quality=0.85), limit=3).hits) == 3


def test_nothing_is_hidden_unless_asked(rated: Service) -> None:
    assert rated.search(WORDS[0]).below_quality == 0
    assert Scope().min_quality is None


def test_a_run_within_a_least_quality(rated: Service) -> None:
    from trace_core.domain.question import ScopeSpec

    run = rated.ask(f"Que sait-on de {WORDS[0]} ?", scope=ScopeSpec(min_quality=0.85))
    rated.advance(run, "approve")
    found = {record.decision.source_id for record in rated.decisions(run)}
    assert found
    assert not any(source_id.startswith("bad") for source_id in found)


def test_word_confidence_of_the_source_stays(service: Service, tmp_path: Path) -> None:
    first, second = string("pont", WC="0.9"), string("tombe", WC="0.5")
    save(
        tmp_path / "in" / "a.xml",
        alto(page(block("b", line(first))), page(block("c", line(second)))),
    )
    service.run_import(tmp_path / "in")
    (head,) = service.browse(Scope())
    document = service.document(head.key)
    assert document.quality == pytest.approx(0.7)
    assert [p.quality for p in document.pages] == [0.9, 0.5]
    assert service.stores.documents.unrated("any") == []


def test_pages_are_estimated_one_by_one(service: Service, tmp_path: Path) -> None:
    pages = "Le pont de la ville est tombé hier.\fL¢ p0nt d€ |a v1ll¥ ~st t^mbé h1er"
    save(tmp_path / "in" / "a.txt", pages)
    service.run_import(tmp_path / "in")
    (head,) = service.browse(Scope())
    good, bad = (p.quality for p in service.document(head.key).pages)
    assert good is not None
    assert bad is not None
    assert good > 0.9 > 0.5 > bad
    assert head.quality is not None
    assert bad < head.quality < good


def test_a_small_archive_keeps_its_first_estimates(town: Service) -> None:
    before = {head.key: head.quality for head in town.browse(Scope())}
    assert town.index().rated == 0
    assert {head.key: head.quality for head in town.browse(Scope())} == before
    assert None not in before.values()


@pytest.mark.parametrize("given", ["1.2", "-1", "good", "101%"])
def test_a_least_quality_that_is_none(given: str) -> None:
    from trace_core.cli.values import quality_of

    with pytest.raises(BadInput, match="from 0 to 1"):
        quality_of(given)
    assert quality_of("60%") == quality_of("0.6") == 0.6
