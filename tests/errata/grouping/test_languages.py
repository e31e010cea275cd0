"""The same frame as compilers, runtimes, proxies and SDK versions name it, and frames that stay apart."""

from collections.abc import Iterable

import pytest

from errata.grouping import fingerprint_of, parse_rules, variant_of
from tests.cases import each
from tests.errata.grouping.events import Event, frame, issue, raised

Sent = tuple[str, str, str]
"""Module, function and file."""


def stack(
    platform: str, *sent: Sent, type_: str = "Failure", value: str = "failed", **other: object
) -> Event:
    frames = [frame(function, module, filename=file) for module, function, file in sent]
    return raised(*frames, type_=type_, value=value, platform=platform, **other)


SAME: dict[str, Iterable[tuple[str, Sent, Sent]]] = {
    "python": [
        (
            "nested function",
            ("shop.a", "load.<locals>.inner", "shop/a.py"),
            ("shop.a", "load.inner", "shop/a.py"),
        ),
        (
            "run as a script",
            ("__main__", "run", "jobs/nightly.py"),
            ("jobs.nightly", "run", "jobs/nightly.py"),
        ),
        (
            "spawned worker",
            ("__mp_main__", "run", "jobs/nightly.py"),
            ("jobs.nightly", "run", "jobs/nightly.py"),
        ),
        ("windows path", ("__main__", "run", "jobs\\nightly.py"), ("__main__", "run", "jobs/nightly.py")),
        (
            "zipped app",
            ("", "run", "/opt/app.pyz/jobs/nightly.py"),
            ("", "run", "/srv/a.pyz/jobs/nightly.py"),
        ),
        (
            "another virtualenv",
            ("", "get", "/a/venv/lib/python3.12/site-packages/httpx/_api.py"),
            ("", "get", "C:\\Users\\ci\\env\\Lib\\site-packages\\httpx\\_api.py"),
        ),
    ],
    "node": [
        ("receiver", ("", "Object.load", "/srv/app/src/cart.js"), ("", "load", "/srv/app/src/cart.js")),
        ("async", ("", "async Cart.load", "/srv/app/src/cart.js"), ("", "Cart.load", "/srv/app/src/cart.js")),
        ("alias", ("", "Object.xl [as load]", "/srv/app/src/cart.js"), ("", "load", "/srv/app/src/cart.js")),
        (
            "compiled from TypeScript",
            ("", "load", "/srv/app/dist/cart.js"),
            ("", "load", "/home/ci/app/src/cart.ts"),
        ),
        (
            "compiled, by module",
            ("dist.cart:load", "load", "/srv/app/dist/cart.js"),
            ("src.cart:load", "load", "/srv/app/src/cart.ts"),
        ),
        ("ESM", ("", "load", "file:///srv/app/src/cart.mjs"), ("", "load", "/srv/app/src/cart.cjs")),
        (
            "webpack layers",
            ("", "load", "webpack-internal:///(rsc)/./src/cart.ts"),
            ("", "load", "webpack://_N_E/./src/cart.ts"),
        ),
        (
            "module",
            ("", "load", "webpack-internal:///(rsc)/./cart.tsx"),
            ("", "load", "webpack:///./cart.tsx"),
        ),
        (
            "Babel's body",
            ("", "_callee2$", "/srv/app/src/cart.js"),
            ("", "<anonymous>", "/srv/app/src/cart.js"),
        ),
        ("constructor", ("", "new Cart", "/srv/app/src/cart.js"), ("", "Cart", "/srv/app/src/cart.js")),
    ],
    "java": [
        ("lambda", ("com.acme.Cart", "lambda$load$0", ""), ("com.acme.Cart", "lambda$load$12", "")),
        ("lambda and its method", ("com.acme.Cart", "lambda$load$0", ""), ("com.acme.Cart", "load", "")),
        (
            "desugared for Android",
            ("com.acme.Cart", "lambda$load$0$com-acme-Cart", ""),
            ("com.acme.Cart", "load", ""),
        ),
        ("anonymous class", ("com.acme.Cart$1", "run", ""), ("com.acme.Cart$7", "run", "")),
        (
            "CGLIB",
            ("com.acme.Cart$$EnhancerBySpringCGLIB$$1a2b3c4d", "load", ""),
            ("com.acme.Cart", "load", ""),
        ),
        ("Spring 6 CGLIB", ("com.acme.Cart$$SpringCGLIB$$0", "load", ""), ("com.acme.Cart", "load", "")),
        (
            "CGLIB's own method",
            ("com.acme.Cart$$SpringCGLIB$$0", "CGLIB$load$2", ""),
            ("com.acme.Cart", "load", ""),
        ),
        ("Hibernate", ("com.acme.Cart$HibernateProxy$aBcD12", "load", ""), ("com.acme.Cart", "load", "")),
        ("Byte Buddy", ("com.acme.Cart$ByteBuddy$kP9x", "load", ""), ("com.acme.Cart", "load", "")),
        ("javassist", ("com.acme.Cart_$$_jvst3c1_0", "load", ""), ("com.acme.Cart", "load", "")),
        ("Quarkus", ("com.acme.Cart_ClientProxy", "load", ""), ("com.acme.Cart", "load", "")),
        (
            "coroutine",
            ("com.acme.Cart$load$1", "invokeSuspend", ""),
            ("com.acme.Cart$load$2", "invokeSuspend", ""),
        ),
        (
            "coroutine and its function",
            ("com.acme.Cart$load$1", "invokeSuspend", ""),
            ("com.acme.Cart", "load", ""),
        ),
        ("Kotlin lambda", ("com.acme.Cart$load$1", "invoke", ""), ("com.acme.Cart", "load$lambda$0", "")),
        ("Kotlin default", ("com.acme.Cart", "load$default", ""), ("com.acme.Cart", "load", "")),
        ("suspend", ("com.acme.Cart", "load$suspendImpl", ""), ("com.acme.Cart", "load", "")),
        ("Scala", ("com.acme.Cart", "$anonfun$load$1", ""), ("com.acme.Cart", "$anonfun$load$3$adapted", "")),
        (
            "Groovy",
            ("com.acme.Cart$_load_closure1", "doCall", ""),
            ("com.acme.Cart$_load_closure4", "doCall", ""),
        ),
    ],
    "go": [
        ("closure", ("acme/shop", "Serve.func1.2", ""), ("acme/shop", "Serve.func3", "")),
        ("method", ("acme/shop", "(*Server).Serve", ""), ("acme/shop", "Server.Serve", "")),
        ("generics", ("acme/shop", "Map[...]", ""), ("acme/shop", "Map[go.shape.int,go.shape.string]", "")),
        ("generic receiver", ("acme/shop", "(*List[...]).Add", ""), ("acme/shop", "(*List[int]).Add", "")),
        ("goroutine", ("acme/shop", "Serve.gowrap1", ""), ("acme/shop", "Serve.func1", "")),
        ("method value", ("acme/shop", "(*Server).Serve-fm", ""), ("acme/shop", "(*Server).Serve", "")),
        (
            "major version",
            ("github.com/acme/shop/v2/cart", "Add", ""),
            ("github.com/acme/shop/v3/cart", "Add", ""),
        ),
        (
            "vendored",
            ("acme/shop/vendor/github.com/gin-gonic/gin", "Next", ""),
            ("github.com/gin-gonic/gin", "Next", ""),
        ),
        (
            "version in the path",
            ("github.com/acme/lib@v1.2.3/cart", "Add", ""),
            ("github.com/acme/lib@v1.3.0/cart", "Add", ""),
        ),
        (
            "package in the name",
            ("", "github.com/acme/shop/cart.(*Cart).Add", ""),
            ("github.com/acme/shop/cart", "(*Cart).Add", ""),
        ),
        ("variable's closure", ("acme/shop", "glob..func1", ""), ("acme/shop", "glob..func2", "")),
    ],
    "ruby": [
        ("block", ("", "block in create", "app/models/cart.rb"), ("", "create", "app/models/cart.rb")),
        (
            "nested blocks",
            ("", "block (2 levels) in create", "app/models/cart.rb"),
            ("", "rescue in block in create", "app/models/cart.rb"),
        ),
        ("Ruby 3.4 labels", ("", "Cart#create", "app/models/cart.rb"), ("", "create", "app/models/cart.rb")),
        (
            "Ruby 3.4 singleton",
            ("", "Shop::Cart.create", "app/models/cart.rb"),
            ("", "create", "app/models/cart.rb"),
        ),
        (
            "install folder",
            ("", "create", "/app/app/models/cart.rb"),
            ("", "create", "/srv/shop/releases/20261121/app/models/cart.rb"),
        ),
        (
            "gem version",
            ("", "call", "/usr/local/bundle/ruby/3.3.0/gems/rack-3.0.8/lib/rack/etag.rb"),
            ("", "call", "/home/a/.gem/gems/rack-3.1.0/lib/rack/etag.rb"),
        ),
        (
            "template",
            ("", "_app_views_carts_show_html_erb___1234567890_12340", "app/views/carts/show.html.erb"),
            ("", "_app_views_carts_show_html_erb__987_77", "app/views/carts/show.html.erb"),
        ),
    ],
    "php": [
        (
            "closure of PHP 8.4",
            ("", "Shop\\Cart::{closure:Shop\\Cart::load():12}", ""),
            ("", "Shop\\Cart::{closure}", ""),
        ),
        *(
            (
                f"closure {number}",
                ("", written, "/srv/a/routes/web.php"),
                ("", plain, "/opt/b/routes/web.php"),
            )
            for number, (written, plain) in enumerate(
                (
                    ("{closure#2}", "{closure#3}"),
                    ("{closure#2}", "{closure:12}"),
                    ("{closure}#2", "{closure:/srv/a/routes/web.php:12}"),
                    ("Shop\\{closure}", "{closure:Shop\\total():12}"),
                    ("{closure:{closure:/srv/a/routes/web.php:3}:5}", "{closure}"),
                    ("Shop\\Cart::Shop\\{closure}", "Shop\\Cart::{closure:Shop\\Cart::load():12}"),
                    ("Shop\\Cart::{closure#1}", "{closure:Shop\\Cart::load():12}"),
                    ("Shop\\Cart::{closure:{closure:Shop\\Cart::load():12}:14}", "Shop\\Cart::{closure}"),
                    ("Shop\\Cart::{closure:/srv/a.php:12}", "Shop\\Cart::{closure}"),
                    ("class@anonymous\0/a.php:3$0::{closure#1}", "class@anonymous\0/b.php:9$4::{closure}"),
                )
            )
        ),
        (
            "closure elsewhere",
            ("", "{closure:/srv/a/routes/web.php:12}", "/srv/a/routes/web.php"),
            ("", "{closure}", "/opt/b/routes/web.php"),
        ),
        (
            "anonymous class",
            ("", "class@anonymous\0/srv/a.php:12$0::run", "/srv/x/app/a.php"),
            ("", "class@anonymous\0/opt/b.php:80$3::run", "/opt/y/app/a.php"),
        ),
        (
            "moved class",
            ("", "App\\Cart::load", "/srv/app/Cart.php"),
            ("", "App\\Cart::load", "/srv/app/Models/Cart.php"),
        ),
        ("Doctrine proxy", ("", "Proxies\\__CG__\\App\\Cart::load", ""), ("", "App\\Cart::load", "")),
        (
            "container",
            ("", "ContainerAb1Cd2E\\App_Kernel::getCart", ""),
            ("", "ContainerXy9Zw8V\\App_Kernel::getCart", ""),
        ),
        (
            "package",
            ("", "send", "/srv/a/vendor/guzzlehttp/guzzle/src/f.php"),
            ("", "send", "/opt/vendor/guzzlehttp/guzzle/src/f.php"),
        ),
    ],
    "csharp": [
        ("state machine", ("Shop.Cart+<Load>d__3", "MoveNext", ""), ("Shop.Cart", "Load", "")),
        (
            "another build",
            ("Shop.Cart+<Load>d__3", "MoveNext", ""),
            ("Shop.Cart+<Load>d__12`1", "MoveNext", ""),
        ),
        (
            "lambda",
            ("Shop.Cart+<>c__DisplayClass3_0", "<Load>b__0", ""),
            ("Shop.Cart+<>c", "<Load>b__7_1", ""),
        ),
        ("lambda and its method", ("Shop.Cart+<>c", "<Load>b__7_1", ""), ("Shop.Cart", "Load", "")),
        (
            "async lambda",
            ("Shop.Cart+<>c__DisplayClass3_0+<<Load>b__0>d", "MoveNext", ""),
            ("Shop.Cart", "Load", ""),
        ),
        ("local function", ("Shop.Cart", "<Load>g__Check|3_0", ""), ("Shop.Cart", "<Load>g__Check|4_1", "")),
        (
            "demystified",
            ("Shop.Cart", "async Task<List<int>> Shop.Cart.Load(int id, Func<int, bool> f)", ""),
            ("Shop.Cart", "Load", ""),
        ),
        ("demystified lambda", ("Shop.Cart", "Load { <lambda> }", ""), ("Shop.Cart", "Load", "")),
        ("generics", ("Shop.Repo`1", "Get[T](Int32 id)", ""), ("Shop.Repo", "Get<Order>(int id)", "")),
        ("constructor", ("Shop.Cart", ".ctor(Int32 id)", ""), ("Shop.Cart", ".ctor", "")),
        (
            "compiled expression",
            ("", "lambda_method12(Closure , Object)", ""),
            ("", "lambda_method(Closure)", ""),
        ),
    ],
    "native": [
        ("rust hash", ("", "shop::load::h0123456789abcdef", ""), ("", "shop::load::hfedcba9876543210", "")),
        ("rust closure", ("", "shop::load::{{closure}}::h0123456789abcdef", ""), ("", "shop::load", "")),
        (
            "rust v0 closure",
            ("", "shop[3f2a9c1d]::load::{closure#0}", ""),
            ("", "shop::load::{closure#2}", ""),
        ),
        ("rust async", ("", "shop::load::{async_fn#0}", ""), ("", "shop::load::{{closure}}", "")),
        ("rust generics", ("", "shop::load::<u32>", ""), ("", "shop::load::<shop::Cart<u8>>", "")),
        (
            "rust trait",
            ("", "<shop::Cart<T> as core::fmt::Display>::fmt", ""),
            ("", "<shop::Cart<u8> as core::fmt::Display>::fmt", ""),
        ),
        ("clone", ("", "shop::total(int)", ""), ("", "shop::total(int) [clone .isra.0]", "")),
        ("cold part", ("", "shop::total(int)", ""), ("", "shop::total(int) [clone .cold.12]", "")),
        ("constant propagated", ("", "total.constprop.0", "cart.c"), ("", "total", "cart.c")),
        (
            "template",
            ("", "void shop::Cart<int>::add<long>(std::vector<int> const&)", ""),
            ("", "shop::Cart<char>::add(int)", ""),
        ),
        (
            "inline namespace",
            ("", "std::__1::vector<int>::at(unsigned long)", ""),
            ("", "std::vector<int>::at(unsigned long)", ""),
        ),
        (
            "anonymous namespace",
            ("", "(anonymous namespace)::load(int)", ""),
            ("", "`anonymous namespace'::load(int)", ""),
        ),
        (
            "lambda",
            ("", "shop::load()::{lambda(int)#1}::operator()(int) const", ""),
            ("", "shop::load()::$_0::operator()(int) const", ""),
        ),
        ("block", ("", "__32-[Cart load:]_block_invoke_2", ""), ("", "-[Cart load:]", "")),
        ("swift closure", ("", "closure #1 in Cart.load(id:)", ""), ("", "Cart.load(id:)", "")),
    ],
}


