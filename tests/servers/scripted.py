"""A small OpenAI-compatible server on loopback that plays a script: replies and all faults.

A script is a list of moves (the last one is repeated) or a function from the request's JSON to a
move. A move is a string (the reply's content), a `Reply`, or a fault: `Busy`, `Broken`, `HangUp`,
`Silence`, `Refusal`. It also answers Ollama's paths, so that its options can be checked.

    with ScriptedServer(["{...}", Busy("1"), Oracle()]) as server:
        ...  # server.url is the api_base; server.requests holds what was asked

    python -m tests.servers.scripted --port 8123 --play oracle
"""

from __future__ import annotations

import argparse
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

# --- moves ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    """A reply. `finish` is "length" for one that was cut off; `usage` None leaves tokens out."""

    content: str | None
    finish: str = "stop"
    usage: tuple[int, int] | None = (100, 20)
    delay: float = 0.0


@dataclass(frozen=True)
class Busy:
    """429, with the Retry-After header given (seconds or an HTTP date) or without one."""

    retry_after: str | None = None
    message: str = "Rate limit reached"


@dataclass(frozen=True)
class Broken:
    """A 5xx (or any other) status with a body that is no reply."""

    status: int = 500
    body: str = "<html><body>Internal Server Error</body></html>"


@dataclass(frozen=True)
class HangUp:
    """The connection ends in the middle of the body."""

    content: str = '{"judgements": [{"id": "c1", "verdict": "accept"'


@dataclass(frozen=True)
class Silence:
    """Nothing comes, until the server is closed."""


@dataclass(frozen=True)
class Refusal:
    """400 with an error of the server's own."""

    message: str
    code: str = "invalid_request_error"
    status: int = 400


@dataclass(frozen=True)
class Body:
    """200 with this JSON, whatever it is."""

    value: Any


Move = str | Reply | Busy | Broken | HangUp | Silence | Refusal | Body
Player = Callable[[dict[str, Any]], Move]
Script = Sequence[Move | Player] | Player


@dataclass
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    time: float = field(default_factory=time.monotonic)

    @property
    def system(self) -> str:
        """The system message."""
        return _content(self.body, "system")

    @property
    def user(self) -> str:
        """The user message."""
        return _content(self.body, "user")


def _content(body: dict[str, Any], role: str) -> str:
    return "\n".join(str(m["content"]) for m in body.get("messages", []) if m["role"] == role)


# --- named scripts -------------------------------------------------------------------------------


def for_ever(move: Move) -> Player:
    """The same move, whatever is asked."""
    return lambda request: move


def thinking(inner: Player, *, opening: bool = True) -> Player:
    """The inner player's reply after a thought, with both tags or only the closing one."""

    def play(request: dict[str, Any]) -> Move:
        move = inner(request)
        if not isinstance(move, str):
            return move
        return ("<think>" if opening else "") + '{"action": "finish"} perhaps?</think>' + move

    return play


