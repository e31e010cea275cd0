"""The words of the log of decisions about issues (errata_raw.issue_actions): one closed list."""

from enum import StrEnum


class Word(StrEnum):
    """One word an action; what it does in words stands below."""

    RESOLVE = "resolve"
    UNRESOLVE = "unresolve"
    IGNORE = "ignore"
    REGRESS = "regress"
    WAKE = "wake"
    ASSIGN = "assign"
    UNASSIGN = "unassign"
    PRIORITIZE = "prioritize"
    COMMENT = "comment"
    EDIT_COMMENT = "edit_comment"
    DELETE_COMMENT = "delete_comment"
    DELETE = "delete"
    MERGE = "merge"
    UNMERGE = "unmerge"
    JOIN = "join"
    FOLLOW = "follow"
    SPLIT = "split"
    RELEASE = "release"
    DISTINCT = "distinct"
    LINK = "link"
    UNLINK = "unlink"
    SHARE = "share"
    UNSHARE = "unshare"
    UNDO = "undo"


# Appended by nobody, about a decision of a person: what came to pass.
BY_NOBODY = frozenset({Word.REGRESS, Word.WAKE})
# What belongs together is changed by moving variants: such decisions have words that take them back.
OF_MEMBERSHIP = frozenset(
    {Word.MERGE, Word.UNMERGE, Word.JOIN, Word.FOLLOW, Word.SPLIT, Word.RELEASE, Word.DISTINCT}
)

# For the timeline: what the actor did. Every word has one.
DONE: dict[Word, str] = {
    Word.RESOLVE: "resolved it",
    Word.UNRESOLVE: "marked it unresolved",
    Word.IGNORE: "ignored it",
    Word.REGRESS: "it occurred again",
    Word.WAKE: "it is no longer ignored",
    Word.ASSIGN: "assigned it",
    Word.UNASSIGN: "unassigned it",
    Word.PRIORITIZE: "set the priority",
    Word.COMMENT: "commented",
    Word.EDIT_COMMENT: "edited a comment",
    Word.DELETE_COMMENT: "deleted a comment",
    Word.DELETE: "deleted the issue",
    Word.MERGE: "merged it into another issue",
    Word.UNMERGE: "unmerged it from another issue",
    Word.JOIN: "automatically merged it into another issue",
    Word.FOLLOW: "moved it along with the issue it was merged into",
    Word.SPLIT: "split variants off",
    Word.RELEASE: "reset variants to automatic grouping",
    Word.DISTINCT: "marked it as different from another issue",
    Word.LINK: "linked an external issue",
    Word.UNLINK: "unlinked an external issue",
    Word.SHARE: "created a share link",
    Word.UNSHARE: "revoked a share link",
    Word.UNDO: "undid an action",
}
