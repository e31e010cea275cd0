"""What version 2 knows of each language: which part of a frame lasts, and which frames say nothing."""

from errata.grouping.languages.csharp import CSHARP
from errata.grouping.languages.go import GO
from errata.grouping.languages.java import JAVA
from errata.grouping.languages.javascript import JAVASCRIPT
from errata.grouping.languages.language import Language
from errata.grouping.languages.native import NATIVE
from errata.grouping.languages.other import OTHER
from errata.grouping.languages.php import PHP
from errata.grouping.languages.python import PYTHON
from errata.grouping.languages.ruby import RUBY

_BY_PLATFORM = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "node": JAVASCRIPT,
    "java": JAVA,
    "kotlin": JAVA,
    "scala": JAVA,
    "groovy": JAVA,
    "android": JAVA,
    "go": GO,
    "ruby": RUBY,
    "php": PHP,
    "csharp": CSHARP,
    "dotnet": CSHARP,
    "fsharp": CSHARP,
    "native": NATIVE,
    "c": NATIVE,
    "cpp": NATIVE,
    "cocoa": NATIVE,
    "objc": NATIVE,
    "swift": NATIVE,
    "rust": NATIVE,
}


def language_of(platform: str) -> Language:
    return _BY_PLATFORM.get(platform, OTHER)


__all__ = ["Language", "language_of"]