@pytest.mark.parametrize(
    ("platform", "left", "right"),
    [
        pytest.param(platform, left, right, id=f"{platform}: {name}")
        for platform, cases in SAME.items()
        for name, left, right in cases
    ],
)
def test_one_place_has_one_issue_however_it_is_named(platform: str, left: Sent, right: Sent) -> None:
    assert issue(stack(platform, left)) == issue(stack(platform, right))


APART: list[tuple[str, str, Sent, Sent]] = [
    ("python", "a number in a name", ("shop.a", "step_1", ""), ("shop.a", "step_2", "")),
    ("node", "file", ("", "load", "/srv/app/src/cart.js"), ("", "load", "/srv/app/src/order.js")),
    ("node", "folder", ("", "GET", "/srv/app/src/cart/route.js"), ("", "GET", "/srv/app/src/order/route.js")),
    ("java", "overloaded package", ("com.acme.Cart", "load", ""), ("com.beta.Cart", "load", "")),
    ("java", "inner class", ("com.acme.Cart$Line", "load", ""), ("com.acme.Cart$Total", "load", "")),
    (
        "java",
        "coroutines of two functions",
        ("com.acme.Cart$load$1", "invokeSuspend", ""),
        ("com.acme.Cart$save$1", "invokeSuspend", ""),
    ),
    (
        "java",
        "lambdas of two methods",
        ("com.acme.Cart", "lambda$load$0", ""),
        ("com.acme.Cart", "lambda$save$0", ""),
    ),
    ("go", "receiver", ("acme/shop", "(*Cart).Add", ""), ("acme/shop", "(*Order).Add", "")),
    ("go", "package", ("acme/shop/cart", "Add", ""), ("acme/shop/order", "Add", "")),
    ("ruby", "file", ("", "create", "app/models/cart.rb"), ("", "create", "app/models/order.rb")),
    ("php", "class", ("", "App\\Cart::load", ""), ("", "App\\Order::load", "")),
    (
        "php",
        "closures of two files",
        ("", "{closure}", "/srv/app/a.php"),
        ("", "{closure}", "/srv/app/b.php"),
    ),
    ("csharp", "method", ("Shop.Cart+<Load>d__3", "MoveNext", ""), ("Shop.Cart+<Save>d__3", "MoveNext", "")),
    ("csharp", "class", ("Shop.Cart", ".ctor", ""), ("Shop.Order", ".ctor", "")),
    ("native", "namespace", ("", "shop::total(int)", ""), ("", "depot::total(int)", "")),
    ("native", "file of a C function", ("", "init", "cart.c"), ("", "init", "order.c")),
    (
        "native",
        "operator",
        ("", "Cart::operator<(Cart const&)", ""),
        ("", "Cart::operator>(Cart const&)", ""),
    ),
    ("native", "trait", ("", "<shop::Cart as shop::A>::run", ""), ("", "<shop::Cart as shop::B>::run", "")),
    ("native", "selector", ("", "-[Cart load:]", ""), ("", "-[Cart save:]", "")),
]


