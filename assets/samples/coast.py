"""The first film: one day on foot from a pier to a peak. Its shots, sentences and signs."""

from __future__ import annotations

from film import DAYLIGHT, Light, Mover, Placed, Shot, View, fixed
from signs import (
    GREEN,
    RED,
    balloon,
    credit_card,
    departures,
    name_board,
    price_board,
    title_card,
    trail_marker,
    warning,
)

TITLE, TOPIC, PACE, CRF = "From Pier to Peak", "A day on foot from the sea to the mountains", 1.14, 29.5
LOMIRI, KDE, MATE = "lomiri-wallpapers-16.04", "plasma-workspace-wallpapers", "mate-backgrounds"
PHOTOS = {
    "deck": f"{KDE}:wallpapers/BytheWater/contents/images/2560x1600.jpg",
    "pier": f"{KDE}:wallpapers/ColdRipple/contents/images/2560x1600.jpg",
    "boats": f"{KDE}:wallpapers/EveningGlow/contents/images/2560x1600.jpg",
    "forest": f"{KDE}:wallpapers/Path/contents/images/2560x1600.jpg",
    "fog": f"{KDE}:wallpapers/DarkestHour/contents/images/2560x1600.jpg",
    "leaf": f"{KDE}:wallpapers/FallenLeaf/contents/images/2560x1600.jpg",
    "dusk": f"{KDE}:wallpapers/summer_1am/contents/images/2560x1600.jpg",
    "dune": f"{MATE}:backgrounds/mate/nature/Dune.jpg",
    "storm": f"{MATE}:backgrounds/mate/nature/Storm.jpg",
    "flower": f"{MATE}:backgrounds/mate/nature/Garden.jpg",
    "ladybird": f"{MATE}:backgrounds/mate/nature/LadyBird.jpg",
    "bridge": f"{LOMIRI}:backgrounds/Bridge_by_Sander_Klootwijk.jpg",
    "hills": f"{LOMIRI}:backgrounds/aitzgorri_by_Aitzol_Berasategi.jpg",
    "peak": f"{LOMIRI}:backgrounds/picosdeeuropa_by_Aitzol_Berasategi.jpg",
    "stream": f"{LOMIRI}:backgrounds/life_by_Aitzol_Berasategi.jpg",
    "seeds": f"{LOMIRI}:backgrounds/seeding_by_Clements_Engelhardt.jpg",
    "sunset": f"{LOMIRI}:backgrounds/sunset_by_Aitzol_Berasategi.jpg",
    "dogs": f"{LOMIRI}:backgrounds/friends_by_Aitzol_Berasategi.jpg",
}


def marker(number: str, photo: str, view: View, ratio: float = 0.625) -> Shot:
    """The returning trail marker, alone before a blurred piece of the place that comes next."""
    x, y, w = view
    sign = Placed(lambda: trail_marker(number), x, y - 0.245 * w / ratio, 0.60)
    return Shot(
        f"marker{number}", photo, view, (x, y - 0.01 * w, w * 0.96), signs=(sign,), at_least=5.2, bed="wind", blur=9
    )


def flying(
    start: tuple[float, float], end: tuple[float, float], widths: tuple[float, float], light: Light = DAYLIGHT
) -> Mover:
    return Mover(lambda: balloon(RED), start, end, widths, 0.008, light)


