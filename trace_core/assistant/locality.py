"""Whether what a model is shown stays on this machine.

Judged by the address that the call will really use, and on the strict side: whatever cannot be
shown to be a loopback address counts as another machine, and so does an Ollama model that the
local server only forwards ("…-cloud").
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

_HOME = {"ollama": "http://127.0.0.1:11434", "ollama_chat": "http://127.0.0.1:11434"}
_VARIABLES = {
    "ollama": ("OLLAMA_API_BASE", "OLLAMA_HOST"),
    "ollama_chat": ("OLLAMA_API_BASE", "OLLAMA_HOST"),
    "lm_studio": ("LM_STUDIO_API_BASE",),
    "hosted_vllm": ("HOSTED_VLLM_API_BASE",),
    "llamafile": ("LLAMAFILE_API_BASE",),
    "openai": ("OPENAI_API_BASE", "OPENAI_BASE_URL"),
}


def provider_of(name: str) -> str:
    """The provider part of a LiteLLM model name, "" where the name has none."""
    provider, slash, _ = name.partition("/")
    return provider.lower() if slash else ""


def address_of(name: str, api_base: str, environment: Mapping[str, str] | None = None) -> str:
    """The address that a call will use: the setting, else the provider's variable, else ""."""
    if api_base.strip():
        return _with_scheme(api_base.strip())
    environment = os.environ if environment is None else environment
    provider = provider_of(name)
    for variable in _VARIABLES.get(provider, ()):
        value = environment.get(variable, "").strip()
        if value:
            return _with_scheme(value)
    return _HOME.get(provider, "")


def _with_scheme(address: str) -> str:
    return address if "://" in address or address.startswith("unix:") else f"http://{address}"


def is_local(api_base: str, model: str = "") -> bool:
    """Whether a model at this address runs on this machine (loopback or a Unix socket)."""
    if provider_of(model).startswith("ollama") and model.lower().endswith("cloud"):
        return False
    address = api_base.strip()
    if address.startswith(("unix:", "http+unix:")):
        return True
    try:
        host = urlsplit(_with_scheme(address)).hostname
    except ValueError:
        return False
    if not host:
        return False
    if host.rstrip(".").lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
