"""A package index in this process, to simulate the damage and the errors that the real one rarely shows."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class File(NamedTuple):
    """One file on the index, and how it is served."""

    name: str
    content: bytes
    sha256: str = ""
    """The hash on the index; empty for the correct one."""
    yanked: bool = False
    status: int = 200
    delay: float = 0
    """Seconds before the first byte is sent."""
    sent: int | None = None
    """Number of bytes after which the connection is closed; Content-Length announces all bytes."""
    ranges: bool = False
    """Whether a part of the file can be requested."""


@contextmanager
def serve(files: dict[str, list[File]]) -> Iterator[str]:
    """Serve `files`, by package; yield the URL of the index."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            package, _, name = self.path.strip("/").removeprefix("simple/").partition("/")
            known = {file.name: file for file in files.get(package, [])}
            if name:
                self._file(known[name])
            else:
                self._page(known if package in files else None)

        def _page(self, known: dict[str, File] | None) -> None:
            links = [_link(file) for file in (known or {}).values()]
            body = ("<!DOCTYPE html><html><body>" + "\n".join(links) + "</body></html>").encode()
            self.send_response(404 if known is None else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _file(self, file: File) -> None:
            time.sleep(file.delay)
            if file.ranges:
                self._part(file.content)
                return
            self.send_response(file.status)
            self.send_header("Content-Length", str(len(file.content)))
            self.end_headers()
            self.wfile.write(file.content[: file.sent])

        def _part(self, content: bytes) -> None:
            first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
            part = content[first : last + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(part)))
            self.end_headers()
            self.wfile.write(part)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with running(Handler) as address:
        yield address


@contextmanager
def serve_links(links: Mapping[str, str]) -> Iterator[str]:
    """Serve an index whose pages, by package, have the HTML of `links` to files elsewhere; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = (
                f"<!DOCTYPE html><html><body>{links[self.path.rstrip('/').rpartition('/')[2]]}</body></html>".encode()
            )
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with running(Handler) as address:
        yield address


@contextmanager
def running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server with this handler; yield the URL of its index."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple/"
    finally:
        server.shutdown()
        server.server_close()


def _link(file: File) -> str:
    digest = file.sha256 or hashlib.sha256(file.content).hexdigest()
    yanked = ' data-yanked="broken"' if file.yanked else ""
    return f'<a href="{file.name}#sha256={digest}"{yanked}>{file.name}</a>'
