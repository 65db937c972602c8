"""Things to read and to recognise, drawn with Pillow: name boards, trail markers, price boards, title cards, balloons.

Every function returns an RGBA picture drawn large; the film maker scales it down to where it stands.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS: Path = Path("/usr/share/fonts/opentype")
Colour = tuple[int, int, int]
WORD_GAP = 0.16

PAPER, INK, NAVY = (250, 246, 236), (28, 32, 40), (22, 48, 82)
WOOD, WOOD_DARK = (150, 104, 62), (104, 70, 40)
BLUE, RED, YELLOW, GREEN, AMBER = (30, 96, 200), (204, 34, 40), (246, 196, 40), (36, 120, 66), (255, 186, 60)


@cache
def font(face: str, size: int) -> ImageFont.FreeTypeFont:
    """`face` is a file below the font folder without its ending: `inter/Inter-Bold`."""
    return ImageFont.truetype(str(FONTS / f"{face}.otf"), size)


HEAD, BODY, STRONG = "league-spartan/LeagueSpartan-Bold", "inter/Inter-Medium", "inter/Inter-Bold"


def text_width(text: str, face: str, size: int, spacing: float = 0) -> float:
    """With letter spacing; the gaps between words grow too, so that they stay gaps on a small screen."""
    return (
        font(face, size).getlength(text)
        + spacing * max(len(text) - 1, 0)
        + WORD_GAP * size * bool(spacing) * text.count(" ")
    )


def write(
    draw: ImageDraw.ImageDraw,
    xy: tuple[float, float],
    text: str,
    face: str,
    size: int,
    fill: Colour | tuple[int, int, int, int],
    anchor: str = "mm",
    spacing: float = 0,
) -> None:
    """One line, with letter spacing; `anchor` as Pillow's."""
    if not spacing:
        draw.text(xy, text, fill, font(face, size), anchor=anchor)
        return
    whole = text_width(text, face, size, spacing)
    x = xy[0] - {"l": 0.0, "m": whole / 2, "r": whole}[anchor[0]]
    for letter in text:
        draw.text((x, xy[1]), letter, fill, font(face, size), anchor="l" + anchor[1])
        x += font(face, size).getlength(letter) + spacing + (WORD_GAP * size if letter == " " else 0)


def shadowed(picture: Image.Image, margin: int = 60, blur: int = 22, dark: int = 130) -> Image.Image:
    """The picture with a soft shadow below it."""
    out = Image.new("RGBA", (picture.width + 2 * margin, picture.height + 2 * margin))
    shade = Image.new("RGBA", out.size)
    alpha = picture.getchannel("A").point(lambda v: v * dark // 255)
    shade.paste((8, 10, 16, 255), (margin + 6, margin + 16), alpha)
    out.alpha_composite(shade.filter(ImageFilter.GaussianBlur(blur)))
    out.alpha_composite(picture, (margin, margin))
    return out


def plate(
    size: tuple[int, int], face: Colour, rim: Colour, radius: int = 36, line: int = 10, inset: int = 18
) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """An enamel plate: rounded, with a thin rim and a faint light from above."""
    out = Image.new("RGBA", size)
    draw = ImageDraw.Draw(out)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), radius, face)
    glow = Image.new("L", (1, size[1]), 0)
    for y in range(size[1]):
        glow.putpixel((0, y), int(34 * max(0.0, 1 - y / (0.6 * size[1]))))
    light = Image.new("RGBA", size, (255, 255, 255, 0))
    light.putalpha(glow.resize(size))
    mask = out.getchannel("A")
    out = Image.composite(Image.alpha_composite(out, light), out, mask)
    draw = ImageDraw.Draw(out)
    box = (inset, inset, size[0] - 1 - inset, size[1] - 1 - inset)
    draw.rounded_rectangle(box, max(radius - inset, 2), None, rim, line)
    return out, draw


