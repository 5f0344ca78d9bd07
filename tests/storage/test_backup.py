from __future__ import annotations

import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from storage import Workspace
from storage.backup import backup, restore
from tests.contracts.building import draft, drain, new
from trace_core.domain.corpus import DocumentKey, Scope
from trace_core.domain.errors import BadInput, WorkspaceError
from trace_core.ports import Artifact


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace.create(tmp_path / "w")
    made.documents.add([new("d1", "Le pont."), new("d2", "La crue.")])
    drain(made)
    made.events.append("r1", [draft()], after=0)
    made.settings.save({"search": {"rrf_k": 30.0}})
    made.artifacts.save("lsa", Artifact("v1", {"u": np.ones(3)}))
    return made


@pytest.mark.parametrize("name", ["copy", "copy.zip"])
def test_there_and_back(workspace: Workspace, tmp_path: Path, name: str) -> None:
    made = backup(workspace, tmp_path / "backups" / name)
    assert made.exists()
    with restore(made, tmp_path / "again") as found:
        assert found.documents.document(DocumentKey("herald", "d2")).text == "La crue."
        assert found.events.verify("r1") == 1
        assert found.settings.load() == {"search": {"rrf_k": 30.0}}
        artifact = found.artifacts.load("lsa")
        assert artifact is not None and artifact.arrays["u"].tolist() == [1.0, 1.0, 1.0]
        assert found.lexical.count() == 0
        assert "reindex" in found.health().sentence
        drain(found)
        assert len(found.lexical.search("crue", Scope(), 3)) == 1
        assert found.documents.add([new("d3", "x")])[0].chunk_ids == (3,)


def test_a_backup_folder_opens_by_itself(workspace: Workspace, tmp_path: Path) -> None:
    with Workspace.open(backup(workspace, tmp_path / "copy")) as copy:
        assert copy.documents.count(Scope()) == (2, 0)
        assert copy.queue.pending_count("lexical") == 2


def test_the_copy_shows_one_moment_while_others_write(workspace: Workspace, tmp_path: Path) -> None:
    ended = threading.Event()

    def work() -> None:
        for n in range(100_000):
            workspace.documents.add([new(f"a{n}", "un"), new(f"b{n}", "deux")])
            if ended.is_set():
                return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        copies = [backup(workspace, tmp_path / f"copy{n}") for n in range(3)]
    finally:
        ended.set()
        thread.join()
    for path in copies:
        with Workspace.open(path) as copy:
            names = {head.key.source_id for head in copy.documents.browse(Scope(), limit=10**6)}
            assert {f"b{name[1:]}" for name in names if name[0] == "a"} == {
                name for name in names if name[0] == "b"
            }


def test_nothing_is_overwritten(workspace: Workspace, tmp_path: Path) -> None:
    made = backup(workspace, tmp_path / "copy")
    with pytest.raises(BadInput, match="exists already"):
        backup(workspace, made)
    with pytest.raises(WorkspaceError, match="not empty"):
        restore(made, tmp_path / "w")


@pytest.mark.parametrize("name", ["w/copy", "w/copy.zip", "w/deep/er/copy", "link/copy"])
def test_no_backup_inside_the_workspace(workspace: Workspace, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "w")
    before = sorted(path.name for path in (tmp_path / "w").iterdir())
    with pytest.raises(BadInput, match="lies inside the workspace"):
        backup(workspace, tmp_path / name)
    assert sorted(path.name for path in (tmp_path / "w").iterdir()) == before


def test_no_workspace_inside_its_backup(workspace: Workspace, tmp_path: Path) -> None:
    made = backup(workspace, tmp_path / "copy")
    with pytest.raises(WorkspaceError, match="lies inside the backup"):
        restore(made, made / "again")
    assert not (made / "again").exists()


def test_a_workspace_in_use_can_be_restored_from(workspace: Workspace, tmp_path: Path) -> None:
    workspace.documents.add([new("d3", "Le moulin.")])
    assert (tmp_path / "w" / "trace.sqlite-wal").stat().st_size
    with restore(tmp_path / "w", tmp_path / "again") as found:
        assert found.documents.document(DocumentKey("herald", "d3")).text == "Le moulin."
        assert found.events.verify("r1") == 1


def test_a_damaged_backup_is_one_sentence(workspace: Workspace, tmp_path: Path) -> None:
    packed = backup(workspace, tmp_path / "copy.zip")
    content = packed.read_bytes()
    middle = len(content) // 2
    (tmp_path / "changed.zip").write_bytes(content[:middle] + b"\0" * 400 + content[middle + 400 :])
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        for name in ("trace.sqlite", "workspace.toml"):
            archive.writestr(name, "no database")
    for name in ("changed.zip", "other.zip"):
        with pytest.raises(BadInput, match="damaged"):
            restore(tmp_path / name, tmp_path / "again")
        assert not (tmp_path / "again").exists()


def test_what_is_no_backup(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("x")
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        for name in ("trace.sqlite", "workspace.toml", "../out.txt"):
            archive.writestr(name, "x")
    for name in ("letter.txt", "folder", "evil.zip", "nothing"):
        with pytest.raises(BadInput, match="no backup"):
            restore(tmp_path / name, tmp_path / "again")
    assert not (tmp_path / "again").exists()
    assert not (tmp_path / "out.txt").exists()
