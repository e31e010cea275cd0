from errata.source_maps.enclosing import function_around
from tests.cases import each


@each(
    ("before", "line", "name"),
    [
        (
            (),
            "  setTimeout(function nextSlide() { $('.slide').classList.|remove('active'); }, 20);",
            "nextSlide",
        ),
        (
            ("class Cart {\n", "  async load(id, most = limit(1)) {\n", "    if (id) {\n"),
            "      |fetch(id);",
            "load",
        ),
        (("const add = async (item) => {\n",), "  |post(item);", "add"),
        (("const add = async (item) =>\n",), "  |post(item);", "add"),
        (("const add = async (item) => {\n", "  items.map((one) => {\n"), "    |post(one);", ""),
        (
            ("export const handler: Handler = async (event: Event): Promise<void> => {\n",),
            "  |x();",
            "handler",
        ),
        (("items.forEach(async function* walk<T>(one: T): void {\n", "  const o = { a: {\n"), "|x", "walk"),
        (("const o = {\n", "  'quoted': 1,\n", "  save: function (x) {\n"), "    |x();", "save"),
        ((), "total.sum(list.map((one) => one.price), |start);", ""),
        (("function first() { return '}'; }\n", "function second() { // {\n"), "  |x();", "second"),
        ((), "|boot();", ""),
        (("if (ready) {\n",), "  |boot();", ""),
    ],
)
def test_the_function_around_a_place_is_named(before: tuple[str, ...], line: str, name: str) -> None:
    column = line.index("|") + 1
    assert function_around(before, line.replace("|", ""), column) == name
