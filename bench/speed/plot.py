"""Curves as a plain SVG: what a call costs against one thing that grows, a panel each."""

from html import escape
from math import log10

WIDTH, HEIGHT, LEFT, TOP = 430, 300, 60, 40
INNER_WIDTH, INNER_HEIGHT = WIDTH - LEFT - 20, HEIGHT - TOP - 60
COLOURS = ["#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#525252"]


def text(x, y, words, anchor="middle", size=12):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}">' \
           f"{escape(words)}</text>"


class Panel:
    """One plot; both axes grow by factors where the values do."""

    def __init__(self, title, label, curves):
        self.title, self.label, self.curves = title, label, curves
        points = [point for curve in curves.values() for point in curve]
        self.xs = sorted({x for x, _ in points})
        self.top = max(y for _, y in points) * 1.15

    def x(self, value):
        low, high = log10(self.xs[0]), log10(self.xs[-1])
        share = (log10(value) - low) / (high - low) if high > low else 0.5
        return LEFT + share * INNER_WIDTH

    def y(self, value):
        return TOP + INNER_HEIGHT * (1 - value / self.top)

    def drawn(self):
        bottom, right = TOP + INNER_HEIGHT, LEFT + INNER_WIDTH
        yield text(LEFT + INNER_WIDTH / 2, 22, self.title, size=14)
        yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>'
        for value in self.xs:
            yield text(self.x(value), bottom + 18, f"{value:,}")
        yield text(LEFT + INNER_WIDTH / 2, bottom + 36, self.label)
        for part in range(5):
            value = self.top * part / 4
            yield text(LEFT - 6, self.y(value) + 4, f"{value:.0f}", "end")
        for place, (name, points) in enumerate(self.curves.items()):
            colour = COLOURS[place % len(COLOURS)]
            corners = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in sorted(points))
            yield f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="2"/>'
            for x, y in points:
                yield f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}"/>'
            yield f'<g fill="{colour}">{text(right, TOP + 14 * place, name, "end")}</g>'


def svg(panels):
    """All panels, two in a row."""
    rows = (len(panels) + 1) // 2
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * WIDTH}" height="{rows * HEIGHT}"'
             ' font-family="sans-serif">', '<rect width="100%" height="100%" fill="white"/>']
    for place, panel in enumerate(panels):
        x, y = place % 2 * WIDTH, place // 2 * HEIGHT
        parts += [f'<g transform="translate({x} {y})">', *panel.drawn(), "</g>"]
    return "\n".join([*parts, "</svg>", ""])
