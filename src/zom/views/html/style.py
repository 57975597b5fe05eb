"""The style of pages and notebooks: one set of colours, for light and dark mode.

The colours follow the system, or the theme of JupyterLab, VS Code or a page that declares one. Each pair of
text and background has a contrast of at least 4.5 (WCAG 2.2, AA), and no information depends on colour alone.
"""

from __future__ import annotations

from zom.views.html.markup import text

__all__ = ["COLOURS", "fragment", "page"]

COLOURS = {
    "ink": ("#1c2430", "#e4e8ee"),
    "soft": ("#566170", "#a0abba"),
    "page": ("#f6f7f9", "#12161c"),
    "card": ("#ffffff", "#1a2029"),
    "line": ("#dde2e9", "#2c3542"),
    "mark": ("#0b6b62", "#5fd0c3"),
    "fill": ("#7cc4bb", "#2a7f76"),
    "error": ("#b3261e", "#ff8a80"),
    "warning": ("#855600", "#f2bd5b"),
    "note": ("#2f5fae", "#8fb6f5"),
}
"""Each colour in light and dark mode."""

_PALETTE = ";".join(f"--z-{name}:light-dark({light},{dark})" for name, (light, dark) in COLOURS.items())

_PARTS = (
    """
.zom{color-scheme:light dark;"""
    + _PALETTE
    + """;color:var(--z-ink);font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;text-align:left;max-width:76rem}
:is([data-jp-theme-light=true],[data-theme=light],.vscode-light) .zom{color-scheme:light}
:is([data-jp-theme-light=false],[data-theme=dark],[theme=dark],.vscode-dark,.vscode-high-contrast:not(.vscode-high-contrast-light)) .zom{color-scheme:dark}
.zom *{box-sizing:border-box}
.zom bdi,.zom code,.zom .fact,.zom pre{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.92em}
.zom code{background:none;color:inherit;padding:0}
.zom bdi,.zom p,.zom summary,.zom li{overflow-wrap:anywhere}
.zom td{overflow-wrap:break-word}
.zom .soft{color:var(--z-soft)}
.zom p{margin:.25rem 0}
.zom a{color:var(--z-mark)}
.zom ul{list-style:none;margin:0;padding:0}
.zom li{margin:0;padding:0}
.zom .tree{overflow-x:auto;padding-left:6px}
.zom .tree li{min-width:9rem}
.zom .tree ul{margin-left:.45rem;padding-left:1rem;border-left:1px solid var(--z-line)}
.zom .tree li{padding:.1rem 0 .1rem 1.1em}
.zom .tree li:has(>details){padding-left:0}
.zom summary{cursor:pointer;padding-left:1.1em;list-style:none}
.zom summary::-webkit-details-marker{display:none}
.zom summary::before{content:"\\25B8";float:left;margin-left:-1.1em;color:var(--z-soft)}
.zom details[open]>summary::before{content:"\\25BE"}
.zom summary:focus-visible,.zom a:focus-visible,.zom .card:focus-visible{outline:2px solid var(--z-mark);outline-offset:2px}
.zom .g>details>summary>bdi:first-child,.zom .g>bdi:first-child{font-weight:700}
.zom .tree :not(.g)>details>summary>bdi:first-child,.zom .tree li:not(.g)>bdi:first-child{color:var(--z-mark);font-weight:600}
.zom .tree i{font:.92em ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
.zom small{color:var(--z-soft);font-size:.93em}
.zom .panel{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:flex-start;margin:.25rem 0 .75rem 1.1em}
.zom .panel.flush{margin-left:0;gap:1rem 2.5rem}
.zom .panel>*{min-width:0;max-width:100%}
.zom .card{background:var(--z-card);border:1px solid var(--z-line);border-radius:.5rem;overflow-x:auto;max-width:100%;width:fit-content}
.zom.zom table{border-collapse:collapse;font-size:.93em;margin:0;color:inherit;border:0;width:auto}
.zom.zom tr{background:none}
.zom.zom :is(th,td){padding:.25rem .75rem;text-align:left;vertical-align:baseline;border:0;border-top:1px solid var(--z-line);max-width:none;white-space:normal}
.zom.zom tr:first-child>*{border-top:0}
.zom.zom thead+tbody tr:first-child>*{border-top:1px solid var(--z-line)}
.zom.zom th{font-weight:600;color:var(--z-soft);white-space:nowrap;font-size:.9em}
.zom.zom .right{text-align:right;white-space:nowrap}
.zom .error,.zom .warning,.zom .note{font-weight:600}
.zom .error{color:var(--z-error)}.zom .warning{color:var(--z-warning)}.zom .note{color:var(--z-note)}
.zom .marked>details>summary,.zom .marked:not(:has(>details)){border-left:3px solid var(--z-error);margin-left:-6px;padding-left:calc(1.1em + 3px)}
.zom :target{background:color-mix(in srgb,var(--z-mark) 16%,transparent)}
.zom pre{margin:.3rem 0;padding:.5rem .75rem;background:var(--z-card);color:inherit;border:1px solid var(--z-line);border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;max-height:24rem;overflow-y:auto;font-size:.86em}
.zom svg{max-width:100%;height:auto;color:var(--z-ink);display:block}
.zom svg text{font:11px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--z-soft)}
.zom svg .b{fill:none;stroke:var(--z-mark);stroke-width:1}
.zom svg .i{fill:none;stroke:var(--z-mark);stroke-width:.5;opacity:.5}
.zom svg .o{fill:var(--z-card);stroke:var(--z-mark);stroke-width:1.5}
.zom svg .f{fill:var(--z-fill)}
.zom svg .bar{fill:var(--z-fill);stroke:var(--z-mark);stroke-width:1}
.zom svg .raw{fill:none;stroke:var(--z-soft);stroke-width:1;stroke-dasharray:3 2}
.zom svg .ink{fill:var(--z-ink)}
.zom img{image-rendering:pixelated;max-width:100%;border:1px solid var(--z-line);display:block}
.zom figure{margin:0}
.zom figcaption{color:var(--z-soft);font-size:.9em;max-width:24rem}
"""
)

