"""Comments as HTML: a small part of Markdown. Everything is escaped: no HTML of a writer gets through."""

import re

from markupsafe import Markup, escape

FENCE = re.compile(r"^```[^\n`]*$", re.MULTILINE)
INLINE = re.compile(
    r"`(?P<code>[^`\n]{1,2000})`"
    r"|\*\*(?P<strong>[^*\n]{1,2000})\*\*"
    r"|\*(?P<em>[^*\s][^*\n]{0,2000})\*"
    r"|\[(?P<words>[^\]\[\n]{1,500})\]\((?P<link>https?://[^\s()<>\"]{1,2000})\)"
    r"|(?P<bare>https?://[^\s<>\"()\[\]]{1,2000})"
)
ITEM = re.compile(r"^\s{0,3}[-*] +(.*)$")
LINK = Markup('<a href="{}" rel="nofollow noopener noreferrer">{}</a>')


def markdown(text: str) -> Markup:
    """Paragraphs, line breaks, lists, fenced and inline code, bold, italic, links to http and https."""
    parts = FENCE.split(text.replace("\r\n", "\n"))
    # Outside and inside of fences in turn; a fence that is not closed ends with the text.
    return Markup("").join(
        Markup("<pre>{}</pre>").format(part.strip("\n")) if number % 2 else _blocks(part)
        for number, part in enumerate(parts)
    )


def _blocks(text: str) -> Markup:
    blocks = (block.strip("\n") for block in re.split(r"\n[ \t]*\n", text))
    return Markup("").join(_block(block.split("\n")) for block in blocks if block.strip())


def _block(lines: list[str]) -> Markup:
    items = [ITEM.match(line) for line in lines]
    if all(items):
        listed = (Markup("<li>{}</li>").format(_inline(item[1])) for item in items if item)
        return Markup("<ul>{}</ul>").format(Markup("").join(listed))
    return Markup("<p>{}</p>").format(Markup("<br>").join(_inline(line) for line in lines))


def _inline(text: str) -> Markup:
    found: list[Markup] = []
    end = 0
    for match in INLINE.finditer(text):
        found += [escape(text[end : match.start()]), _marked(match)]
        end = match.end()
    return Markup("").join([*found, escape(text[end:])])


def _marked(match: "re.Match[str]") -> Markup:
    if match["code"]:
        return Markup("<code>{}</code>").format(match["code"])
    if match["strong"]:
        return Markup("<strong>{}</strong>").format(match["strong"])
    if match["em"]:
        return Markup("<em>{}</em>").format(match["em"])
    if match["link"]:
        return LINK.format(match["link"], match["words"])
    return LINK.format(match["bare"], match["bare"])
