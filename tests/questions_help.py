"""What the tests of questions and of answers draw choices from."""

THINGS = [
    "a red kite",
    "the old bridge",
    "two horses",
    "a tall ship",
    "the market",
    "a violin",
    "an oak tree",
    "snow",
    "the lighthouse",
    "a map",
]
