"""The second film: an evening sale of pictures. Its rooms, shots, sentences and signs."""

from __future__ import annotations

from functools import partial

import numpy as np
from film import Placed, Shot, View, fixed
from PIL import Image, ImageDraw
from signs import Colour, credit_card, plate, shadowed, title_card, write

TITLE, TOPIC, PACE, CRF = "The Evening Sale", "An evening auction of pictures in a small gallery", 1.16, 29
LOMIRI, LOMIRI20 = "lomiri-wallpapers-16.04", "lomiri-wallpapers-20.04"
KDE, MATE = "plasma-workspace-wallpapers", "mate-backgrounds"
PHOTOS = {
    "waves": f"{KDE}:wallpapers/Grey/contents/images/2560x1600.jpg",
    "kite": f"{KDE}:wallpapers/Kite/contents/images/2560x1600.jpg",
    "cups": f"{KDE}:wallpapers/ColorfulCups/contents/images/2560x1600.jpg",
    "flower": f"{MATE}:backgrounds/mate/nature/YellowFlower.jpg",
    "drop": f"{MATE}:backgrounds/mate/nature/Aqua.jpg",
    "elephants": f"{MATE}:backgrounds/mate/abstract/Elephants_3840x2160.jpg",
    "bowl": f"{LOMIRI}:backgrounds/Picture_0B_by_freespace.jpg",
    "brushes": f"{LOMIRI}:backgrounds/Picture_1A_by_freespace.jpg",
    "clock": f"{LOMIRI}:backgrounds/greentock_by_Peter_Nerlich.jpg",
    "lamp": f"{LOMIRI}:backgrounds/free_by_Peter_Nerlich.jpg",
    "bird": f"{LOMIRI20}:backgrounds/Kleiber_by_Lukas_Baubkus.jpg",
}
YELLOW_WALL, GREEN_WALL, BLUE_WALL = (232, 184, 54), (44, 112, 72), (34, 82, 170)
RED_WALL, PURPLE_WALL, GREY_WALL, WHITE_WALL = (158, 36, 40), (96, 58, 140), (122, 126, 130), (228, 224, 216)
CARD, DARK, SOLD_RED, GOLD = (252, 250, 244), (34, 32, 36), (196, 28, 36), (206, 160, 84)
SERIF, SERIF_PLAIN = "linux-libertine/LinLibertine_RB", "linux-libertine/LinLibertine_R"
WALL = (2720, 1530)