@pytest.mark.parametrize(
    ("platform", "left", "right"),
    [pytest.param(platform, left, right, id=f"{platform}: {name}") for platform, name, left, right in APART],
)
def test_two_places_have_two_issues(platform: str, left: Sent, right: Sent) -> None:
    assert issue(stack(platform, left)) != issue(stack(platform, right))


OWN: dict[str, Sent] = {
    "python": ("shop.cart", "load", "shop/cart.py"),
    "node": ("", "load", "/srv/app/src/cart.js"),
    "java": ("com.acme.Cart", "load", "Cart.java"),
    "go": ("acme/shop", "Add", "cart.go"),
    "ruby": ("", "create", "app/models/cart.rb"),
    "php": ("", "App\\Cart::load", "/srv/app/Cart.php"),
    "csharp": ("Shop.Cart", "Load", "Cart.cs"),
    "native": ("", "shop::load", "cart.cpp"),
}


@each(
    ("platform", "noise"),
    [
        ("python", ("shop.cart", "<listcomp>", "shop/cart.py")),
        ("node", ("", "__awaiter", "/srv/app/dist/cart.js")),
        ("node", ("", "Generator.next", "/srv/app/dist/cart.js")),
        ("node", ("", "next", "/srv/app/node_modules/express/lib/router/index.js")),
        ("java", ("jdk.internal.reflect.GeneratedMethodAccessor123", "invoke", "")),
        ("java", ("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke", "")),
        ("java", ("com.acme.Cart$$Lambda$14/0x0000000800c8f0a0", "run", "")),
        ("java", ("com.acme.Cart", "access$000", "")),
        ("java", ("jdk.proxy2.$Proxy87", "load", "")),
        ("java", ("org.springframework.web.servlet.FrameworkServlet", "service", "")),
        ("java", ("kotlinx.coroutines.DispatchedTask", "run", "")),
        ("go", ("runtime", "gopanic", "panic.go")),
        ("go", ("net/http", "HandlerFunc.ServeHTTP", "server.go")),
        ("ruby", ("", "Array#each", "<internal:array>")),
        ("ruby", ("", "each", "app/models/cart.rb")),
        ("ruby", ("", "call", "/usr/local/bundle/gems/rack-3.0.8/lib/rack/etag.rb")),
        (
            "php",
            ("", "Illuminate\\Pipeline\\Pipeline::then", "/srv/vendor/laravel/framework/src/Pipeline.php"),
        ),
        ("csharp", ("System.Runtime.CompilerServices.TaskAwaiter", "ThrowForNonSuccess", "")),
        ("csharp", ("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke", "")),
        ("native", ("", "core::panicking::panic_fmt", "panicking.rs")),
        ("native", ("", "std::rt::lang_start_internal", "rt.rs")),
        ("native", ("", "__libc_start_main", "")),
        ("native", ("", "<unknown>", "")),
        ("native", ("", "tokio::task::poll", "/usr/local/cargo/registry/src/tokio-1.38.0/src/task.rs")),
    ],
)
@each("above", [True, False], ids=["above", "below"])
def test_a_frame_that_others_put_there_changes_nothing(platform: str, noise: Sent, above: bool) -> None:
    own = OWN[platform]
    with_noise = (noise, own) if above else (own, noise)

    assert issue(stack(platform, *with_noise)) == issue(stack(platform, own))


