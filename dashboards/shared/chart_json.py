"""A figure as a page sends it to plotly.js: JSON that a script element may hold."""

import plotly.graph_objects as go
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from errata.reports.chart_template import document


def chart_json(figure: go.Figure) -> Markup:
    return htmlsafe_json_dumps(document(figure))
