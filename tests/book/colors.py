"""Colors as people see them: contrast, lightness, CIEDE2000, and three kinds of color blindness.

An sRGB color is a triple from 0 to 1, a linear one too, Lab is L* from 0 to 100 with a* and b*.
"""

from __future__ import annotations

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

# Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision Deficiency,
# IEEE TVCG 15(6), 2009, severity 1.0; for linear sRGB.
VISIONS: dict[str, Matrix] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
# IEC 61966-2-1: linear sRGB to XYZ at D65.
_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
_WHITE = tuple(sum(row) for row in _XYZ)


def srgb(text: str) -> Triple:
    """Return ``#rrggbb`` or ``#rgb``."""
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def mixed(over: Triple, under: Triple, share: float) -> Triple:
    """Return *share* of *over* on *under*, as CSS mixes and paints in sRGB."""
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(over, under, strict=True))
    return red, green, blue


def linear(color: Triple) -> Triple:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
    return red, green, blue


def _times(matrix: Matrix, color: Triple) -> Triple:
    red, green, blue = (sum(a * b for a, b in zip(row, color, strict=True)) for row in matrix)
    return red, green, blue


def contrast(one: Triple, other: Triple) -> float:
    """Return the ratio of WCAG 2.2, from 1 to 21."""
    low, high = sorted(sum(a * b for a, b in zip(_XYZ[1], linear(color), strict=True)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(color: Triple, vision: str = "normal") -> Triple:
    """Return CIE Lab of *color* as somebody with *vision* sees it."""
    red, green, blue = (min(1.0, max(0.0, part)) for part in _times(VISIONS[vision], linear(color)))
    ratios = (a / b for a, b in zip(_times(_XYZ, (red, green, blue)), _WHITE, strict=True))
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: Triple, other: Triple) -> float:
    """Return CIEDE2000 of two Lab colors, after Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (hypot(a1, b1) + hypot(a2, b2)) / 2
    grow = 1 + 0.5 * (1 - sqrt(mean**7 / (mean**7 + 25**7)))
    c1, c2 = hypot(a1 * grow, b1), hypot(a2 * grow, b2)
    h1, h2 = degrees(atan2(b1, a1 * grow)) % 360, degrees(atan2(b2, a2 * grow)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = 2 * sqrt(c1 * c2) * sin(radians(turn / 2))
    l_mean, c_mean = (l1 + l2) / 2, (c1 + c2) / 2
    h_mean = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = 1 - 0.17 * cos(radians(h_mean - 30)) + 0.24 * cos(radians(2 * h_mean))
    t += 0.32 * cos(radians(3 * h_mean + 6)) - 0.20 * cos(radians(4 * h_mean - 63))
    s_l = 1 + 0.015 * (l_mean - 50) ** 2 / sqrt(20 + (l_mean - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_mean, 1 + 0.015 * c_mean * t
    bend = 2 * sqrt(c_mean**7 / (c_mean**7 + 25**7)) * sin(radians(60 * exp(-(((h_mean - 275) / 25) ** 2))))
    dl, dc, dh = (l2 - l1) / s_l, (c2 - c1) / s_c, hue / s_h
    return sqrt(dl**2 + dc**2 + dh**2 - bend * dc * dh)
