"""Stacks as each language prints them."""

from errata_wire.otlp.raised import Raised
from errata_wire.otlp.stacks import READERS, exceptions_of

PYTHON = """Traceback (most recent call last):
  File "/srv/shop/shop/orders.py", line 12, in price
    return cart["discount"]
           ~~~~^^^^^^^^^^^^
KeyError: 'discount'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/srv/shop/main.py", line 3, in <module>
    run()
  File "/srv/shop/venv/lib/python3.12/site-packages/lib/core/__init__.py", line 7, in call
    return function(
        *arguments,
    )
  File "/srv/shop/shop/orders.py", line 20, in run
    raise PriceError("no price:\\n" + str(cart)) from error
shop.orders.PriceError: no price:
{}
"""
NODE = """PaymentError: no discount
    at price (/srv/shop/src/cart.js:3:26)
    at Object.run (file:///srv/shop/src/main.mjs:4:35)
    at async Promise.all (index 0)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at /srv/shop/node_modules/express/lib/router/layer.js:95:5"""
JAVA = """java.lang.IllegalStateException: cannot price
\tat com.shop.Cart.price(Cart.java:12)
\tat java.base/java.lang.Thread.run(Thread.java:840)
\tSuppressed: java.io.IOException: closed
\t\tat com.shop.Cart.close(Cart.java:40)
Caused by: com.shop.NoDiscount: none
for this cart
\tat com.shop.Prices.of(Prices.java:7)
\tat com.shop.Cart.lambda$price$0(Cart.java:11)
\t... 1 more"""
DOTNET = """Shop.PriceException: cannot price
 ---> System.Collections.Generic.KeyNotFoundException: no 'discount'
   at Shop.Prices.Of(String name) in /src/Shop/Prices.cs:line 7
   --- End of inner exception stack trace ---
   at Shop.Cart.Price(Int32 number) in /src/Shop/Cart.cs:line 12
   at System.Threading.Tasks.Task.Execute()"""
RUBY = """/srv/shop/cart.rb:2:in `fetch': key not found: :discount (KeyError)
\tfrom /srv/shop/cart.rb:2:in `price'
\tfrom /srv/shop/cart.rb:5:in `block in <main>'
\tfrom /usr/lib/ruby/gems/3.1.0/gems/rack-2.2/lib/rack.rb:5:in `each'
\tfrom /srv/shop/cart.rb:5:in `<main>'"""
PHP = """RuntimeException: no discount in /srv/shop/cart.php:3
Stack trace:
#0 /srv/shop/cart.php(4): Shop\\Cart->price()
#1 /srv/shop/vendor/lib.php(5): Shop\\run()
#2 {main}

Next LogicException: cannot price in /srv/shop/cart.php:4
Stack trace:
#0 /srv/shop/cart.php(5): Shop\\run()
#1 {main}"""
GO = """goroutine 1 [running]:
runtime/debug.Stack()
\t/usr/local/go/src/runtime/debug/stack.go:24 +0x5e
go.opentelemetry.io/otel/sdk/trace.recordStackTrace()
\t/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.2.0/trace/span.go:400 +0x2a
panic({0x10, 0x20})
\t/usr/local/go/src/runtime/panic.go:884 +0x212
example.com/shop/cart.(*Cart).Price(0xc000012345, {0x1, 0x2})
\t/srv/shop/cart/cart.go:12 +0x1d
main.main()
\t/srv/shop/main.go:7 +0x20"""


def places(raised: Raised) -> list[tuple[object, ...]]:
    return [
        (
            frame.get("module") or frame.get("filename"),
            frame["function"],
            frame.get("lineno"),
            frame.get("in_app"),
        )
        for frame in raised.frames
    ]


def chain(language: str, stack: str) -> list[tuple[str, str]]:
    return [(raised.type, raised.value) for raised in exceptions_of(language, stack)]


def test_python() -> None:
    assert chain("python", PYTHON) == [
        ("KeyError", "'discount'"),
        ("shop.orders.PriceError", "no price:\n{}"),
    ]
    cause, raised = exceptions_of("python", PYTHON)
    assert places(cause) == [("shop.orders", "price", 12, True)]
    assert cause.frames[0]["context_line"].strip() == 'return cart["discount"]'
    assert places(raised) == [
        ("__main__", "<module>", 3, True),
        ("lib.core", "call", 7, False),
        ("shop.orders", "run", 20, True),
    ]