def half(inner: Player) -> Player:
    """The first half of the inner player's reply, as if the token limit had cut it."""

    def play(request: dict[str, Any]) -> Move:
        move = inner(request)
        return Reply(move[: len(move) // 2], "length") if isinstance(move, str) else move

    return play


def every(count: int, fault: Move, inner: Player) -> Player:
    """The fault at every `count`-th request, else the inner player's move."""
    lock, number = threading.Lock(), [0]

    def play(request: dict[str, Any]) -> Move:
        with lock:
            number[0] += 1
            due = number[0] % count == 0
        return fault if due else inner(request)

    return play


# --- the server ----------------------------------------------------------------------------------


class ScriptedServer:
    """Plays a script on a free port of 127.0.0.1 from `start()` to `close()`.

    `refuses` names forms of reply that are answered with 400 ("json_schema", "json_object",
    "temperature"). `key` is the only key accepted; a wrong one is repeated in the 401.
    """

    def __init__(
        self,
        script: Script,
        *,
        refuses: Sequence[str] = (),
        key: str | None = None,
        port: int = 0,
    ) -> None:
        self.script = script
        self.refuses, self.key = frozenset(refuses), key
        self.requests: list[Seen] = []
        self._lock, self._played = threading.Lock(), 0
        self.closing = threading.Event()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.scripted = self
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._http.server_address[1])

    @property
    def root(self) -> str:
        """The address without a path, as Ollama's clients want it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The address as `api_base`."""
        return f"{self.root}/v1"

    @property
    def chats(self) -> list[Seen]:
        """The requests for a reply."""
        return [seen for seen in self.requests if "messages" in seen.body]

    def start(self) -> ScriptedServer:
        """Listen in a thread."""
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Let go of everybody who waits, and end."""
        self.closing.set()
        if self._thread is not None:
            self._http.shutdown()
            self._thread.join(timeout=5)
        self._http.server_close()

    def __enter__(self) -> ScriptedServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def move(self, body: dict[str, Any]) -> Move:
        """The next move of the script for this request."""
        form = (body.get("response_format") or {}).get("type")
        if form in self.refuses:
            return Refusal(f"'response_format' of type '{form}' is not supported by this server")
        if "temperature" in self.refuses and "temperature" in body:
            return Refusal("Unsupported value: 'temperature' does not support 0.1 with this model")
        if callable(self.script):
            return self.script(body)
        with self._lock:
            index = min(self._played, len(self.script) - 1)
            self._played += 1
        step = self.script[index]
        return step(body) if callable(step) else step

    def keep(self, seen: Seen) -> None:
        """Remember a request."""
        with self._lock:
            self.requests.append(seen)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    scripted: ScriptedServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each reply waits 40 ms for the client's delayed ACK
    wbufsize = -1
    server: _Http

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._json(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_POST(self) -> None:
        scripted = self.server.scripted
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size) or b"{}")
        scripted.keep(Seen(self.path, dict(self.headers.items()), body))
        if self.path == "/api/show":
            self._json(200, {"capabilities": ["completion"], "model_info": {}, "template": ""})
            return
        given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if scripted.key is not None and given != scripted.key:
            self._error(401, f"Incorrect API key provided: {given}", "invalid_api_key")
            return
        self._play(scripted.move(body), body)

    def _play(self, move: Move, body: dict[str, Any]) -> None:
        if isinstance(move, str):
            move = Reply(move)
        if isinstance(move, Busy):
            headers = {} if move.retry_after is None else {"Retry-After": move.retry_after}
            self._error(429, move.message, "rate_limit_exceeded", headers)
        elif isinstance(move, Broken):
            self._send(move.status, move.body.encode(), "text/html")
        elif isinstance(move, Body):
            self._json(200, move.value)
        elif isinstance(move, HangUp):
            self._hang_up(json.dumps(_completion(Reply(move.content), body)).encode())
        elif isinstance(move, Silence):
            self.server.scripted.closing.wait()
            self.close_connection = True
        elif isinstance(move, Refusal):
            self._error(move.status, move.message, move.code)
        else:
            time.sleep(move.delay)
            ollama = self.path.startswith("/api/")
            self._json(200, _ollama(move) if ollama else _completion(move, body))

    def _hang_up(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) * 2))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _error(
        self, status: int, message: str, code: str, headers: dict[str, str] | None = None
    ) -> None:
        body = {"error": {"message": message, "type": code, "code": code}}
        self._json(status, body, headers)

    def _json(self, status: int, body: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), "application/json", headers)

    def _send(
        self, status: int, content: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the caller has given up waiting


def _completion(move: Reply, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": move.content}
    answer: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": move.finish}],
    }
    if move.usage is not None:
        tokens_in, tokens_out = move.usage
        answer["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return answer


def _ollama(move: Reply) -> dict[str, Any]:
    tokens_in, tokens_out = move.usage or (0, 0)
    return {
        "model": "scripted",
        "created_at": "2024-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": move.content or ""},
        "done": True,
        "done_reason": move.finish,
        "prompt_eval_count": tokens_in,
        "eval_count": tokens_out,
    }


# --- for pytest and for the command line ---------------------------------------------------------


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Starts servers that play a script; all are closed at the end of the test."""
    servers: list[ScriptedServer] = []

    def start(script: Script, **options: Any) -> ScriptedServer:
        servers.append(ScriptedServer(script, **options).start())
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def named_scripts() -> dict[str, Script]:
    """The scripts that the command line can play, by name."""
    from tests.servers.oracle import Oracle

    oracle = Oracle()
    same = json.dumps({"action": "search_bm25", "args": {"query": "always the same"}})
    return {
        "oracle": oracle,
        "busy": every(3, Busy("1"), oracle),
        "busy-without-header": every(3, Busy(), oracle),
        "broken": every(3, Broken(), oracle),
        "hang-up": every(3, HangUp(), oracle),
        "silence": for_ever(Silence()),
        "half": half(oracle),
        "thinking": thinking(oracle),
        "thinking-unopened": thinking(oracle, opening=False),
        "empty": for_ever(""),
        "prose": for_ever("I am afraid that I would rather talk about the weather."),
        "invented": Oracle(invent=True),
        "obedient": Oracle(obedient=True),
        "finish-at-once": Oracle(searches=0),
        "same-search": Oracle(step=same),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Play a named script until interrupted."""
    scripts = named_scripts()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="the port; 0 for any free one")
    parser.add_argument("--play", choices=sorted(scripts), default="oracle")
    chosen = parser.parse_args(arguments)
    server = ScriptedServer(scripts[chosen.play], port=chosen.port).start()
    print(f"{chosen.play} at {server.url} (stop with Ctrl-C)", flush=True)  # noqa: T201
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        server.close()


if __name__ == "__main__":
    main()
