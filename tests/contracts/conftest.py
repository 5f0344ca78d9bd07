"""Every contract test runs against the workspace folder and against the stores in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage import Workspace
from tests.contracts.memory import MemoryStores
from trace_core.ports import Stores


@pytest.fixture(params=["workspace", "memory"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    """All stores of an empty archive."""
    opened: Stores
    opened = Workspace.create(tmp_path / "w") if request.param == "workspace" else MemoryStores()
    yield opened
    opened.close()
