"""The look of all pages: the colors that reports and the web site share, the style of reports, their copy buttons."""

from __future__ import annotations

#: The colors, as custom properties of CSS, on a light and on a dark background.
LIGHT = """--back: #ffffff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa; --link: #0a57b5;
  --error: #b42318; --warning: #8a4b00; --note: #0a57b5; --good: #1a6b32;
  --error-back: #fdecea; --warning-back: #fdf1dc; --good-back: #e3f4e6; --open-back: #eceff2; --mark: #fff3bf"""
DARK = """--back: #101418; --text: #e6eaef; --soft: #a9b4c0; --line: #38424d; --panel: #1a2027; --link: #8ab8ff;
  --error: #ff9d94; --warning: #f5bd6a; --note: #8ab8ff; --good: #86d69a;
  --error-back: #46201d; --warning-back: #41301a; --good-back: #1b3a25; --open-back: #2a3138; --mark: #4d4218"""


def palette(selector: str) -> str:
    """Return the rules of CSS that define the colors for `selector`."""
    dark = f"@media (prefers-color-scheme: dark) {{ {selector} {{\n  {DARK} }} }}"
    return f"{selector} {{ color-scheme: light dark;\n  {LIGHT} }}\n{dark}\n"


#: Everything is below the class, so that a notebook keeps its own look.
STYLE = (
    palette(".vcompat")
    + """
.vcompat { --edge: var(--line); --possible: var(--soft); --fixed: var(--good); color: var(--text);
  background: var(--back); font: 1rem/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 0 1rem;
  overflow-wrap: anywhere }
.vcompat *, .vcompat *::before, .vcompat *::after { box-sizing: border-box }
.vcompat a { color: var(--link); text-underline-offset: .15em }
.vcompat :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px }
.vcompat h1, .vcompat h2, .vcompat h3 { font-weight: 600 }
.vcompat h1 { font-size: 1.5rem; margin: 1.5rem 0 .3rem }
.vcompat h2 { font-size: 1.1rem; margin: .6rem 0 }
.vcompat section > h2 { margin-top: 2rem }
.vcompat h3 { font-size: 1rem; margin: .8rem 0 .3rem }
.vcompat pre + p, .vcompat h3 + p { margin: .2rem 0 }
.vcompat pre { margin: .2rem 0 }
.vcompat article { border: 1px solid var(--edge); border-left: .4rem solid var(--color); border-radius: .3rem;
  margin: 1rem 0; padding: .2rem 1rem .8rem }
.vcompat .word { color: var(--color); text-transform: uppercase; font-size: .8rem; letter-spacing: .05em;
  margin-right: .6rem }
.vcompat .error { --color: var(--error) } .vcompat .warning { --color: var(--warning) }
.vcompat .note { --color: var(--note) } .vcompat .possible { --color: var(--possible) }
.vcompat .likely { border-left-style: dashed }
.vcompat .fixed { --color: var(--fixed) } .vcompat .suppressed { --color: var(--edge) }
.vcompat code, .vcompat pre { font: .9em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  background: var(--panel); border: 1px solid var(--line); border-radius: .25rem;
  padding: .1em .3em; overflow-wrap: anywhere }
.vcompat pre { padding: .7rem .9rem; white-space: pre-wrap; border-radius: .4rem }
.vcompat div.label { font-weight: 600; margin-top: .5rem }
.vcompat table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto;
  overflow-wrap: break-word }
.vcompat td, .vcompat th { border-bottom: 1px solid var(--edge); padding: .2rem .8rem .2rem 0; text-align: left;
  vertical-align: top }
.vcompat .wide { overflow-x: auto } .vcompat table.kernels { display: table }
.vcompat .kernels caption { text-align: left; font-weight: 600; padding: .5rem 0 .2rem }
.vcompat .kernels td, .vcompat .kernels th { border: 1px solid var(--edge); padding: .2rem .6rem }
.vcompat .kernels thead th, .vcompat .kernels td { text-align: center }
.vcompat .kernels .fails { color: var(--error); background: var(--error-back); font-weight: 600 }
.vcompat .kernels .partly { color: var(--warning); background: var(--warning-back) }
.vcompat .kernels .runs { color: var(--fixed) } .vcompat .kernels .open { opacity: .8 }
.vcompat .kernels .here { outline: 2px solid currentColor; outline-offset: -2px }
.vcompat .kernels .own { display: block; font-size: .75rem; font-weight: 600 }
.vcompat .bar { display: flex; height: 1.6rem; border: 1px solid var(--edge); border-radius: .3rem; overflow: hidden }
.vcompat .bar span { min-width: 2px }
.vcompat .bar .unknown { background: repeating-linear-gradient(45deg, var(--open-back) 0 6px, var(--line) 6px 12px);
  font-size: .8rem; line-height: 1.6rem; text-align: center; overflow: hidden; white-space: nowrap }
.vcompat ul.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding-left: 0;
  margin: .4rem 0 1rem }
.vcompat .key { display: inline-block; width: .8em; height: .8em; border-radius: .2em; margin-right: .4em }
.vcompat .log { font: .85rem/1.45 ui-monospace, monospace; background: var(--panel); border-radius: .2rem;
  margin: .2rem 0; padding: .5rem 0 }
.vcompat .log div { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); padding: 0 .8rem 0 0 }
.vcompat .log .number { text-align: right; padding-right: .8rem; opacity: .6; user-select: none }
.vcompat .log .text { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: 2ch; text-indent: -2ch }
.vcompat .log .hit { background: var(--mark); font-weight: 600 }
.vcompat details .log { max-height: 40rem; overflow-y: auto }
.vcompat table.ended td:last-child { overflow-wrap: anywhere; min-width: 12rem }
.vcompat section > details { margin: .4rem 0 }
.vcompat section + details { margin-top: 1.5rem }
@media (max-width: 40rem) { .vcompat table:not(.kernels) td, .vcompat table:not(.kernels) th { padding-right: .5rem }
  .vcompat td:first-child { overflow-wrap: anywhere; min-width: 8rem } }
@media (max-width: 40rem) { .vcompat .log { font-size: .75rem }
  .vcompat .log div { grid-template-columns: 3rem minmax(0, 1fr); padding-right: .4rem }
  .vcompat .log .number { padding-right: .5rem } }
.vcompat .metric { width: 100%; max-width: 40rem; display: block; margin: .4rem 0 }
.vcompat .metric text { font: 12px system-ui, sans-serif; fill: currentColor }
.vcompat .values { overflow-wrap: anywhere }
@media (max-width: 40rem) { .vcompat .metric text { font-size: 20px } }
.vcompat .metric path, .vcompat .metric polyline { fill: none; stroke: currentColor; vector-effect: non-scaling-stroke }
.vcompat .metric .line { stroke: var(--color); stroke-width: 2 } .vcompat .metric .grid { stroke: var(--edge) }
.vcompat .metric .limit { stroke-dasharray: 5 4 } .vcompat .metric .mark { stroke: var(--warning); stroke-width: 1.5 }
.vcompat .links { padding-left: 1.2rem; margin: .8rem 0 0 }
.vcompat .weights { background: #4878d0 } .vcompat .gradients { background: #ee854a }
.vcompat .optimizer { background: #6acc64 } .vcompat .buffers { background: #d5bb67 }
.vcompat .vllm_weights { background: #956cb4 }
.vcompat .vllm_cache { background: #c9a3dd } .vcompat .vllm_share { background: #956cb4 }
.vcompat .over { color: var(--error); font-weight: 600 }
.vcompat footer { margin: 2rem 0; font-size: .9rem; opacity: .8 }
.vcompat .copied { position: relative }
.vcompat .copied pre { padding-right: 5.2rem }
.vcompat .copy-button { position: absolute; top: .4rem; right: .4rem; font: .8rem/1.5 system-ui, sans-serif;
  color: inherit; background: var(--back); border: 1px solid var(--soft); border-radius: .4rem; padding: .2rem .6rem;
  cursor: pointer }
.vcompat .copy-button:hover { border-color: var(--link) }
"""
)
#: A page also has the background, and a script with which the fixes can be copied. It is complete without.
PAGE_STYLE = palette(":root") + "body { margin: 0; background: var(--back) }\n"
SCRIPT = """
for (const block of document.querySelectorAll(".vcompat pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.textContent.trimEnd());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "copied";
  block.replaceWith(frame);
  frame.append(block, button);
}
// What is wide is scrolled by keyboard, too.
for (const wide of document.querySelectorAll(".vcompat table, .vcompat .log")) wide.tabIndex = 0;
"""