SHOTS = [
    Shot(
        "title",
        "deck",
        (0.52, 0.46, 0.86),
        (0.48, 0.50, 0.80),
        bed="sea",
        blur=0.6,
        shade=0.22,
        lead=1.2,
        say=("Good morning.", "Today I am walking from the sea to the mountains, in one single day.", "Come with me!"),
        movers=(fixed(lambda: title_card("FROM PIER TO PEAK", "A DAY ON FOOT"), 0.46, 0.86),),
    ),
    Shot(
        "pier",
        "pier",
        (0.54, 0.46, 0.92),
        (0.52, 0.50, 0.84),
        bed="sea",
        blur=0.4,
        say=(
            "We start at the old pier.",
            "The morning boat is late, because there is thick fog on the water.",
            "So I sit down and drink a cup of tea.",
        ),
        signs=(
            Placed(
                lambda: departures("HARBOUR PIER", (("MORNING BOAT", "7:15"),), "NOW EXPECTED 7:55"),
                0.70,
                0.17,
                0.44,
                (0.92, 0.94, 0.98),
            ),
        ),
    ),
    Shot(
        "crossing",
        "fog",
        (0.56, 0.62, 0.80),
        (0.46, 0.60, 0.86),
        bed="sea",
        fade=0.8,
        say=(
            "Soon the boat comes, and we are on our way.",
            "The water is as flat as a mirror.",
            "Nobody on board says a word.",
        ),
        tail=1.6,
    ),
    marker("2", "deck", (0.5, 0.40, 0.62)),
    Shot(
        "dunes",
        "dune",
        (0.44, 0.48, 0.86),
        (0.56, 0.48, 0.86),
        bed="wind",
        blur=0.8,
        say=(
            "Here are the dunes, and there is a balloon over the grass.",
            "This is the quietest place of the whole day.",
            "You hear nothing but the wind.",
        ),
        movers=(flying((0.14, 0.34), (0.40, 0.24), (0.13, 0.12)),),
        tail=1.6,
    ),
    marker("5", "bridge", (0.30, 0.45, 0.55), 0.5625),
    Shot(
        "bridge",
        "bridge",
        (0.42, 0.44, 0.80),
        (0.56, 0.46, 0.80),
        bed="wind",
        say=(
            "Now we cross the long bridge.",
            "It took six years to build.",
            "Half way over, a strong wind takes my hat, and it falls into the river.",
            "I will never see that hat again.",
        ),
        signs=(Placed(lambda: name_board(("LONG BRIDGE", "BUILT IN 1931"), GREEN), 0.38, 0.46, 0.42),),
    ),
    Shot(
        "cafe",
        "dogs",
        (0.50, 0.40, 1.0),
        (0.50, 0.47, 1.0),
        bed="room",
        crop=(0.0, 0.12, 1.0, 0.80),
        say=(
            "At noon we stop at a small café.",
            "Two dogs look out of the window, and they want my lunch.",
            "I order the pie, and it is still warm.",
        ),
        signs=(
            Placed(
                lambda: price_board("LUNCH", (("SOUP", "6.50"), ("PIE", "4.20"), ("SALAD", "5.80"))), 0.79, 0.31, 0.37
            ),
        ),
        tail=1.6,
    ),
    marker("9", "ladybird", (0.30, 0.62, 0.55)),
    Shot(
        "garden",
        "flower",
        (0.45, 0.52, 0.86),
        (0.50, 0.50, 0.82),
        bed="leaves",
        say=(
            "Behind the café there is a garden full of flowers.",
            "The gardener sells honey.",
            "She says that the secret is the mountain air.",
        ),
        signs=(Placed(lambda: price_board("GARDEN SHOP", (("HONEY JAR", "7.90"),), True), 0.31, 0.56, 0.46),),
    ),
    Shot(
        "insect",
        "ladybird",
        (0.60, 0.44, 0.80),
        (0.58, 0.50, 0.70),
        bed="leaves",
        say=(
            "Among the blue flowers, somebody else is climbing today.",
            "This little traveller has only one green stalk to climb.",
        ),
    ),
    Shot(
        "meadow",
        "seeds",
        (0.36, 0.56, 0.80),
        (0.50, 0.56, 0.84),
        bed="wind",
        blur=0.4,
        say=("The path goes on through a meadow.", "My feet are tired already, but we are only half way."),
        tail=1.4,
    ),
    Shot(
        "storm",
        "storm",
        (0.44, 0.50, 0.86),
        (0.58, 0.48, 0.86),
        bed="rain",
        fade=0.8,
        say=(
            "Then the sky turns dark.",
            "Because of the storm, we wait for half an hour in a wooden hut.",
            "I have no umbrella, but I have a warm cup of tea.",
        ),
    ),
    marker("14", "forest", (0.64, 0.45, 0.55)),
    Shot(
        "forest",
        "forest",
        (0.42, 0.52, 0.84),
        (0.52, 0.50, 0.80),
        bed="leaves",
        blur=1.0,
        say=(
            "Now we are in the deep forest.",
            "A fallen tree lies across the short path, so we must take the long way round.",
        ),
        signs=(Placed(lambda: warning(("RIGHT PATH", "CLOSED")), 0.62, 0.48, 0.42, (0.86, 0.9, 0.86)),),
    ),
    Shot(
        "leaves",
        "leaf",
        (0.44, 0.52, 0.82),
        (0.56, 0.54, 0.82),
        bed="leaves",
        say=("The ground is covered with golden leaves.", "I put one of them into my book."),
        tail=1.4,
    ),
    Shot(
        "stream",
        "stream",
        (0.50, 0.42, 0.80),
        (0.50, 0.58, 0.80),
        bed="brook",
        blur=1.0,
        say=(
            "We follow a little stream.",
            "Of all the places today, I like this stream best.",
            "The water is cold and clear, and I fill my bottle.",
        ),
        tail=1.4,
    ),
    Shot(
        "hills",
        "hills",
        (0.42, 0.50, 0.84),
        (0.56, 0.48, 0.84),
        bed="wind",
        blur=0.8,
        say=(
            "We leave the forest, and look, the balloon is back.",
            "It flies over the hills, much faster than we can walk.",
        ),
        movers=(flying((0.80, 0.26), (0.50, 0.20), (0.10, 0.12)),),
        tail=1.4,
    ),
    marker("19", "peak", (0.62, 0.60, 0.55), 0.75),
    Shot(
        "peak",
        "peak",
        (0.46, 0.52, 0.86),
        (0.54, 0.46, 0.82),
        bed="wind",
        blur=0.7,
        say=(
            "At last, the peak!",
            "From here we have the best view of the day.",
            "I take a photograph with my old camera.",
        ),
        signs=(Placed(lambda: name_board(("HIGH PEAK", "1840 METRES"), (120, 30, 30)), 0.34, 0.48, 0.38),),
        tail=1.6,
    ),
    Shot(
        "sunset",
        "sunset",
        (0.48, 0.50, 0.88),
        (0.52, 0.46, 0.82),
        bed="wind",
        blur=0.7,
        fade=0.8,
        say=("The sun goes down behind the hills.", "The air is cold now, so I drink my last cup of tea."),
        tail=1.4,
    ),
    Shot(
        "lake",
        "boats",
        (0.42, 0.52, 0.82),
        (0.58, 0.52, 0.82),
        bed="sea",
        blur=0.6,
        say=(
            "A bus takes us down into the valley, to a quiet lake.",
            "It is an old bus with a broken heater.",
            "The boats are sleeping on the beach.",
        ),
        signs=(
            Placed(
                lambda: price_board("BOAT HIRE", (("ONE HOUR", "15.00"),), True), 0.63, 0.58, 0.42, (0.86, 0.76, 0.70)
            ),
        ),
    ),
    Shot(
        "night",
        "dusk",
        (0.46, 0.52, 0.88),
        (0.54, 0.50, 0.88),
        bed="sea",
        say=(
            "And there, over the still water, is the balloon, for the last time.",
            "Good night, and thank you for walking with me.",
        ),
        movers=(flying((0.24, 0.38), (0.52, 0.20), (0.12, 0.08), light=(0.86, 0.80, 0.86)),),
        tail=1.6,
    ),
    Shot(
        "end",
        "dusk",
        (0.54, 0.50, 0.90),
        (0.54, 0.50, 0.94),
        bed="sea",
        shade=0.45,
        at_least=5.5,
        fade=1.0,
        movers=(
            fixed(
                lambda: credit_card(
                    "THANK YOU",
                    (
                        "Photographs: Risto Saukonpää · Maciej Wiklo · Ian Hex · Martin Klapetek",
                        "Aitzol Berasategi · Sander Klootwijk · Clemens Engelhardt",
                        "Charles Barbin · Marco Cogoni · Hylke Bons · Sergey Nazarov",
                        "Licences: see CREDITS.md",
                    ),
                ),
                0.50,
                0.9,
            ),
        ),
    ),
]
