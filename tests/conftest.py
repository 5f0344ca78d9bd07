"""What all tests share: where the shared data lie, a small archive, a workspace over it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from storage.workspace import Workspace
from trace_core.service import Service

os.environ.setdefault("TRACE_OFFLINE", "1")

# The same examples each time and no limit of time on one of them: a busy machine fails no test.
# `--hypothesis-profile=search` looks for new examples, many of them.
settings.register_profile(
    "trace", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "search", settings.get_profile("trace"), derandomize=False, max_examples=2000
)
settings.load_profile("trace")

ROOT = Path(__file__).resolve().parents[1]

TOWN = [
    ("council", "m1", "1883-03-02", "fr", "Séance du 2 mars 1883. M. Vernaudon rend compte de l'état du pont de la Scie. Les pilotis sont pourris et la crue les menace."),
    ("council", "m2", "1883-03-09", "fr", "Séance du 9 mars 1883. Le conseil refuse le crédit demandé pour le pont. Le maire Lemoyne promet une expertise."),
    ("council", "m3", "1883-05-04", "fr", "Séance du 4 mai 1883. L'adjudication du théâtre est remise. Aucun soumissionnaire ne s'est présenté."),
    ("courier", "18830303", "1883-03-03", "fr", "Le pont de la Scie ne court aucun danger, quoi qu'en dise M. Vernaudon. La crue passera."),
    ("courier", "18830311", "1883-03-11", "fr", "Le maire Lemoyne a sagement refusé le crédit du pont. Nos finances sont saines."),
    ("courier", "18830506", "1883-05-06", "fr", "Le théâtre ouvrira à l'automne. On répète une comédie nouvelle."),
    ("herald", "18830303", "1883-03-03", "fr", "Le pont de la Scie tombera. Vernaudon l'a dit et le maire Lemoyne n'écoute personne."),
    ("herald", "18830404", "1883-04-04", "fr", "La grève des fileuses continue. Les patrons refusent tout."),
    ("herald", "18830312", "1883-03-12", "fr", "Crédit refusé: le pont de la Scie est condamné par le conseil."),
    ("letters", "l1", "1883-03-13", "fr", "Chère sœur, le pont de la Scie a été emporté cette nuit par la crue. Vernaudon avait raison."),
    ("letters", "l2", "1883-06-01", "fr", "Mon ami, les foins sont rentrés et la comédie était mauvaise."),
    ("letters", "l3", "NA", "fr", "Sans date: je pense souvent au vieux pont et aux jours passés."),
]  # fmt: skip

CORPORA = {
    "council": {"name": "Le Conseil", "kind": "debates", "language": "fr"},
    "courier": {"name": "Le Courrier", "kind": "newspaper", "language": "fr"},
    "herald": {"name": "Le Héraut", "kind": "newspaper", "language": "fr"},
    "letters": {"name": "Les Lettres", "kind": "letters", "language": "fr"},
}


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data; the test is skipped where it does not lie beside the project."""
    folder = Path(os.environ.get("TRACE_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"the shared data are not at {folder}")
    return folder


def write_town(path: Path) -> Path:
    """Write the small invented archive of four sub-corpora as JSON lines."""
    lines = [
        json.dumps(
            {
                "doc_id": doc_id,
                "corpus": corpus,
                "date": date,
                "title": f"{corpus} {doc_id}",
                "language": language,
                "text_original": text,
            },
            ensure_ascii=False,
        )
        for corpus, doc_id, date, language, text in TOWN
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def open_town(folder: Path) -> Service:
    """The façade over a new workspace with the small invented archive."""
    opened = Service(Workspace.create(folder / "workspace"))
    opened.run_import(write_town(folder / "town.jsonl"))
    for corpus_id, changes in CORPORA.items():
        opened.set_corpus(corpus_id, **changes)
    return opened


@pytest.fixture
def town_file(tmp_path: Path) -> Path:
    """The small invented archive as a file."""
    return write_town(tmp_path / "town.jsonl")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """The façade over an empty workspace."""
    opened = Service(Workspace.create(tmp_path / "workspace"))
    yield opened
    opened.close()


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Service]:
    """A town of one's own, to be changed."""
    opened = open_town(tmp_path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shared_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A town that the tests of a module share; runs may be added, documents not changed."""
    opened = open_town(tmp_path_factory.mktemp("town"))
    yield opened
    opened.close()