def wall(photo: Image.Image, colour: Colour, wide: float = 0.46, x: float = 0.36, frame: Colour = DARK) -> Image.Image:
    """A lit gallery wall with a wooden floor; the photograph hangs on it in a mount and a frame."""
    w, h = WALL
    xs, ys = np.meshgrid(np.linspace(0, 1, w), np.linspace(0, h / w, h))
    lamp = np.exp(-(((xs - x) / 0.42) ** 2 + ((ys - 0.2) / 0.34) ** 2))
    grain = np.random.default_rng(5).normal(0, 1, (h // 4, w // 4))
    grain = np.asarray(Image.fromarray(grain.astype(np.float32)).resize((w, h), Image.Resampling.BICUBIC))
    tone = 0.66 + 0.40 * lamp + 0.004 * grain
    room = Image.fromarray(np.clip(tone[:, :, None] * np.array(colour), 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(room)
    floor = round(h * 0.905)
    for i in range(floor, h):
        fade = 0.75 + 0.5 * (i - floor) / (h - floor)
        draw.line((0, i, w, i), tuple(int(v * fade) for v in (112, 82, 58)))
    for k in range(-12, 13):
        draw.line((w / 2 + k * 200, floor, w / 2 + k * 330, h), (78, 56, 40), 3)
    draw.rectangle((0, floor - 52, w, floor), tuple(int(v * 0.9) for v in WHITE_WALL))
    draw.line((0, floor - 52, w, floor - 52), (150, 146, 140), 3)
    size = round(wide * w), round(wide * w * photo.height / photo.width)
    mount, rim = round(0.016 * w), round(0.013 * w)
    hung = Image.new("RGBA", (size[0] + 2 * (mount + rim), size[1] + 2 * (mount + rim)), (*frame, 255))
    edge = ImageDraw.Draw(hung)
    edge.rectangle((4, 4, hung.width - 5, hung.height - 5), None, tuple(min(255, v + 46) for v in frame), 4)
    edge.rectangle((rim, rim, hung.width - rim - 1, hung.height - rim - 1), CARD)
    hung.paste(photo.resize(size, Image.Resampling.LANCZOS), (mount + rim, mount + rim))
    hung = shadowed(hung, 70, 26, 150)
    room.paste(hung, (round(x * w - hung.width / 2), round(0.44 * h - hung.height / 2)), hung)
    return room


def label(lot: str, name: str, price: str) -> Image.Image:
    """The white card beside a picture: lot, name, starting price."""
    size = 960, 560
    card, draw = plate(size, CARD, GOLD, 14, 5, 22)
    write(draw, (size[0] / 2, 140), lot, SERIF, 150, DARK, "mm", 6)
    draw.line((size[0] / 2 - 150, 232, size[0] / 2 + 150, 232), (*GOLD, 255), 6)
    write(draw, (size[0] / 2, 316), name, SERIF, 100, DARK, "mm", 2)
    write(draw, (size[0] / 2, 442), price, SERIF_PLAIN, 96, DARK, "mm", 2)
    return shadowed(card, 40, 14, 110)


def result(head: str, price: str, below: str, colour: Colour = SOLD_RED) -> Image.Image:
    """The card held up when the hammer has fallen: a coloured head, the price, the paddle."""
    size = 1180, 800
    card = Image.new("RGBA", size)
    draw = ImageDraw.Draw(card)
    draw.rounded_rectangle((0, 0, size[0] - 1, size[1] - 1), 46, CARD)
    draw.rounded_rectangle((0, 0, size[0] - 1, 300), 46, colour)
    draw.rectangle((0, 200, size[0] - 1, 300), colour)
    write(draw, (size[0] / 2, 156), head, SERIF, 190, CARD, "mm", 16)
    write(draw, (size[0] / 2, 450), price, SERIF, 210, DARK, "mm", 6)
    write(draw, (size[0] / 2, 672), below, SERIF, 130, DARK, "mm", 8)
    return shadowed(card, 70, 30, 150)


def poster(title: str, rows: tuple[tuple[str, str], ...], ink: Colour = DARK, paper: Colour = CARD) -> Image.Image:
    """A poster with a title and rows of two columns."""
    size = 1240, 360 + 160 * len(rows)
    card, draw = plate(size, paper, GOLD, 10, 6, 30)
    write(draw, (size[0] / 2, 160), title, SERIF, 150, ink, "mm", 10)
    draw.line((size[0] / 2 - 200, 260, size[0] / 2 + 200, 260), (*GOLD, 255), 6)
    for i, (left, right) in enumerate(rows):
        write(draw, (110, 370 + 160 * i), left, SERIF, 118, ink, "lm", 4)
        write(draw, (size[0] - 110, 370 + 160 * i), right, SERIF, 118, ink, "rm", 4)
    return shadowed(card, 50, 20, 130)


def lot(
    n: int,
    photo: str,
    colour: Colour,
    name: str,
    price: int,
    say: tuple[str, ...],
    frame: Colour = DARK,
    wide: float = 0.46,
    cue: tuple[str, int] | None = None,
) -> Shot:
    """A picture on its wall with its card; the camera goes slowly from the picture to the card."""
    views: tuple[View, View] = ((0.50, 0.47, 0.92), (0.545, 0.47, 0.84))
    card = Placed(lambda: label(f"LOT {n}", name, f"Starts at {price}"), 0.79, 0.31, 0.28)
    scene = partial(wall, colour=colour, wide=wide, frame=frame)
    return Shot(
        f"lot{n}",
        photo,
        *views,
        say=say,
        cue=cue,
        signs=(card,),
        scene=scene,
        bed="room",
        lead=1.0,
        pause=0.65,
        tail=1.6,
    )


def sold(n: int, photo: str, colour: Colour, price: int, paddle: int) -> Shot:
    scene = partial(wall, colour=colour)
    card = fixed(lambda: result("SOLD", str(price), f"PADDLE {paddle}"), 0.5, 0.52)
    return Shot(
        f"sold{n}",
        photo,
        (0.40, 0.46, 0.7),
        (0.44, 0.46, 0.7),
        movers=(card,),
        bed="room",
        cue=("knock", 0),
        scene=scene,
        blur=14,
        shade=0.2,
    )


def taken_away(n: int, photo: str, colour: Colour) -> Shot:
    scene = partial(wall, colour=colour)
    card = fixed(lambda: result("NO SALE", f"LOT {n}", "WITHDRAWN", DARK), 0.5, 0.52)
    return Shot(
        f"gone{n}",
        photo,
        (0.40, 0.46, 0.7),
        (0.44, 0.46, 0.7),
        movers=(card,),
        bed="room",
        scene=scene,
        blur=14,
        shade=0.2,
    )


SHOTS = [
    Shot(
        "title",
        "waves",
        (0.46, 0.52, 0.84),
        (0.54, 0.48, 0.80),
        blur=1.0,
        shade=0.45,
        lead=1.2,
        bed="room",
        say=(
            "Good evening, and welcome to the sale.",
            "A few pictures are waiting for a new home tonight.",
            "Come in and find a chair.",
        ),
        movers=(fixed(lambda: title_card("The Evening Sale", "PICTURES UNDER THE HAMMER", CARD, SERIF), 0.47, 0.8),),
    ),
    Shot(
        "doors",
        "cups",
        (0.48, 0.46, 0.86),
        (0.53, 0.47, 0.84),
        bed="room",
        cue=("bell", 2),
        scene=partial(wall, colour=WHITE_WALL, wide=0.36, x=0.30),
        say=(
            "We begin twenty minutes late, because the lights in the building went out.",
            "The room is full, and more chairs are carried in.",
            "Then the bell rings, and everybody sits down.",
        ),
        signs=(Placed(lambda: poster("TONIGHT", (("DOORS", "18:30"), ("FIRST LOT", "19:00"))), 0.70, 0.30, 0.36),),
        tail=1.5,
    ),
    lot(
        1,
        "kite",
        YELLOW_WALL,
        "Summer Kite",
        90,
        (
            "Lot one is a kite in a blue sky.",
            "It was taken from the roof of a school.",
            "A teacher wants it for her classroom, and nobody dares to bid against her.",
        ),
    ),
    sold(1, "kite", YELLOW_WALL, 140, 27),
    lot(
        2,
        "bowl",
        GREEN_WALL,
        "The Red Bowl",
        120,
        (
            "Lot two shows half a fruit in a red bowl.",
            "A cook and a doctor both want it very much.",
            "The price goes up and up, until the cook gives in.",
        ),
        wide=0.42,
    ),
    sold(2, "bowl", GREEN_WALL, 310, 8),
    lot(
        3,
        "bird",
        WHITE_WALL,
        "Tree Bird",
        60,
        (
            "Lot three is a shy little bird.",
            "The photographer waited four hours behind a wall to take this picture.",
            "He had one sandwich with him, and the bird ate half of it.",
        ),
    ),
    sold(3, "bird", WHITE_WALL, 95, 27),
    lot(
        4,
        "clock",
        BLUE_WALL,
        "The Slow Clock",
        200,
        (
            "Lot four should be this clock.",
            "But it is taken away, because the glass is cracked.",
            "What a pity, it was the picture on the poster outside.",
        ),
        wide=0.40,
    ),
    taken_away(4, "clock", BLUE_WALL),
    Shot(
        "break",
        "brushes",
        (0.48, 0.47, 0.88),
        (0.53, 0.47, 0.84),
        bed="room",
        cue=("bell", 0),
        scene=partial(wall, colour=GREY_WALL, wide=0.34, x=0.30),
        say=(
            "The bell rings for the break.",
            "The man with the hammer asks for a glass of juice, because his voice is tired.",
            "At the bar, everybody talks about the clock.",
        ),
        signs=(
            Placed(
                lambda: poster("SNACK BAR", (("COFFEE", "2.80"), ("JUICE", "3.50"), ("CAKE", "4.60"))), 0.71, 0.24, 0.38
            ),
        ),
        tail=1.6,
    ),
    lot(
        5,
        "elephants",
        RED_WALL,
        "Two Elephants",
        400,
        (
            "The bell rings again, and we go on with two elephants.",
            "This is the only painting of the evening.",
            "Please do not touch it, the paint is still a little soft.",
        ),
        GOLD,
        cue=("bell", 0),
    ),
    sold(5, "elephants", RED_WALL, 720, 15),
    lot(
        6,
        "flower",
        PURPLE_WALL,
        "Yellow Flower",
        150,
        (
            "Here is a big yellow flower, so bright that it warms the room.",
            "It is my favourite, and I would love to hang it in my kitchen.",
            "A telephone rings in the back row, and the whole room turns round.",
        ),
    ),
    sold(6, "flower", PURPLE_WALL, 260, 27),
    lot(
        7,
        "drop",
        GREY_WALL,
        "One Drop",
        80,
        (
            "The last lot is one drop of water.",
            "It is the smallest picture of the evening, and it needed two hundred tries.",
            "The last hands go up, and then it is quiet.",
        ),
        CARD,
        0.34,
    ),
    sold(7, "drop", GREY_WALL, 180, 8),
    Shot(
        "closing",
        "lamp",
        (0.50, 0.60, 0.88),
        (0.52, 0.56, 0.84),
        fade=0.8,
        blur=0.5,
        bed="rain",
        cue=("bell", 0),
        say=(
            "The bell rings for the last time.",
            "Coats and umbrellas go out into the rain, and the pictures go home.",
        ),
        tail=1.6,
        signs=(Placed(lambda: poster("NEXT SALE", (("14 MAY", "19:30"),)), 0.75, 0.60, 0.32, (0.94, 0.93, 0.9)),),
    ),
    Shot(
        "end",
        "lamp",
        (0.52, 0.50, 0.86),
        (0.52, 0.48, 0.82),
        shade=0.72,
        blur=3,
        at_least=7.0,
        fade=1.0,
        say=("Good night.",),
        movers=(
            fixed(
                lambda: credit_card(
                    "THANK YOU",
                    (
                        "Photographs: Risto Saukonpää · Dmitri Popov · Sigi Sagi · Charles Barbin",
                        "Trevor Freespace · Peter Nerlich · Lukas Baubkus",
                        "Painting: Wyng Stancikaite",
                        "Licences: see CREDITS.md",
                    ),
                ),
                0.50,
                0.9,
            ),
        ),
    ),
]
