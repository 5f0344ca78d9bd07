"""Forms of a query by model: cleaned, bounded, and kept outside of all runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.assistant.builders import assistant
from trace_core.domain.errors import BadInput
from trace_core.service import Service


def test_forms_are_given_without_the_query_itself_and_without_signs(scripted: Any) -> None:
    reply = {"forms": ["London", "Londres", "londres", "Lon|don", "", "…", "x" * 200]}
    server = scripted([json.dumps(reply)])
    outcome = assistant(server).variants("LONDON", ["de", "fr"])
    assert outcome.value == ("Londres", "Lon don")
    sent = json.dumps(server.requests[0].body, ensure_ascii=False)
    assert "LONDON" in sent and "de, fr" in sent


def test_at_most_twelve(scripted: Any) -> None:
    server = scripted([json.dumps({"forms": [f"form {n}" for n in range(40)]})])
    assert len(assistant(server).variants("Name", []).value or ()) == 12


def test_without_a_model_it_is_said(service: Service) -> None:
    with pytest.raises(BadInput, match="No model is set"):
        service.variants_by_model("Name")
