"""Embedders by name: the built-in latent semantic index, a local model, or a model by LiteLLM.

In: the index settings. Out: an `Embedder`, or None where none is set or trained yet. Loading is
lazy, and a hub that cannot be reached is a clear error within seconds, never a hanging import.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trace_core.domain.errors import BadInput, EmbedderUnavailable
from trace_core.ports import ArtifactStore, Embedder, Vectors
from trace_core.search.lsa import LatentIndex
from trace_core.settings import IndexSettings

LSA_ARTIFACT = "lsa"
_BATCH = 32


def open_embedder(settings: IndexSettings, artifacts: ArtifactStore) -> Embedder | None:
    """The embedder that the settings name; None for `none`, or a latent index not yet trained.

    Raises BadInput for an unknown kind and EmbedderUnavailable for one that cannot be loaded.
    """
    kind, _, name = settings.embedder.partition(":")
    if kind == "none":
        return None
    if kind == "lsa":
        artifact = artifacts.load(LSA_ARTIFACT)
        return LatentIndex.from_artifact(artifact) if artifact else None
    if kind == "st" and name:
        return SentenceTransformerEmbedder(
            name, settings.embed_query_prefix, settings.embed_passage_prefix
        )
    if kind == "litellm" and name:
        return LiteLlmEmbedder(name, settings.embed_query_prefix, settings.embed_passage_prefix)
    raise BadInput(
        f"The embedder {settings.embedder!r} is unknown; use lsa, none, st:PATH-OR-NAME or "
        "litellm:NAME."
    )


class SentenceTransformerEmbedder:
    """A sentence-transformers model from a folder, or from the local cache of its hub.

    With a query or passage prefix set, these are put before the texts; else the model's own
    prompts "query" and "document" are used where it has them.
    """

    def __init__(self, name: str, query_prefix: str = "", passage_prefix: str = "") -> None:
        self._name = name
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """The model's name with its prefixes, hashed."""
        return _version("st", self._name, self._query_prefix, self._passage_prefix)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._loaded().get_sentence_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        model = self._loaded()
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        encode = model.encode if self._passage_prefix else model.encode_document
        prefixed = [self._passage_prefix + text for text in texts]
        vectors = encode(
            prefixed, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """One unit vector."""
        model = self._loaded()
        encode = model.encode if self._query_prefix else model.encode_query
        vectors = encode(
            [self._query_prefix + text], normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors[0], dtype=np.float32)

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = _load_sentence_transformer(self._name)
            return self._model


def _load_sentence_transformer(name: str) -> Any:
    # A busy-waiting OpenMP pool makes single queries tens of times slower on a shared machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    folder = Path(name).expanduser()
    if not folder.exists() and (name.startswith((".", "/", "~")) or name.count("/") > 1):
        raise EmbedderUnavailable(f"There is no model folder {name}; name an existing one.")
    from sentence_transformers import SentenceTransformer

    allow_download = os.environ.get("TRACE_ALLOW_DOWNLOAD", "") == "1"
    try:
        return SentenceTransformer(
            str(folder) if folder.exists() else name,
            device="cpu" if os.environ.get("TRACE_DEVICE", "cpu") == "cpu" else None,
            local_files_only=not allow_download,
        )
    except (OSError, ValueError, ImportError) as error:
        raise EmbedderUnavailable(
            f"The embedding model {name!r} is not on this machine; name a folder with its files, "
            "or set TRACE_ALLOW_DOWNLOAD=1 to let it be fetched once, or use the embedder lsa."
        ) from error


class LiteLlmEmbedder:
    """An embedding model of any provider by its LiteLLM name; keys from the environment only."""

    def __init__(
        self,
        name: str,
        query_prefix: str = "",
        passage_prefix: str = "",
        api_base: str | None = None,
    ) -> None:
        self._name = name
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._api_base = api_base or os.environ.get("TRACE_EMBED_API_BASE") or None
        self._dimensions = 0

    @property
    def name(self) -> str:
        """The model's LiteLLM name."""
        return self._name

    @property
    def address(self) -> str:
        """The server's address, "" for the provider's own."""
        return self._api_base or ""

    @property
    def version(self) -> str:
        """The model's name with its prefixes, hashed."""
        return _version("litellm", self._name, self._query_prefix, self._passage_prefix)

    @property
    def dimensions(self) -> int:
        """Length of a vector, asked of the model once."""
        if not self._dimensions:
            self._dimensions = int(self._embed(["dimension"]).shape[1])
        return self._dimensions

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        parts = [
            self._embed([self._passage_prefix + t for t in texts[i : i + _BATCH]])
            for i in range(0, len(texts), _BATCH)
        ]
        return np.concatenate(parts)

    def embed_query(self, text: str) -> Vectors:
        """One unit vector."""
        vector: Vectors = self._embed([self._query_prefix + text])[0]
        return vector

    def _embed(self, texts: list[str]) -> Vectors:
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm

        key = os.environ.get("TRACE_EMBED_API_KEY") or ("not-needed" if self._api_base else None)
        try:
            reply = litellm.embedding(
                model=self._name, input=texts, api_base=self._api_base, api_key=key, timeout=60
            )
        except Exception as error:
            raise EmbedderUnavailable(
                f"The embedding model {self._name!r} did not answer ({type(error).__name__}); "
                "check its name, address and key, or use the embedder lsa."
            ) from error
        rows = [item["embedding"] for item in reply.data]
        vectors = np.asarray(rows, dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Vectors = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
        return unit


def _version(*parts: str) -> str:
    return hashlib.sha256("\x00".join(parts).encode()).hexdigest()[:16]
