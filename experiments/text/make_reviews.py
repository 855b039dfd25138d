"""Makes reviews.csv: 1000 invented reviews, each praise or complaint.

A quarter of the opinions is negated ("not good"), so that the words alone mislead.
"""
import csv
import pathlib
import random

THINGS = ["soup", "room", "film", "bicycle", "train", "garden", "coffee", "lamp", "coat", "guide"]
GOOD = ["good", "lovely", "excellent", "pleasant", "splendid", "fine"]
BAD = ["bad", "awful", "poor", "dreadful", "tedious", "broken"]
FRAMES = ["the {t} was {o}", "I found the {t} {o}", "a {t} that is {o}, I must say",
          "{o}, that is my word on the {t}", "my {t}, bought in May, is {o}"]
DEGREES = ["", "", "very ", "quite ", "really "]


def review(draw, praise):
    negated = draw.random() < 0.25
    opinion = draw.choice(GOOD if praise != negated else BAD)
    opinion = ("not " if negated else "") + draw.choice(DEGREES) + opinion
    return draw.choice(FRAMES).format(t=draw.choice(THINGS), o=opinion)


def main():
    draw = random.Random(1)
    with open(pathlib.Path(__file__).with_name("reviews.csv"), "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["text", "label"])
        for number in range(1000):
            praise = number % 2 == 0
            out.writerow([review(draw, praise), "praise" if praise else "complaint"])


main()