def test_modules_of_a_script_are_named_as_it_finds_them() -> None:
    stack = (
        'Traceback (most recent call last):\n  File "/data/job/start.py", line 1, in <module>\n    work()\n'
        '  File "/data/job/steps/load.py", line 2, in work\n    1 / 0\nZeroDivisionError: division by zero\n'
    )
    (raised,) = exceptions_of("python", stack)
    assert places(raised) == [("__main__", "<module>", 1, True), ("steps.load", "work", 2, True)]


def test_node_and_browsers() -> None:
    (raised,) = exceptions_of("nodejs", NODE)
    assert (raised.type, raised.value) == ("PaymentError", "no discount")
    assert places(raised) == [
        ("/srv/shop/node_modules/express/lib/router/layer.js", "?", 95, False),
        ("node:internal/process/task_queues", "process.processTicksAndRejections", 95, False),
        ("/srv/shop/src/main.mjs", "run", 4, True),
        ("/srv/shop/src/cart.js", "price", 3, True),
    ]
    browser = "TypeError: x is not a function\n    at f (https://shop.test/static/app.js?v=2:1:2345)"
    (raised,) = exceptions_of("webjs", browser)
    assert raised.frames[0]["filename"] == "https://shop.test/static/app.js?v=2"


def test_java() -> None:
    assert chain("java", JAVA) == [
        ("com.shop.NoDiscount", "none\nfor this cart"),
        ("java.lang.IllegalStateException", "cannot price"),
    ]
    cause, raised = exceptions_of("java", JAVA)
    assert places(cause)[-1] == ("com.shop.Prices", "of", 7, None)
    assert places(raised) == [("java.lang.Thread", "run", 840, None), ("com.shop.Cart", "price", 12, None)]


def test_dotnet() -> None:
    assert chain("dotnet", DOTNET) == [
        ("System.Collections.Generic.KeyNotFoundException", "no 'discount'"),
        ("Shop.PriceException", "cannot price"),
    ]
    cause, raised = exceptions_of("dotnet", DOTNET)
    assert places(cause) == [("Shop.Prices", "Of", 7, None)]
    assert places(raised) == [
        ("System.Threading.Tasks.Task", "Execute", None, False),
        ("Shop.Cart", "Price", 12, None),
    ]


def test_ruby() -> None:
    (raised,) = exceptions_of("ruby", RUBY)
    assert (raised.type, raised.value) == ("KeyError", "key not found: :discount")
    assert places(raised)[0] == ("/srv/shop/cart.rb", "<main>", 5, True)
    assert places(raised)[-2:] == [
        ("/srv/shop/cart.rb", "price", 2, True),
        ("/srv/shop/cart.rb", "fetch", 2, True),
    ]
    assert [place[3] for place in places(raised)].count(False) == 1


def test_php() -> None:
    assert chain("php", PHP) == [("RuntimeException", "no discount"), ("LogicException", "cannot price")]
    cause, _ = exceptions_of("php", PHP)
    assert places(cause) == [
        ("/srv/shop/vendor/lib.php", "{main}", 5, False),
        ("/srv/shop/cart.php", "Shop\\run", 4, True),
        ("/srv/shop/cart.php", "Shop\\Cart->price", 3, True),
    ]
    like_java = "RuntimeException: no discount\n\tat Shop.Cart.price(cart.php:3)\n\tat {main}(cart.php:9)"
    (raised,) = exceptions_of("php", like_java)
    assert places(raised)[-1] == ("Shop.Cart", "price", 3, None)


def test_go() -> None:
    (raised,) = exceptions_of("go", GO)
    assert places(raised) == [("main", "main", 7, True), ("example.com/shop/cart", "(*Cart).Price", 12, True)]


def test_what_is_no_stack_is_read_as_none_and_a_long_one_in_time() -> None:
    for language in READERS:
        for stack in (
            "",
            "\n",
            "no stack at all",
            "\tat",
            '  File "',
            "(" * 5_000,
            " at " * 50_000,
            "\x00\ud800",
        ):
            for raised in exceptions_of(language, stack):
                assert raised.type or raised.frames
    assert exceptions_of("cobol", PYTHON) == []
