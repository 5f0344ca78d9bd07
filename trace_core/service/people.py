"""People and settings: notes, tags, stars, and the workspace's settings."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace

from trace_core.domain.corpus import DocumentKey
from trace_core.domain.errors import BadInput
from trace_core.domain.events import now
from trace_core.ports import Note, NoteKind
from trace_core.service.upkeep import UpkeepRoom
from trace_core.settings import Changes, Settings, preset


class PeopleRoom(UpkeepRoom):
    """The part of the façade that keeps what people write and set."""

    def note(
        self,
        key: DocumentKey,
        text: str,
        person: str = "",
        *,
        chunk: int | None = None,
        run: str = "",
    ) -> Note:
        """Keep a note on a document or a passage. Raises BadInput for an empty one, NotFound."""
        blank = _blank("note", key, person)
        return self._keep(replace(blank, text=_written(text), chunk=chunk, run=run))

    def star(
        self, key: DocumentKey, person: str = "", *, on: bool = True, chunk: int | None = None
    ) -> Note:
        """Put a star on a document or a passage, or take it off. Raises NotFound."""
        blank = _blank("star" if on else "unstar", key, person)
        return self._keep(replace(blank, chunk=chunk))

    def tag(self, key: DocumentKey, tag: str, person: str = "") -> Note:
        """Put a tag on a document. Raises BadInput for an empty one, NotFound."""
        return self._keep(replace(_blank("tag", key, person), text=_written(tag)))

    def untag(self, key: DocumentKey, tag: str, person: str = "") -> Note:
        """Take a tag off a document. Raises NotFound."""
        return self._keep(replace(_blank("untag", key, person), text=tag))

    def notes(self, keys: Iterable[DocumentKey] | None = None) -> list[Note]:
        """Everything that was written, oldest first; under earlier keys of the documents too."""
        if keys is None:
            return self.stores.notes.notes()
        return self.stores.notes.notes(self._all_keys(keys))

    def starred(self) -> set[DocumentKey]:
        """Documents with a star."""
        notes = self.stores.notes.notes()
        present = self.stores.upkeep.present({note.key for note in notes})
        found: set[DocumentKey] = set()
        for note in notes:
            key = present.get(note.key, note.key)
            if note.kind == "star":
                found.add(key)
            elif note.kind == "unstar":
                found.discard(key)
        return found

    def tags(self, key: DocumentKey) -> list[str]:
        """The tags that stand on a document."""
        found: dict[str, None] = {}
        for note in self.notes([key]):
            if note.kind == "tag":
                found[note.text] = None
            elif note.kind == "untag":
                found.pop(note.text, None)
        return list(found)

    def _all_keys(self, keys: Iterable[DocumentKey]) -> set[DocumentKey]:
        """These keys with those that their documents have now and had before."""
        asked = set(keys)
        asked |= set(self.stores.upkeep.present(asked).values())
        former = self.stores.upkeep.former(asked).values()
        return asked | {key for earlier in former for key in earlier}

    def tagged(self) -> dict[DocumentKey, tuple[str, ...]]:
        """All documents with tags that stand, with these tags in the order they were given."""
        found: dict[DocumentKey, dict[str, None]] = {}
        notes = self.stores.notes.notes()
        present = self.stores.upkeep.present({note.key for note in notes})
        for note in notes:
            key = present.get(note.key, note.key)
            if note.kind == "tag":
                found.setdefault(key, {})[note.text] = None
            elif note.kind == "untag":
                found.get(key, {}).pop(note.text, None)
        return {key: tuple(tags) for key, tags in found.items() if tags}

    def starred_among(self, keys: Iterable[DocumentKey]) -> set[DocumentKey]:
        """Those of these keys, former ones of moved documents too, whose documents have a star."""
        asked, stars = list(keys), self.starred()
        present = self.stores.upkeep.present(asked)
        return {key for key in asked if present.get(key, key) in stars}

    def tagged_among(self, keys: Iterable[DocumentKey]) -> dict[DocumentKey, tuple[str, ...]]:
        """The tags that stand, by these keys, former ones of moved documents too."""
        asked, tagged = list(keys), self.tagged()
        present = self.stores.upkeep.present(asked)
        found = {key: tagged.get(present.get(key, key), ()) for key in asked}
        return {key: tags for key, tags in found.items() if tags}

    def save_settings(self, changes: Changes) -> Settings:
        """Change the workspace's settings. Raises BadInput for what cannot be."""
        settings = self.settings().merged(changes)
        self.stores.settings.save(settings.differences())
        self.forget()
        return settings

    def preset_changes(self, name: str) -> Changes:
        """The changes that bring the workspace's settings to a preset; none for no name."""
        if not name:
            return {}
        model = self.settings().model.model_dump()
        wanted = preset(name).model_dump()
        # A preset says how the method works, never which model a person has.
        wanted["model"] |= {
            key: model[key] for key in ("name", "api_base", "price_in", "price_out")
        }
        # How texts are cut is the archive's property: a run cannot change it.
        del wanted["index"]
        return wanted

    def _keep(self, note: Note) -> Note:
        self.stores.documents.document(note.key)
        self.stores.notes.add(note)
        return note


def _written(text: str) -> str:
    if not text.strip():
        raise BadInput("Write something; an empty note is not kept.")
    return text.strip()


def _blank(kind: NoteKind, key: DocumentKey, person: str) -> Note:
    return Note(uuid.uuid4().hex[:12], kind, person or "historian", now(), key)