@each("platform", OWN)
def test_the_people_of_a_library_see_its_frames(platform: str) -> None:
    library: dict[str, Sent] = {
        "java": ("org.apache.kafka.clients.Fetcher", "poll", ""),
        "go": ("net/http", "HandlerFunc.ServeHTTP", ""),
        "csharp": ("Microsoft.AspNetCore.Http.Stream", "Read", ""),
        "native": ("", "tokio::time::sleep", ""),
    }
    module, function, file = library.get(platform, OWN[platform])

    assert issue(stack(platform, (module, function, file))) != issue(
        stack(platform, (module, f"{function}More", file))
    )
    assert fingerprint_of(variant_of(stack(platform, (module, function, file))).shape).fingerprint[0] == "app"


def test_only_the_innermost_places_count() -> None:
    inner = [("shop.cart", f"step_{letter}", "shop/cart.py") for letter in "abcdef"]
    entries = [("shop.web", "view", "shop/web.py"), ("shop.jobs", "run", "shop/jobs.py")]

    assert len({issue(stack("python", entry, *inner)) for entry in entries}) == 1
    assert len({issue(stack("python", entry, *inner[1:])) for entry in entries}) == 2
    explained = fingerprint_of(variant_of(stack("python", entries[0], *inner)).shape).explanation["frames"]
    assert explained[0]["left_out"] == "further out than the innermost 6"


