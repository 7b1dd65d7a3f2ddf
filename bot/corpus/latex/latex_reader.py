"""LaTeX source to documents: a main file, or a chapter without one, with all that it takes in."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus import arxiv
from bot.corpus.draft import DocumentFormulas, Draft, NoArticle
from bot.corpus.latex import project
from bot.corpus.latex.amstex import as_latex
from bot.corpus.latex.project import SourceTree, decode_latex
from bot.corpus.latex.text_scanner import TextScanner
from bot.corpus.siblings import SiblingFiles
from bot.errors import DocumentError
from bot.records import Document


def read_latex(data: bytes, *, path: str, siblings: SiblingFiles | None = None) -> Iterator[DocumentFormulas]:
    """Yield the one document of a main file, with all that it takes in. Raises NoArticle for a file of definitions only."""
    siblings = siblings or SiblingFiles(PurePosixPath(path).name)
    text = as_latex(decode_latex(data, path))
    draft = Draft(path)
    scanner = TextScanner(text, SourceTree(siblings.home, siblings), siblings.note, draft)
    for name in project.definition_files(siblings.files, siblings.home):
        scanner.read_definitions(name, scanner.tree.text(name))
    if main := project.main_of_chapter(siblings.files, siblings.home):
        scanner.read_definitions(main, scanner.tree.preamble(main))
        scanner.title = ""
    scanner.read()
    scanner.read_deferred()
    occurrences = draft.occurrences()
    if not occurrences and scanner.failures:
        raise DocumentError("none_closed", where=path)
    if not occurrences and not scanner.has_prose:
        raise NoArticle("no_text_held", where=path)
    number = arxiv.arxiv_id(path)
    document = Document(
        id=path,
        title=scanner.title or scanner.only_top_heading or PurePosixPath(path).stem,
        language=scanner.language or "en",
        url=arxiv.abstract_url(number),
        kind="encyclopaedia" if scanner.is_entry else "textbook" if scanner.is_book else "paper",
        identifiers=tuple(pair for pair in (("arxiv", number), ("doi", scanner.doi)) if pair[1]),
        opening=draft.opening if scanner.is_entry else "",
    )
    yield document, occurrences
