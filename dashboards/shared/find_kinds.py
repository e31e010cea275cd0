"""What the kinds of results are called, on the page and in the dialog."""

from api.find import Kind

FIND_KINDS = {
    Kind.PLACE.value: "Go to",
    Kind.PROJECT.value: "Projects",
    Kind.ISSUE.value: "Issues",
    Kind.PAGE.value: "Pages",
    Kind.ENDPOINT.value: "API endpoints",
    Kind.RELEASE.value: "Releases",
    Kind.DOCS.value: "Documentation",
    Kind.SEARCH.value: "Search further",
}
