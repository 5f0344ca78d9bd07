from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage import Workspace
from storage.settings import TomlSettings
from tests.contracts.building import draft, drain, entry, new
from trace_core.domain.corpus import Scope
from trace_core.domain.errors import SearchFailed, WorkspaceError
from trace_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def test_create_open_and_find_everything_again(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "a" / "w", Settings().changed("search.rrf_k", 30.0)) as made:
        made.documents.add([new("d1", "Le pont.")])
        made.events.append("r1", [draft()], after=0)
        drain(made)
        assert made.name == "w"
    with Workspace.open(tmp_path / "a" / "w") as found:
        assert found.settings.load() == {"search": {"rrf_k": 30.0}}
        assert found.documents.count(Scope()) == (1, 0)
        assert found.events.verify("r1") == 1
        assert len(found.lexical.search("pont", Scope(), 3)) == 1


def test_a_copied_folder_is_a_workspace(tmp_path: Path) -> None:
    import shutil

    with Workspace.create(tmp_path / "w") as made:
        made.documents.add([new("d1", "Le pont.")])
        drain(made)
    shutil.copytree(tmp_path / "w", tmp_path / "copy")
    with Workspace.open(tmp_path / "copy") as copy:
        assert len(copy.lexical.search("pont", Scope(), 3)) == 1


def one_sentence(error: pytest.ExceptionInfo[WorkspaceError], *parts: str) -> None:
    text = str(error.value)
    assert text.endswith(".") and "\n" not in text and "Traceback" not in text
    assert all(part in text for part in parts)


def test_what_cannot_be_created(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w").close()
    with pytest.raises(WorkspaceError) as error:
        Workspace.create(tmp_path / "w")
    one_sentence(error, "already")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("x")
    with pytest.raises(WorkspaceError) as error:
        Workspace.create(tmp_path / "full")
    one_sentence(error, "other files", "empty folder")
    with pytest.raises(WorkspaceError) as error:
        Workspace.create(tmp_path / "full" / "letter.txt")
    one_sentence(error, "is a file")
    with pytest.raises(WorkspaceError) as error:
        Workspace.create(tmp_path / "full" / "letter.txt" / "w")
    one_sentence(error, "cannot be written")


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "nothing")
    one_sentence(error, "no folder", "init")
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path)
    one_sentence(error, "not a workspace")


def test_a_newer_workspace_is_refused_untouched(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w").close()
    path = tmp_path / "w" / "trace.sqlite"
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA user_version = 999")
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "w")
    one_sentence(error, "newer version", "update the program")
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone()[0] == 999


def test_a_newer_folder_form_is_refused(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w").close()
    toml = tmp_path / "w" / "workspace.toml"
    toml.write_text(toml.read_text().replace("format = 1", "format = 99"))
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "w")
    one_sentence(error, "newer version")


@pytest.mark.parametrize("content", [b"", b"not a database at all, but a letter" * 300])
def test_damaged_records(tmp_path: Path, content: bytes) -> None:
    Workspace.create(tmp_path / "w").close()
    (tmp_path / "w" / "trace.sqlite").write_bytes(content)
    if not content:
        with Workspace.open(tmp_path / "w") as empty:
            assert empty.documents.count(Scope()) == (0, 0)
        return
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "w")
    one_sentence(error, "damaged", "backup")


def test_lost_or_emptied_records_are_not_taken_for_a_new_workspace(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "w") as made:
        made.documents.add([new("d1", "Le pont.")])
        drain(made)
    for rest in tmp_path.glob("w/trace.sqlite-*"):
        rest.unlink()
    for spoil in (lambda path: path.write_bytes(b""), Path.unlink):
        spoil(tmp_path / "w" / "trace.sqlite")
        with pytest.raises(WorkspaceError) as error:
            Workspace.open(tmp_path / "w")
        one_sentence(error, "gone or empty", "backup")


