"""Small files as several producers write them."""

from __future__ import annotations

from pathlib import Path

ALTO_NS = 'xmlns="http://www.loc.gov/standards/alto/ns-v4#"'


def string(content: str, **attributes: str) -> str:
    extra = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<String CONTENT="{content}"{extra}/>'


def half(content: str, part: int, whole: str) -> str:
    return string(content, SUBS_TYPE=f"HypPart{part}", SUBS_CONTENT=whole)


def line(*parts: str) -> str:
    return f"<TextLine>{'<SP/>'.join(parts)}</TextLine>"


def block(name: str, *lines: str) -> str:
    return f'<TextBlock ID="{name}">{"".join(lines)}</TextBlock>'


def page(*blocks: str, label: str = "") -> str:
    printed = f' PRINTED_IMG_NR="{label}"' if label else ""
    return f"<Page{printed}><PrintSpace>{''.join(blocks)}</PrintSpace></Page>"


def alto(*pages: str, namespace: str = ALTO_NS, head: str = "") -> str:
    prolog = head or '<?xml version="1.0" encoding="UTF-8"?>'
    return f"{prolog}\n<alto {namespace}><Layout>{''.join(pages)}</Layout></alto>"


def plain_alto(*texts: str) -> str:
    """Pages of one block of one line each; an empty text makes a page without a block."""
    return alto(*(page(block("b", line(string(t)))) if t else page() for t in texts))


def save(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path
