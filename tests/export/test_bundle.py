import hashlib
import io
import json
import random
import warnings
import zipfile
from dataclasses import replace
from importlib import resources

import pytest
import run_builders as runs
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_core.domain.errors import NotFound
from trace_core.export.bundle import bundle_files, sealed
from trace_core.export.bundle_parts import BundleUnreadable, json_lines
from trace_core.export.bundle_read import open_bundle, record_of
from trace_core.export.bundle_verify import verify_bundle, verify_bytes
from trace_core.export.bundle_zip import unpacked
from trace_core.export.options import Options
from trace_core.export.registry import FORMATS, export

SMALL = export(runs.small_record(), "bundle")
FILES = unpacked(SMALL)
CRATE = unpacked(export(runs.small_record(), "ro-crate"))


def resealed(files, manifest=True):
    """Files with checksums and seal made anew: what a careful forger would do."""
    files = dict(files)
    if manifest and "manifest.json" in files:
        value = json.loads(files["manifest.json"])
        for name, content in files.items():
            if name in value["files"]:
                digest = hashlib.sha256(content).hexdigest()
                value["files"][name] = {"sha256": digest, "bytes": len(content)}
        text = json.dumps(value, sort_keys=True, indent=1) + "\n"
        files["manifest.json"] = text.encode()
    return sealed(files)


def kinds(content):
    return {f.kind for f in verify_bytes(content).findings}


@pytest.mark.parametrize("options", [Options(), Options(without_texts=True, language="fr")])
def test_an_honest_bundle_agrees_and_says_so(small, nasty, options):
    for record in (small, nasty):
        report = verify_bytes(export(record, "bundle", options))
        assert report.ok, report.findings
        assert report.last_hash == record.state.last_hash
        assert report.last_hash in report.sentence


