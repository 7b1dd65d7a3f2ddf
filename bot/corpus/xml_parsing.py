"""Shared code of the readers of XML and HTML: a parser that loads nothing else, names and texts of elements."""

import html.entities
import re
from functools import lru_cache

from lxml import etree

from bot.errors import DocumentError

Element = etree._Element
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DOCTYPE_START = re.compile(r"<!DOCTYPE\b", re.I)
_DOCTYPE = re.compile(r"<!DOCTYPE\b[^\[>]*(?:\[.*?\]\s*)?>", re.S | re.I)
_ROOT = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+<[A-Za-z_][\w.:-]*+(?=[\s/>])", re.S)
_UNDECLARED = re.compile(r"Namespace prefix ([\w.-]+) .*is not defined")
_MAX_UNDECLARED = 10
# What the usual prefixes stand for; an extract of a document often lacks the declarations of its root.
_NAMESPACES = {
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
    **dict.fromkeys(("mml", "m"), "http://www.w3.org/1998/Math/MathML"),
}
_NAMED = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;)([A-Za-z][A-Za-z0-9]{0,63};)")


def xml_parser(*, recover: bool = False, elements_only: bool = False) -> etree.XMLParser:
    """Return a parser of UTF-8 that follows no entity, no DTD and no address; `elements_only` drops comments and instructions."""
    return etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, collect_ids=False,
        recover=recover, remove_comments=elements_only, remove_pis=elements_only,
    )  # fmt: skip


def replace_named_entities(text: str) -> str:
    """Return text with the characters that HTML's named entities stand for; XML knows five of them only."""
    return _NAMED.sub(lambda m: html.entities.html5.get(m[1], ""), text)


def without_doctype(text: str) -> str:
    """Cut the first DOCTYPE with all it declares; only there is one tried, so that a page of them does no harm."""
    found = _DOCTYPE_START.search(text[:4096])
    whole = _DOCTYPE.match(text, found.start()) if found else None
    return text[: whole.start()] + text[whole.end() :] if whole else text


def parse_xml(text: str, path: str) -> Element:
    """Return the root of an XML document without its comments and instructions; a prefix that is not declared is taken for what it usually is.

    Raises DocumentError for broken XML.
    """
    text = replace_named_entities(without_doctype(text))
    declared = 0
    while True:
        try:
            return etree.fromstring(text.encode(), xml_parser(elements_only=True))
        except etree.XMLSyntaxError as error:
            undeclared, root = _UNDECLARED.match(error.msg), _ROOT.match(text)
            if not undeclared or not root or declared == _MAX_UNDECLARED:
                raise DocumentError("broken_xml", reason=error.msg, where=path) from None
        declared += 1
        prefix = undeclared[1]
        text = f'{root[0]} xmlns:{prefix}="{_NAMESPACES.get(prefix, prefix)}"{text[root.end() :]}'


def element_name(element: Element | None) -> str:
    """Return an element's name without its namespace, nothing for no element."""
    return "" if element is None else local_name(element.tag)


@lru_cache(maxsize=4096)
def local_name(tag: object) -> str:
    """Return a tag without its namespace."""
    return str(tag).rpartition("}")[2]


def text_of(element: Element) -> str:
    """Return all text in an element as it is written."""
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def one_line_text(element: Element | None) -> str:
    """Return an element's text on one line, nothing for no element."""
    return "" if element is None else " ".join(text_of(element).split())