@each(
    ("platform", "type_"),
    [("go", "*errors.errorString"), ("go", "*fmt.wrapError"), ("native", "panic"), ("php", "ErrorException")],
)
def test_where_the_type_says_nothing_the_message_does(platform: str, type_: str) -> None:
    def said(value: str) -> int:
        return issue(stack(platform, OWN[platform], type_=type_, value=value))

    assert said("cart 17 is locked") == said("cart 4019 is locked")
    assert said("cart 17 is locked") != said("cart 17 is empty")


def test_versions_of_ruby_word_a_missing_method_in_their_own_way() -> None:
    def said(value: str) -> int:
        return issue(stack("ruby", OWN["ruby"], type_="NoMethodError", value=value))

    assert said("undefined method `name' for nil:NilClass") == said("undefined method 'name' for nil")
    assert said("undefined method 'name' for nil") != said("undefined method 'price' for nil")


def test_a_library_frame_that_a_rule_calls_in_app_counts() -> None:
    rules = parse_rules("module:org.springframework.* +app")
    library = ("org.springframework.web.Dispatcher", "service", "")
    shapes = [variant_of(stack("java", *sent)).shape for sent in ((library, OWN["java"]), (OWN["java"],))]
    plain, ruled = (
        [fingerprint_of(shape, rules=given).fingerprint_hash for shape in shapes]
        for given in (parse_rules(""), rules)
    )

    assert plain[0] == plain[1]
    assert ruled[0] != ruled[1]
