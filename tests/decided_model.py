"""What must be so whatever people, rules and pipelines decide, and in whatever order: without any SQL."""

from collections import defaultdict
from collections.abc import Collection, Generator

from errata.grouping import VariantShape, fingerprint_of, issue_id_of
from errata.grouping.configuration import GroupingConfiguration
from errata.grouping.regrouping import Placement, mapping
from errata.grouping.shape import ExceptionShape, FrameShape, variant_hash_of


def shape_of(number: int) -> VariantShape:
    """Of 18: three types, two modules, three functions; two messages make two variants of each."""
    frame = FrameShape(module=f"m{number % 2}", function=f"f{number // 2 % 3}", in_app=True)
    return VariantShape(
        platform="python",
        exceptions=(ExceptionShape(type="ABC"[number // 6 % 3], frames=(frame,), line="x = 1"),),
        template=f"said {number // 18}",
    )


VARIANTS = 36
HASHES = [variant_hash_of(shape_of(number)) for number in range(VARIANTS)]
SHAPES = {variant_hash: shape_of(number) for number, variant_hash in enumerate(HASHES)}


def first_seen_ms(variant: int) -> int:
    """A moment of its own, so that nothing depends on ids, which differ from run to run."""
    return 1_780_000_000_000 + HASHES.index(variant)


Steps = Generator[None, None, None]


class Model:
    """`active` is what the state store says, `in_force` what readers see; an interruption parts them."""

    def __init__(self, project_id: int) -> None:
        self.project_id = project_id
        self.configurations = {1: GroupingConfiguration()}
        self.active = self.in_force = 1
        self.mapped: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self.latest: dict[int, int] = {}
        self.placed: dict[int, int] = {}
        self.parents: dict[int, int] = {}
        self.joined: set[int] = set()
        self.by_people: set[int] = set()
        self.apart: list[tuple[int, int]] = []
        self.events: defaultdict[int, int] = defaultdict(int)

    def own(self, variant: int) -> int:
        mapped = self.mapped[self.in_force].get(variant, self.latest[variant])
        return self.placed.get(variant, mapped)

    def root(self, issue: int) -> int:
        while issue in self.parents:
            issue = self.parents[issue]
        return issue

    def issue(self, variant: int) -> int:
        return self.root(self.own(variant))

    def issues(self) -> dict[int, set[int]]:
        found: defaultdict[int, set[int]] = defaultdict(set)
        for variant in self.events:
            found[self.issue(variant)].add(variant)
        return dict(found)

    def is_below(self, issue: int, part: int) -> bool:
        while issue != part and issue in self.parents:
            issue = self.parents[issue]
        return issue == part

    def fingerprint(self, variant: int, number: int) -> int:
        configuration = self.configurations[number]
        return fingerprint_of(SHAPES[variant], configuration.version, configuration.rules).fingerprint_hash

    def arrive(self, variants: Collection[int], numbers: Collection[int]) -> None:
        """At nodes that group by these configurations, and met what is new at the same moment."""
        known = set(self.latest)
        for number in numbers:
            new = {
                variant: self._first_issue(variant, number) for variant in variants if variant not in known
            }
            self.mapped[number] |= new
            self.latest |= new
        for variant in variants:
            self.events[variant] += 1

    def _first_issue(self, variant: int, number: int) -> int:
        fingerprint = self.fingerprint(variant, number)
        siblings = (
            issue
            for other, issue in self.mapped[number].items()
            if self.fingerprint(other, number) == fingerprint
        )
        return next(siblings, issue_id_of(self.project_id, fingerprint, number))

    def place(self, issues: set[int]) -> None:
        for variant in self.unplaced(issues):
            self.placed[variant] = self.own(variant)

    def unplaced(self, issues: set[int]) -> list[int]:
        return [
            variant for variant in self.events if variant not in self.placed and self.issue(variant) in issues
        ]

    def put_into(self, part: int, parent: int) -> None:
        """By a person; 0 takes it out."""
        self.parents.pop(part, None)
        if parent:
            self.parents[part] = parent
        self.by_people.add(part)
        self.joined.discard(part)

    def apply(self, number: int, writes: int) -> bool:
        """False where the process ends before it has written so often."""
        for step in (self._settled(), self._filled(number), self._switched(number)):
            for _ in step:
                if not writes:
                    return False
                writes -= 1
        return True

    def settle(self) -> None:
        for _ in self._settled():
            pass

    # Each of these stops before every write: what follows is done if it goes on.
    def _settled(self) -> Steps:
        yield from self._filled(self.active)
        if self.in_force != self.active:
            yield
            self.in_force = self.active

    def _switched(self, number: int) -> Steps:
        self.active = number
        yield from self._settled()

    def _filled(self, number: int) -> Steps:
        rows = self.mapped[number]
        new = [variant for variant in self.events if variant not in rows]
        if not new:
            return
        placements = [
            Placement(
                variant,
                self.fingerprint(variant, number),
                self.issue(variant),
                self.own(variant),
                is_placed=variant in self.placed,
                first_seen_ms=first_seen_ms(variant),
            )
            for variant in self.events
        ]
        known = {self.fingerprint(variant, number): issue for variant, issue in rows.items()}
        found = mapping(
            placements, known, set(rows.values()), lambda each: issue_id_of(self.project_id, each, number)
        )
        yield
        for variant in new:
            rows[variant] = self.latest[variant] = found[self.fingerprint(variant, number)]