def test_a_bundle_opens_as_the_record_it_was_made_from(small, tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(export(small, "bundle"))
    assert verify_bundle(path).ok
    back = open_bundle(path)
    for name in ("run", "events", "corpora", "sources", "passages", "calls", "notes", "prompts"):
        assert getattr(back, name) == getattr(small, name), name
    for name in FORMATS:
        assert export(back, name) == export(small, name), name


def as_before(files, change=lambda value: value):
    """A bundle as format 1 wrote it: lists indented throughout, nothing of twins."""
    files = dict(files)
    value = change(json.loads(files["evidence.json"]))
    files["evidence.json"] = (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
    rows = [json.loads(line) for line in files["sources.jsonl"].splitlines()]
    plain = [{k: v for k, v in row.items() if "twins" not in k} for row in rows]
    files["sources.jsonl"] = json_lines(plain)
    manifest = json.loads(files["manifest.json"]) | {"format_version": 1}
    files["manifest.json"] = json.dumps(manifest, sort_keys=True, indent=1).encode() + b"\n"
    return resealed(files)


@pytest.mark.parametrize("wish", [Options(), Options(without_texts=True, include_held=True)])
def test_a_crate_is_a_bundle_too(small, nasty, wish, tmp_path):
    for record in (small, nasty):
        content = export(record, "ro-crate", wish)
        report = verify_bytes(content)
        assert report.ok and not report.note, report.findings
        for name, part in unpacked(content).items():
            if name == "ro-crate-metadata.json" or b"e" not in part:
                continue
            files = unpacked(content) | {name: part.replace(b"e", b"3", 1)}
            assert not verify_bytes(resealed(files)).ok, name
    (tmp_path / "c.zip").write_bytes(content)
    assert open_bundle(tmp_path / "c.zip").events == nasty.events


def test_a_mapping_in_any_order_is_written_again_the_same():
    run, shelf = runs.small_run()
    mapping = {"url": "https://x.example/{page_number}", "location": "L", "collection": "C"}
    mapping |= {"archive_collection": "AC", "archive": "A", "URL": "https://y.example/"}
    shelf.corpora_ = [replace(corpus, citation=mapping) for corpus in shelf.corpora_]
    report = verify_bytes(export(runs.record(run, shelf), "bundle"))
    assert report.ok, report.findings


def test_a_style_of_ones_own_is_not_asked_of_others(small, tmp_path):
    own = tmp_path / "own.csl"
    style = resources.files("trace_core.export") / "styles" / "archival-note.csl"
    own.write_text(style.read_text(encoding="utf-8"), encoding="utf-8")
    content = export(small, "bundle", Options(style=str(own)))
    own.unlink()
    report = verify_bytes(content)
    assert report.ok and "style of their own" in report.note


def test_a_bundle_of_an_earlier_format_is_read_and_checked(small, tmp_path):
    path = tmp_path / "old.zip"
    path.write_bytes(as_before(FILES))
    report = verify_bundle(path)
    assert report.ok and "(format 1, " in report.note, report.findings
    assert not verify_bytes(SMALL).note
    assert open_bundle(path).events == small.events


@pytest.mark.parametrize(
    ("name", "value"),
    [("verdict", "reject"), ("passage", "Another text."), ("decision_id", "d99")],
)
def test_a_decision_listed_otherwise_than_recorded_is_named_in_any_format(name, value):
    def change(evidence):
        evidence["lines"][0]["passages"][0][name] = value
        return evidence

    findings = verify_bytes(as_before(FILES, change)).findings
    assert any(f.kind == "evidence" and "decision" in f.sentence for f in findings), findings


def test_without_texts_no_text_of_a_passage_or_call_is_inside(small):
    files = bundle_files(small, Options(without_texts=True))
    text = small.passages[1].chunk.text
    for name, content in files.items():
        assert b"Goblet" not in content, name
        assert json.dumps(text)[1:40].encode() not in content, name
    assert hashlib.sha256(text.encode()).hexdigest().encode() in files["passages.jsonl"]
    assert b"reply_sha256" in files["calls.jsonl"]


def test_every_changed_byte_is_named():
    picked = random.Random(7).sample(range(len(SMALL)), 250)
    ends = [*range(0, 40), *range(len(SMALL) - 120, len(SMALL))]
    for place in {*picked, *ends}:
        content = bytearray(SMALL)
        content[place] ^= 1 << (place % 8)
        report = verify_bytes(bytes(content))
        assert report.findings and report.findings[0].kind == "container", place


@settings(max_examples=60)
@given(data=st.data())
def test_a_changed_byte_in_any_file_is_named_even_when_resealed(data):
    name = data.draw(st.sampled_from(sorted(FILES)))
    content = bytearray(FILES[name])
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    changed = {**FILES, name: bytes(content)}
    report = verify_bytes(sealed(changed))
    assert not report.ok
    whats = {f.where for f in report.findings} | {f.kind for f in report.findings}
    assert name in whats or "manifest" in whats or "manifest.json" in whats


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_taken_out_or_put_in_is_named(name):
    less = {n: c for n, c in FILES.items() if n != name}
    assert any(name in f.sentence for f in verify_bytes(sealed(less)).findings)
    more = {**FILES, "extra.txt": b"x"}
    assert "manifest" in kinds(sealed(more))


def events():
    return FILES["events.jsonl"].splitlines(keepends=True)


def test_a_removed_event_is_named():
    for place in range(len(events())):
        rest = events()[:place] + events()[place + 1 :]
        found = kinds(resealed({**FILES, "events.jsonl": b"".join(rest)}))
        assert found & {"chain", "manifest"}, place


def test_a_reordered_pair_is_named():
    for place in range(len(events()) - 1):
        swapped = events()
        swapped[place : place + 2] = reversed(swapped[place : place + 2])
        found = kinds(resealed({**FILES, "events.jsonl": b"".join(swapped)}))
        assert "chain" in found, place


@pytest.mark.parametrize("name", ["evidence.json", "evidence.csv"])
def test_a_changed_ranking_is_named_even_when_resealed(name):
    if name == "evidence.json":
        value = json.loads(FILES[name])
        first, second = value["lines"][:2]
        first["rank"], second["rank"] = second["rank"], first["rank"]
        value["lines"][:2] = second, first
        content = json.dumps(value).encode()
    else:
        content = FILES[name].replace(b"\r\n2,", b"\r\n9,")
    report = verify_bytes(resealed({**FILES, name: content}))
    assert any(f.kind == "ranking" and f.where == name for f in report.findings)


@pytest.mark.parametrize(
    ("name", "old", "new", "kind"),
    [
        ("passages.jsonl", b"La crise dure.", b"La crise dort.", "passage"),
        ("calls.jsonl", b'"tokens_in":1200', b'"tokens_in":1', "call"),
        ("settings.json", b'"rrf_k": 60.0', b'"rrf_k": 61.0', "settings"),
        ("prompts.json", b"judge", b"fudge", "settings"),
        ("evidence.html", b"Goblet", b"Gobler", "evidence"),
        ("manifest.json", b'"accessed": "2026', b'"accessed": "2025', "evidence"),
    ],
)
def test_what_was_changed_and_resealed_is_named(name, old, new, kind):
    assert old in FILES[name]
    found = kinds(resealed({**FILES, name: FILES[name].replace(old, new, 1)}))
    assert kind in found


ODD = (b"", b"null", b"[]", b"{}", b"[1]\n", b"\xff\x00", b"[" * 100_000, b"9" * 6000, b"a,b\rc")


@pytest.mark.parametrize("name", sorted(FILES))
def test_no_file_can_break_the_check(name):
    for content in ODD:
        if content != FILES[name]:
            report = verify_bytes(resealed({**FILES, name: content}, name != "manifest.json"))
            assert not report.ok and "\n" not in report.sentence, content[:9]


def broken(value):
    """A JSON value with one thing in it changed to something of another type."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield {**value, key: "\ud800"}
            yield {**value, key: 1 if isinstance(inside, str | list | dict) else "x"}
            yield {**value, key: None} if inside is not None else {**value, key: []}
            yield from ({**value, key: other} for other in broken(inside))
    elif isinstance(value, list) and value:
        yield from ([other, *value[1:]] for other in broken(value[0]))


PARTS = ["sources", "passages", "calls", "notes", "corpora", "prompts"]


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("files", [FILES, CRATE], ids=["bundle", "crate"])
def test_a_field_of_another_type_is_named(name, files):
    file = next(n for n in files if n.startswith(name))
    lines = files[file].splitlines() if file.endswith("l") else [files[file]]
    for value in broken(json.loads(lines[0])):
        content = b"\n".join([json.dumps(value).encode(), *lines[1:]]) + b"\n"
        report = verify_bytes(resealed({**files, file: content}))
        assert not report.ok, value


def test_an_event_of_odd_content_is_named():
    lines = FILES["events.jsonl"].splitlines()
    kinds = {json.loads(line)["type"]: place for place, line in enumerate(lines)}
    for place in kinds.values():
        event = json.loads(lines[place])
        changed = [{**event, "time": "yesterday"}, {**event, "actor": {"kind": "cat", "name": ""}}]
        for body in broken(json.loads(event["body"])):
            changed.append({**event, "body": json.dumps(body)})
        for odd in random.Random(place).sample(changed, min(len(changed), 12)):
            line = json.dumps(odd).encode()
            content = b"\n".join([*lines[:place], line, *lines[place + 1 :]]) + b"\n"
            findings = verify_bytes(resealed({**CRATE, "events.jsonl": content})).findings
            assert any(f.kind in ("chain", "event") for f in findings), odd


def test_a_zip_packed_again_is_said():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    report = verify_bytes(out.getvalue())
    assert [f.kind for f in report.findings] == ["container"]
    assert "packed again" in report.sentence


def packed(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the name that stands there twice
        for name, content in entries:
            archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        b"no zip at all",
        SMALL[:-200],
        SMALL[:2000],
        packed([]),
        packed([("../evil.txt", b"x")]),
        packed([("/etc/passwd", b"x")]),
        packed([("a\\b", b"x")]),
        packed([("folder/", b"")]),
        packed([("a", b"x"), ("a", b"y")]),
        packed([(f"f{n}", b"x") for n in range(65)]),
        packed([("events.jsonl", b"\x00" * 20_000_000)]),
        packed([("manifest.json", b"[" * 100_000)]),
        packed([("manifest.json", b"{}")]),
        packed([("manifest.json", b'{"format":"trace-bundle","format_version":99}')]),
        packed([*FILES.items()][:5]),
        packed([*{**FILES, "events.jsonl": b"{}\n"}.items()]),
        packed([*{**FILES, "events.jsonl": b"\xff\xfe\n"}.items()]),
        packed([*{**FILES, "sources.jsonl": b'{"key":1}\n'}.items()]),
        packed([*{**FILES, "corpora.json": b"7"}.items()]),
        packed([*{**FILES, "prompts.json": b"7"}.items()]),
    ],
)
def test_what_is_no_bundle_is_refused_with_one_sentence(content, tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(BundleUnreadable) as caught:
        open_bundle(path)
    assert "\n" not in str(caught.value)
    report = verify_bundle(path)
    assert not report.ok and report.sentence


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(NotFound):
        open_bundle(tmp_path / "none.zip")
    with pytest.raises(BundleUnreadable):
        open_bundle(tmp_path)


def test_the_readme_is_a_page_for_people(small):
    text = FILES["README.html"].decode()
    assert "trace-archive verify" in text and small.state.last_hash in text
    assert record_of(FILES).run == "r1"
