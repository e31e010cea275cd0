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
    Word.UNASSIGN: "took the assignment back",
    Word.PRIORITIZE: "set the priority",
    Word.COMMENT: "commented",
    Word.EDIT_COMMENT: "changed a comment",
    Word.DELETE_COMMENT: "deleted a comment",
    Word.DELETE: "deleted the issue",
    Word.MERGE: "made it part of another issue",
    Word.UNMERGE: "took it out of the issue it was part of",
    Word.JOIN: "found it to be the same as another issue",
    Word.FOLLOW: "moved along with the issue it is part of",
    Word.SPLIT: "moved variants out of it",
    Word.RELEASE: "gave variants back to the rules",
    Word.DISTINCT: "said it is not the same as another issue",
    Word.LINK: "linked an issue elsewhere",
    Word.UNLINK: "removed a linked issue",
    Word.SHARE: "made a share link",
    Word.UNSHARE: "revoked a share link",
    Word.UNDO: "took an action back",
}
