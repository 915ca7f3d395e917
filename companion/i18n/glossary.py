"""The words that players meet in the app, each with its meaning, as in `docs/glossary.md`."""

from __future__ import annotations

from companion.i18n.catalogue import gettext_noop

GLOSSARY: tuple[tuple[str, str], ...] = (
    (gettext_noop("answer"), gettext_noop("showing a 3 in return")),
    (gettext_noop("breach"), gettext_noop("a broken rule, with its id, citation and quote")),
    (gettext_noop("burn"), gettext_noop("taking the play pile out of the game")),
    (gettext_noop("burn pile"), gettext_noop("the cards that are out of the game")),
    (gettext_noop("correction"), gettext_noop("a person changes an event")),
    (
        gettext_noop("deal"),
        gettext_noop("the start: face-down cards, face-up cards on them, hands, draw pile"),
    ),
    (gettext_noop("deck"), gettext_noop("the printed design of your cards")),
    (gettext_noop("draw"), gettext_noop("taking cards from the draw pile")),
    (gettext_noop("draw pile"), gettext_noop("the face-down cards to draw from")),
    (gettext_noop("enrol"), gettext_noop("show a deck once, so that it is read better")),
    (gettext_noop("evening"), gettext_noop("the games of one night, with their ledger")),
    (gettext_noop("event"), gettext_noop("something that happened at the table: a play, a draw, a burn ...")),
    (
        gettext_noop("exchange"),
        gettext_noop("swapping hand cards and face-up cards before the first play"),
    ),
    (gettext_noop("flip"), gettext_noop("turning a face-down card onto the play pile")),
    (gettext_noop("hand"), gettext_noop("the cards that a player holds")),
    (gettext_noop("house variant"), gettext_noop("a file of your own that changes a ruleset")),
    (gettext_noop("late breach"), gettext_noop("a breach that a later event proves")),
    (gettext_noop("ledger"), gettext_noop("the losses and the owed songs of each player")),
    (
        gettext_noop("lost from sight"),
        gettext_noop("the cards or the camera have moved, and the game is being looked for"),
    ),
    (gettext_noop("option"), gettext_noop("a named switch of a ruleset for another reading of its text")),
    (gettext_noop("out"), gettext_noop("without cards, and so out of the game")),
    (gettext_noop("owed cards"), gettext_noop("cards that a player still has to draw")),
    (gettext_noop("pack"), gettext_noop("52 cards; some rulesets use two packs")),
    (gettext_noop("pick up"), gettext_noop("taking the play pile into the hand")),
    (gettext_noop("play pile"), gettext_noop("the open cards in the middle; the top one must be beaten")),
    (
        gettext_noop("quote"),
        gettext_noop("the sentence of the rules that decides, with at most 25 words"),
    ),
    (gettext_noop("ritual"), gettext_noop("what the loser owes, such as a song")),
    (gettext_noop("row"), gettext_noop("the face-up and face-down cards in front of one player")),
    (
        gettext_noop("show"),
        gettext_noop("holding a 3 out to another player, who must answer or pick up (Winnersh)"),
    ),
    (gettext_noop("set"), gettext_noop("several cards of one rank, played together")),
    (gettext_noop("Shithead"), gettext_noop("the last player with cards; the loser")),
    (gettext_noop("source"), gettext_noop("where frames come from")),
    (
        gettext_noop("unproven"),
        gettext_noop("hidden cards or a missed act decide the ruling; the app says *not proven*"),
    ),
)
"""Pairs of word and meaning, in English."""