def test_a_creation_that_was_killed_can_be_done_again(tmp_path: Path) -> None:
    (tmp_path / "workspace.part").write_bytes(b"")
    TomlSettings(tmp_path).create()
    (tmp_path / "workspace.part").write_bytes(b"")
    Workspace.create(tmp_path).close()
    (tmp_path / "trace.sqlite").write_bytes(b"")
    for rest in tmp_path.glob("trace.sqlite-*"):
        rest.unlink()
    Workspace.open(tmp_path).close()


def test_a_full_disk_is_no_lack_of_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_self: TomlSettings) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TomlSettings, "create", full)
    with pytest.raises(OSError, match="No space"):
        Workspace.create(tmp_path / "w")


def test_damaged_settings(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w").close()
    (tmp_path / "w" / "workspace.toml").write_text("[settings\nrrf = ")
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "w")
    one_sentence(error, "workspace.toml")


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Workspace.create(tmp_path / "w").close()
    if os.geteuid() == 0:  # root may write everywhere: only the answer can be tried
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    else:
        (tmp_path / "w").chmod(0o555)
    with pytest.raises(WorkspaceError) as error:
        Workspace.open(tmp_path / "w")
    (tmp_path / "w").chmod(0o755)
    one_sentence(error, "cannot be written", "write access")


def test_a_broken_lexical_index_fails_aloud_and_reindexing_mends_it(tmp_path: Path) -> None:
    with Workspace.create(tmp_path / "w") as made:
        made.documents.add([new("d1", "Le pont.")])
        drain(made)
    for file in (tmp_path / "w" / "lexical").glob("*.idx"):
        file.write_bytes(b"")
    with Workspace.open(tmp_path / "w") as opened:
        with pytest.raises(SearchFailed) as error:
            opened.lexical.search("pont", Scope(), 3)
        one_sentence(error, "reindex")
        health = opened.health()
        assert (health.ok, health.lexical) == (False, 0) and "reindex" in health.sentence
        opened.lexical.clear()
        opened.queue.requeue_all("lexical")
        drain(opened)
        assert len(opened.lexical.search("pont", Scope(), 3)) == 1


def test_lost_indexes_are_noticed(tmp_path: Path) -> None:
    import shutil

    with Workspace.create(tmp_path / "w", Settings().changed("index.embedder", "none")) as made:
        made.documents.add([new("d1", "Le pont.")])
        drain(made)
        assert made.health().ok
    shutil.rmtree(tmp_path / "w" / "lexical")
    with Workspace.open(tmp_path / "w") as opened:
        health = opened.health()
        assert (health.lexical, health.chunks, health.ok) == (0, 1, False)
        assert "reindex" in health.sentence


def test_another_process_that_holds_the_index_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tantivy

    from trace_core.domain.errors import WorkspaceBusy

    with Workspace.create(tmp_path / "w") as made:
        made.lexical.add([entry("Le pont")])
        index = tantivy.Index.open(str(tmp_path / "w" / "lexical"))
        writer = index.writer()
        with pytest.raises(WorkspaceBusy) as error:
            made.lexical.add([entry("La digue")])
        one_sentence(error, "try again")
        writer.rollback()
        del writer
        made.lexical.add([entry("La digue")])
        assert made.lexical.count() == 2


def test_importing_the_storage_loads_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from storage import Workspace\n"
        f"w = Workspace.create({str(tmp_path / 'w')!r})\n"
        "w.documents.stats(); w.events.runs(); w.leases.orphans(); w.health()\n"
        "heavy = {'lancedb', 'torch', 'pyarrow', 'pandas', 'sklearn', 'litellm', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def test_importing_the_storage_does_not_load_tantivy() -> None:
    code = "import sys, storage; print('tantivy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"


def test_every_workspace_has_its_own_name(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "a").close()
    Workspace.create(tmp_path / "b").close()
    names = {TomlSettings(tmp_path / name).workspace_id for name in ("a", "b")}
    assert len(names) == 2 and "" not in names
