"""An address that carries a password is refused: settings are stored, keys are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import open_town
from trace_core.domain.errors import BadInput
from trace_core.settings import Settings

ADDRESSES = [
    "http://anne:s3cretpassword@127.0.0.1:9/v1",
    "https://s3cretpassword@example.org/v1",
    "https://example.org/v1?api_key=s3cretpassword",
    "https://example.org/v1?token=s3cretpassword",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_setting_takes_no_address_with_a_key(address: str) -> None:
    with pytest.raises(BadInput, match="TRACE_API_KEY") as caught:
        Settings().changed("model.api_base", address)
    assert "s3cret" not in str(caught.value)


def test_an_address_of_the_environment_with_a_key_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = open_town(tmp_path)
    monkeypatch.setenv("TRACE_MODEL", "openai/x")
    monkeypatch.setenv("TRACE_API_BASE", ADDRESSES[0])
    with pytest.raises(BadInput, match="TRACE_API_KEY"):
        town.ask("Que dit Le Conseil du pont ?", "model")
    town.close()
    for file in (tmp_path / "workspace").rglob("*"):
        assert not file.is_file() or b"s3cretpassword" not in file.read_bytes()


def test_addresses_without_a_key_are_taken() -> None:
    for address in ("", "http://127.0.0.1:1234/v1", "https://x.org/v1?api-version=2024-02-01"):
        assert Settings().changed("model.api_base", address).model.api_base == address
