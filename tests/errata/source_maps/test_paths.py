from errata.source_maps.addresses import map_name, names_of
from errata.source_maps.paths import is_vendor, source_path
from tests.cases import each


@each(
    ("source", "path"),
    [
        ("src/pages/cart.ts", "src/pages/cart.ts"),
        ("../../src/cart.ts", "src/cart.ts"),
        ("webpack://shop/./src/cart.ts?1a2b", "src/cart.ts"),
        ("webpack:///./src/cart.ts", "src/cart.ts"),
        ("webpack://_N_E/./src/cart.ts", "src/cart.ts"),
        ("webpack:///node_modules/lodash/lodash.js", "node_modules/lodash/lodash.js"),
        ("file:///home/ci/src/cart.ts", "home/ci/src/cart.ts"),
        ("C:\\src\\cart.ts", "C:/src/cart.ts"),
        ("../", "../"),
    ],
)
def test_a_source_is_named_from_the_root_of_the_sources(source: str, path: str) -> None:
    assert source_path(source) == path


def test_packages_and_bundlers_are_vendors() -> None:
    vendors = [
        "node_modules/a/b.js",
        "shop/node_modules/a/b.js",
        "webpack/runtime/chunk",
        "vite/preload-helper",
    ]
    own = ["src/node_modules.js", "src/vite/plugin.ts", "src/cart.ts"]
    assert [is_vendor(path) for path in (*vendors, *own)] == [True] * 4 + [False] * 3


@each(
    ("url", "names"),
    [
        ("https://shop.example/assets/a.js?v=1#x", ("https://shop.example/assets/a.js", "~/assets/a.js")),
        ("app:///dist/a.js", ("app:///dist/a.js", "~/dist/a.js")),
        ("/assets/a.js", ("/assets/a.js", "~/assets/a.js")),
        ("~/a.js", ("~/a.js",)),
        ("<anonymous>", ()),
        ("chrome-extension://abc/a.js", ()),
        ("https://shop.example/", ()),
        ("http://[", ()),
        ("native", ()),
    ],
)
def test_a_script_is_looked_for_by_its_url_and_on_any_host(url: str, names: tuple[str, ...]) -> None:
    assert names_of(url) == names


def test_a_map_is_named_relative_to_its_script() -> None:
    assert map_name("~/assets/a.js", "a.js.map") == "~/assets/a.js.map"
    assert map_name("~/assets/a.js", "../maps/a.js.map") == "~/maps/a.js.map"
    assert map_name("~/assets/a.js", "/maps/a.js.map") == "~/maps/a.js.map"
    assert map_name("https://cdn.example/a.js", "a.js.map") == "https://cdn.example/a.js.map"
    assert map_name("~/a.js", "https://cdn.example/a.js.map") == "https://cdn.example/a.js.map"
