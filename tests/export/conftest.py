import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import run_builders as runs


@pytest.fixture(scope="module")
def small():
    return runs.small_record()


@pytest.fixture(scope="module")
def nasty():
    return runs.nasty_record()