_PAGE = """
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#f6f7f9,#12161c)}
.zom{margin:0 auto;padding:2rem 1.5rem 4rem}
@media(max-width:600px){.zom{padding:1.25rem .75rem 3rem}.zom.zom :is(th,td){padding:.25rem .45rem}}
.zom h1{margin:0 0 .5rem;font-size:1.55rem;line-height:1.25;overflow-wrap:anywhere}
.zom h2{margin:2rem 0 .6rem;font-size:1.1rem}
.zom h3{margin:1rem 0 .4rem;font-size:1rem}
.zom .box{background:var(--z-card);border:1px solid var(--z-line);border-radius:.5rem;padding:.6rem .9rem}
.zom .box .card{border-color:var(--z-line)}
.zom .box>details{padding:.2rem 0}
.zom .box>details+details{border-top:1px solid var(--z-line)}
.zom .found{margin:.2rem 0 .4rem 1.1em}
.zom .found li{padding:.2rem 0}
.zom .good::before{content:"\\2713";color:var(--z-mark);font-weight:700;margin-right:.5rem}
@media print{.zom details::details-content{content-visibility:visible}}
"""

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
"""


def fragment(body: str) -> str:
    """Return HTML for a notebook, with a style that affects nothing else; `body` is HTML.

    >>> fragment("<p>text</p>").endswith("<div class=zom><p>text</p></div>")
    True
    """
    return f"<style>{_PARTS}</style><div class=zom>{body}</div>"


def page(body: str, *, title: str) -> str:
    """Return a page; `body` is HTML, `title` is plain text.

    >>> page("<p>text</p>", title="a < b").count("a &lt; b")
    1
    """
    head = _HEAD.format(title=text(title), style=_PARTS + _PAGE)
    return f"{head}<main class=zom>\n{body}\n</main>\n</body>\n</html>\n"