def on_posts(board: Image.Image, posts: tuple[float, ...], below: int, colour: Colour = WOOD) -> Image.Image:
    """The board on wooden posts that reach `below` pixels under it."""
    thick = 54
    out = Image.new("RGBA", (board.width, board.height + below))
    draw = ImageDraw.Draw(out)
    for share in posts:
        x = round(share * board.width)
        for i in range(thick):
            tone = 0.62 + 0.5 * math.sin(math.pi * (i + 8) / (thick + 16))
            fill = tuple(min(255, int(v * tone)) for v in colour)
            draw.line((x - thick // 2 + i, 40, x - thick // 2 + i, out.height), (*fill, 255))
    out.alpha_composite(board)
    return out


def planks(size: tuple[int, int], colour: Colour = WOOD, rows: int = 3) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A board of wooden planks with a quiet grain."""
    out = Image.new("RGBA", size)
    draw = ImageDraw.Draw(out)
    step = size[1] / rows
    for r in range(rows):
        base = [v + (-7, 6, -2, 9)[r % 4] for v in colour]
        top, bottom = round(r * step), round((r + 1) * step) - 5
        draw.rounded_rectangle((0, top, size[0] - 1, bottom), 14, (*base, 255))
        for y in range(top + 6, bottom - 4, 7):
            wave = 5 * math.sin(y * 1.7 + r)
            tone = tuple(int(v * (0.93 + 0.04 * math.sin(y * 0.9))) for v in base)
            points = [(x, y + wave * math.sin(x / (170 + 13 * r) + y)) for x in range(10, size[0] - 8, 24)]
            draw.line(points, (*tone, 255), 3)
        for x in (34, size[0] - 34):
            draw.ellipse((x - 9, (top + bottom) / 2 - 9, x + 9, (top + bottom) / 2 + 9), (70, 62, 56, 255))
    return out, draw


def name_board(
    lines: tuple[str, ...],
    face: Colour = NAVY,
    ink: Colour = PAPER,
    small: int = 1,
    posts: bool = True,
    below: int = 700,
) -> Image.Image:
    """A name board: the first line large, the last `small` lines in a second size."""
    big, little = 128, 78
    heads = lines[: len(lines) - small] if small else lines
    tails = lines[len(heads) :]
    wide = max([text_width(t, HEAD, big, 4) for t in heads] + [text_width(t, STRONG, little, 2) for t in tails])
    size = round(wide + 190), 130 + 138 * len(heads) + 98 * len(tails)
    board, draw = plate(size, face, ink)
    y = 70.0
    for text in heads:
        write(draw, (size[0] / 2, y + 74), text, HEAD, big, ink, "mm", 4)
        y += 138
    for text in tails:
        write(draw, (size[0] / 2, y + 46), text, STRONG, little, ink, "mm", 2)
        y += 98
    return shadowed(on_posts(board, (0.16, 0.84), below) if posts else board)


def boat(width: int, hull: Colour = BLUE) -> Image.Image:
    """A little sailing boat with a hull of one clear colour."""
    w, h = 400, 380
    out = Image.new("RGBA", (w * 2, h * 2))
    d = ImageDraw.Draw(out)
    s = [(p[0] * 2, p[1] * 2) for p in [(40, 250), (360, 250), (300, 340), (100, 340)]]
    d.polygon(s, hull)
    d.rectangle((388, 40, 404, 500), hull)
    d.polygon([(424, 60), (424, 460), (660, 460)], hull)
    d.polygon([(368, 130), (368, 460), (190, 460)], tuple(min(255, v + 70) for v in hull))
    d.line([(20 + x, 716 + 14 * math.sin(x / 34)) for x in range(0, 770, 6)], hull, 18)
    return out.resize((width, round(width * h / w)), Image.Resampling.LANCZOS)


def trail_marker(number: str, unit: str = "KM", name: str = "BLUE BOAT TRAIL") -> Image.Image:
    """The returning marker: a white plate on planks, a blue boat, the distance walked."""
    board, _ = planks((1180, 560), rows=4)
    sign, draw = plate((1040, 420), PAPER, BLUE, 30, 8, 16)
    sign.alpha_composite(boat(300), (64, 66))
    write(draw, (690, 130), name, HEAD, 68, BLUE, "mm", 2)
    draw.line((410, 190, 970, 190), (*BLUE, 255), 6)
    write(draw, (690, 290), f"{unit} {number}", HEAD, 168, INK, "mm", 4)
    board.alpha_composite(sign, (70, 70))
    return shadowed(on_posts(board, (0.5,), 800, WOOD_DARK))


def departures(title: str, rows: tuple[tuple[str, str], ...], note: str) -> Image.Image:
    """A dark departure board with amber letters."""
    size = 1500, 300 + 150 * len(rows) + 110
    board, draw = plate(size, (24, 26, 30), (96, 100, 108), 24, 8, 14)
    write(draw, (80, 130), title, STRONG, 92, PAPER, "lm", 3)
    draw.line((80, 210, size[0] - 80, 210), (96, 100, 108, 255), 5)
    y = 300
    for left, right in rows:
        write(draw, (80, y), left, STRONG, 104, AMBER, "lm", 4)
        write(draw, (size[0] - 80, y), right, STRONG, 104, AMBER, "rm", 4)
        y += 150
    write(draw, (80, y), note, STRONG, 92, (255, 112, 80), "lm", 3)
    return shadowed(on_posts(board, (0.12, 0.88), 1800, (92, 96, 104)))


def price_board(title: str, rows: tuple[tuple[str, str], ...], posts: bool = False) -> Image.Image:
    """A chalk board in a wooden frame: a title, then names and prices."""
    size = 1180, 300 + 152 * len(rows)
    board = Image.new("RGBA", size)
    draw = ImageDraw.Draw(board)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), 26, WOOD)
    draw.rounded_rectangle((12, 12, size[0] - 13, size[1] - 13), 20, None, WOOD_DARK, 5)
    draw.rounded_rectangle((44, 44, size[0] - 45, size[1] - 45), 12, (36, 44, 42))
    write(draw, (size[0] / 2, 142), title, HEAD, 118, (250, 214, 120), "mm", 4)
    draw.line((size[0] / 2 - 220, 216, size[0] / 2 + 220, 216), (250, 214, 120, 255), 5)
    y = 308
    for left, right in rows:
        write(draw, (110, y), left, STRONG, 98, PAPER, "lm", 2)
        write(draw, (size[0] - 110, y), right, STRONG, 98, PAPER, "rm", 2)
        start, end = 110 + text_width(left, STRONG, 98, 2) + 34, size[0] - 110 - text_width(right, STRONG, 98, 2) - 30
        for x in range(round(start), round(end), 34):
            draw.ellipse((x, y + 28, x + 9, y + 37), (170, 176, 170))
        y += 152
    return shadowed(on_posts(board, (0.14, 0.86), 700) if posts else board)


def warning(lines: tuple[str, ...], face: Colour = YELLOW, ink: Colour = INK) -> Image.Image:
    """A notice with a triangle, in one strong colour."""
    wide = max(text_width(t, HEAD, 122, 3) for t in lines)
    size = round(wide + 470), 110 + 142 * len(lines)
    board, draw = plate(size, face, ink, 30, 10, 18)
    y = size[1] / 2
    draw.polygon([(90, y + 100), (310, y + 100), (200, y - 96)], ink)
    write(draw, (200, y + 42), "!", HEAD, 150, face)
    for i, text in enumerate(lines):
        write(draw, (370, 58 + 71 + 142 * i), text, HEAD, 122, ink, "lm", 3)
    return shadowed(on_posts(board, (0.2, 0.8), 700))


def title_card(title: str, below: str, ink: Colour = PAPER, face: str = HEAD) -> Image.Image:
    """Large letters with a thin line, for the middle of the picture; a soft shade keeps them readable."""
    wide = max(text_width(title, face, 190, 10), text_width(below, BODY, 80, 8))
    size = round(wide + 260), 560
    letters = Image.new("RGBA", size)
    draw = ImageDraw.Draw(letters)
    write(draw, (size[0] / 2, 190), title, face, 190, ink, "mm", 10)
    draw.rectangle((size[0] / 2 - 130, 318, size[0] / 2 + 130, 325), ink)
    write(draw, (size[0] / 2, 420), below, BODY, 80, ink, "mm", 8)
    shade = Image.new("RGBA", size)
    shade.paste((0, 0, 0, 150), (0, 6), letters.getchannel("A"))
    shade = shade.filter(ImageFilter.GaussianBlur(16))
    shade.alpha_composite(letters)
    return shade


def credit_card(title: str, lines: tuple[str, ...]) -> Image.Image:
    """The last card: a thank-you and the people whose photographs were shown."""
    size = 2200, 420 + 86 * len(lines)
    out = Image.new("RGBA", size)
    draw = ImageDraw.Draw(out)
    write(draw, (size[0] / 2, 150), title, HEAD, 150, PAPER, "mm", 6)
    draw.rectangle((size[0] / 2 - 130, 262, size[0] / 2 + 130, 268), PAPER)
    for i, text in enumerate(lines):
        write(draw, (size[0] / 2, 360 + 86 * i), text, BODY, 56, PAPER, "mm", 1)
    return out


def balloon(colour: Colour = RED) -> Image.Image:
    """A hot-air balloon of one clear colour, lit from the upper left."""
    w, h = 600, 820
    out = Image.new("RGBA", (w, h))
    d = ImageDraw.Draw(out)
    cx, cy, r = 300, 290, 270
    for x in (-78, -30, 30, 78):
        d.line((cx + x * 1.5, 590, cx + x * 0.7, 715), (70, 52, 38, 255), 5)
    shape = Image.new("L", (w, h))
    s = ImageDraw.Draw(shape)
    s.ellipse((cx - r, cy - r, cx + r, cy + r), 255)
    edge = [(cx - r * 0.93, cy + r * 0.36), (cx + r * 0.93, cy + r * 0.36), (cx + 112, 612), (cx - 112, 612)]
    s.polygon(edge, 255)
    body = Image.new("RGBA", (w, h))
    b = ImageDraw.Draw(body)
    for i in range(w):
        u = (i - cx) / r
        gore = 0.9 if int((math.asin(max(-1, min(1, u))) + math.pi / 2) / math.pi * 8) % 2 else 1.06
        tone = gore * (0.72 + 0.36 * math.cos(max(-1.5, min(1.5, (u + 0.28) * 1.25))))
        b.line((i, 0, i, h), (*(min(255, int(v * tone)) for v in colour), 255))
    body.putalpha(shape)
    out.alpha_composite(body)
    d.rounded_rectangle((cx - 62, 712, cx + 62, 800), 14, (120, 82, 48))
    d.rectangle((cx - 68, 708, cx + 68, 724), (84, 56, 34))
    return out
