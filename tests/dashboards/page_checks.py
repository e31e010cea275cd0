"""What is wrong with a page in a browser: at every width, in both themes, by keyboard."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.dashboards.browser import FOCUS, out_of_sight, violations

WIDTHS = (360, 390, 600, 768, 1024, 1280)
TALLEST = 2500
# Charts are drawn a moment after the window changed.
DRAWN = """() => [...document.querySelectorAll(".chart .main-svg")].every(
  (drawing) => drawing.clientWidth === drawing.closest(".chart").clientWidth)"""
# The innermost of what is wider than the window.
WIDER = """() => {
  const isWide = (one) => one.getClientRects().length
    && one.getBoundingClientRect().left + one.scrollWidth > innerWidth + 1;
  return [...document.querySelectorAll("body *")]
    .filter((one) => isWide(one) && ![...one.children].some(isWide))
    .slice(0, 3).map((one) => one.outerHTML.slice(0, 120));
}"""
# Refreshes of live parts would take away what was just met.
STILL = """Object.defineProperty(document, "hidden", { get: () => true })"""
# A field of a date holds several steps.
MOST_STEPS_IN_A_FIELD = 12
# Each step is judged at the next key, when the page has scrolled to it.
WALK = f"""() => {{
  const judge = {FOCUS};
  const walk = {{ met: new Set(), wrong: [], first: null, last: null, steps: 0, isOver: false }};
  window.walk = walk;
  walk.key = () => {{
    const at = document.activeElement;
    if (walk.isOver || at === document.body) return;
    walk.steps = at === walk.last ? walk.steps + 1 : 0;
    walk.isOver = at === walk.last ? walk.steps > {MOST_STEPS_IN_A_FIELD} : walk.met.has(at);
    if (walk.isOver) walk.end = at;
    if (walk.isOver || at === walk.last) return;
    walk.last = at;
    walk.first ??= at;
    walk.met.add(at);
    const header = document.querySelector("header.top");
    const isCovered = header && !header.contains(at) && !at.closest("dialog, .skip")
      && at.getBoundingClientRect().bottom <= header.getBoundingClientRect().bottom;
    const wrong = isCovered ? `under the header: ${{at.outerHTML}}` : judge();
    if (wrong) walk.wrong.push(wrong.slice(0, 200));
  }};
  document.addEventListener("keydown", walk.key, true);
  document.activeElement.blur();
  scrollTo(0, 0);
}}"""
WALKED = """() => {
  document.removeEventListener("keydown", walk.key, true);
  const isLesserRadio = (one) => one.type === "radio" && !one.checked && one.name
    && document.querySelector(`input[type=radio][name="${CSS.escape(one.name)}"]:is(:checked)`);
  const missed = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true })
      && !one.closest("[inert]") && !isLesserRadio(one) && !walk.met.has(one));
  // Whoever comes back to where they began has left the page between.
  if (walk.end !== walk.first) walk.wrong.push(`Tab is caught at ${walk.end.outerHTML.slice(0, 200)}`);
  return [...walk.wrong, ...missed.map((one) => `not reached: ${one.outerHTML.slice(0, 200)}`)];
}"""
OPENERS = """(seen) => {
  const openers = [...document.querySelectorAll(`details[data-menu] > summary, a[data-help], a[data-find],
    [popovertarget], [data-save-search], [data-open-dialog]`)];
  const name = (one) => one.getAttribute("popovertarget") || one.dataset.openDialog || one.title
    || ["help", "find", "saveSearch"].find((kind) => one.dataset[kind] !== undefined)
    || one.textContent.trim().replace(/\\s+/g, " ");
  const menu = (one) => one.dataset.openDialog
    ? one.closest("details[data-menu]")?.querySelector("summary").dataset.opener ?? null : null;
  openers.forEach((one, number) => { one.dataset.opener = number; });
  return openers.map((one) => [one.dataset.opener, name(one), menu(one)])
    .filter(([, name], place, all) => !seen.includes(name)
      && all.findIndex((other) => other[1] === name) === place);
}"""
IS_OPEN = """() => Boolean(document.querySelector("dialog[open], details[data-menu][open], :popover-open"))"""


def at_widths(page: Page) -> Iterator[str]:
    """Leaves the window 1,280 pixels wide."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(DRAWN)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            yield f"{wide} px wide at {width}: {page.evaluate(WIDER)}"
        yield from (f"at {width}: {one}" for one in out_of_sight(page))


def in_themes(page: Page) -> Iterator[str]:
    """Each theme once: light on a wide window, dark on a telephone."""
    for theme, width in (("light", 1280), ("dark", 360)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        yield from (f"{theme}: {one}" for one in violations(page))
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})


def by_keyboard(page: Page) -> Iterator[str]:
    """Tab alone leads to everything that can be used, always in sight, and out of the page in the end."""
    page.evaluate(WALK)
    while not page.evaluate("walk.isOver"):
        for _ in range(20):
            page.keyboard.down("Tab")
    page.keyboard.up("Tab")
    yield from page.evaluate(WALKED)


def what_opens(page: Page, seen: list[str]) -> Iterator[str]:
    """Menus and dialogs that no page before had open by Enter, close by Escape, and give the focus back."""
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for number, name, menu in page.evaluate(OPENERS, seen):
            opener = page.locator(f"[data-opener='{number}']")
            # What a menu offers gives the focus back to the menu.
            back = page.locator(f"[data-opener='{menu}']") if menu is not None else opener
            if not back.is_visible():
                continue
            seen.append(name)
            if menu is not None:
                back.press("Enter")
            opener.press("Enter")
            page.wait_for_function(IS_OPEN if menu is None else "document.querySelector('dialog[open]')")
            yield from (f"{name}: {one}" for one in violations(page))
            page.keyboard.press("Escape")
            if page.evaluate(IS_OPEN):
                yield f"{name} is not closed by Escape"
            if not back.evaluate("one => one === document.activeElement"):
                yield f"{name} does not give the focus back"
    page.set_viewport_size({"width": 1280, "height": 900})
