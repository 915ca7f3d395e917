"""The table screen: the live picture, the ruling, the turn, the players, the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.lang import Builder
from kivy.metrics import Metrics, dp
from kivy.properties import BooleanProperty, ListProperty, NumericProperty, StringProperty
from kivy.uix.floatlayout import FloatLayout

from companion.app.screens import (
    choices,  # noqa: F401 - the kv file names their widgets
    live,  # noqa: F401 - the kv file names their widgets
    panels,  # noqa: F401 - the kv file names their widgets
    question,  # noqa: F401 - the kv file names their widgets
    ring,  # noqa: F401 - the kv file names their widgets
)
from companion.app.screens.arrangement import (
    Box,
    around_table,
    arrange,
    beside_question,
    under_ruling,
)
from companion.app.screens.clip import ClipView
from companion.app.screens.correct import CorrectSheet, open_correct_sheet
from companion.app.screens.keys import card_key
from companion.app.screens.large import LargeView
from companion.app.screens.places import DragPlaces, PlacesView, TapPlaces
from companion.app.screens.player_sheet import PlayerSheet
from companion.app.screens.widgets import close, let_go, signed
from companion.game.consequences import consequence_rule
from companion.game.display_image import display_width
from companion.game.entry import likely_cards, likely_source, shown_rank, uses_jokers
from companion.game.places import JOINING_S
from companion.game.ruling_views import line_to_correct, newest_ruling, ruling_of, verdict_of
from companion.game.session import Session, Snapshot
from companion.game.setup import GameSetup
from companion.i18n.catalogue import _
from engine.cards import SUITS
from engine.errors import BadInputError
from vision.table.manual_layout import TappedPlaces

_UNANSWERED = 2
"""Answers of the session after tapped places within which their layout is expected."""


def _drag_piles() -> str:
    """Return the request to put the piles right: a burn pile must not pass for the play pile."""
    return _("Is that right? Burned cards are not the play pile. Drag each name to its place.")


class TableScreen(FloatLayout):
    """Shows a session, and passes on the players' requests."""

    paused = BooleanProperty(False)
    over = BooleanProperty(False)
    """Whether the game has ended, so that the next one can begin."""
    stopped = BooleanProperty(False)
    """Whether the source has failed or ended, so that only the form is left."""
    failed = BooleanProperty(False)
    """Whether the source has failed, so that another one is asked for."""
    redoes = NumericProperty(0)
    """Number of events that can be redone."""
    prompt = StringProperty("")
    """Instruction to players who enter events while it is nobody's turn."""
    hint = StringProperty("")
    """Task of a practice game. It takes the place of the button for the next turn."""
    watches = BooleanProperty(True)
    """Whether there is a camera or a film. Otherwise people enter the events."""

    draws = BooleanProperty(False)
    """Whether the table is drawn, with the players around it, in place of a picture."""
    middle = ListProperty([0, 0, 1, 1])
    """Position and size of the drawn table's middle, or of all that stands in place of the picture."""

    joining_s = NumericProperty(JOINING_S)
    """Seconds of pictures without a deal after which the banner asks whether a game is going on."""
    demonstrates = BooleanProperty(False)
    """Whether the sample film is shown, with a line that says so."""

    def __init__(self, session: Session, **kwargs: Any) -> None:
        self.session = session
        self.sheet: CorrectSheet | None = None
        self.player_sheet: PlayerSheet | None = None
        self.on_next: Callable[[], object] | None = None
        """Called for the next game; None: the app asks for it in the form."""
        self.settles = True
        """Whether the players are asked what they do about a breach."""
        self.large: LargeView | None = None
        self.clip: ClipView | None = None
        self.places: PlacesView | None = None
        """The view for correcting or tapping the layout, while it is open."""
        super().__init__(watches=session.watches, **kwargs)
        if self.watches:
            let_go(self.ids.by_hand)
            self.remove_widget(self.ids.by_hand)
        self._serials = (-1, -1)
        self._game = session.snapshot.game
        self._said, self._phase = ("", 0), ""
        self._players = 4
        self._pictures_since: float | None = None
        """When the first picture came, by `time.monotonic`."""
        self._is_joining = False
        """Whether no deal has been seen for so long that a game may be going on."""
        self._layout_before: tuple[int, object] | None = None
        """The session's answers and its layout when places were tapped that are not confirmed yet."""
        self.ids.log.on_choose = self.open_event
        self.ids.question.on_answer, self.ids.question.on_other = session.correct, self.open_event
        self.ids.question.on_where = self.show_where if session.watches else None
        self.ids.players.on_choose = self.open_player
        self.ids.banner.bind(on_release=lambda banner: self._tap_banner(int(banner.event_id)))
        self._arrange = Clock.create_trigger(self.place_panels, -1)
        self.bind(size=self._arrange, pos=self._arrange)
        self.ids.question.bind(asks=self._arrange)
        self.ids.choices.on_choose, self.ids.choices.on_show = session.settle, self.show_clip
        self.ids.choices.bind(event_id=self._arrange)

    def refresh(self, _dt: float = 0.0) -> None:
        """Show the session's newest state. That is cheap if nothing is new."""
        picture, snapshot = self.session.picture, self.session.snapshot
        picture_serial, snapshot_serial = self._serials
        if picture is not None and picture.serial != picture_serial:
            self.ids.live.show_picture(picture)
            self._pictures_since = self._pictures_since or time.monotonic()
        may_join = self._may_be_joining(snapshot)
        if snapshot.version != snapshot_serial or may_join != self._is_joining:
            self._is_joining = may_join
            self._show(snapshot)
        if self.places is not None:
            self.places.show(picture, snapshot)
        self._serials = (picture.serial if picture is not None else -1, snapshot.version)

    def undo(self) -> None:
        """Remove the last event."""
        self.session.undo()

    def redo(self) -> None:
        """Put back the event that was undone last."""
        self.session.redo()

    def toggle_pause(self) -> None:
        """Pause or go on. After the game or its source, open the form instead."""
        if self.over or self.stopped or self.hint:
            (self.on_next or App.get_running_app().new_game)()
        else:
            self.session.pause(not self.paused)

    def enlarge(self) -> None:
        """Show the large-type view."""
        self.large = LargeView(watched=self.watches)
        self.large.show(self.session.snapshot)
        self.large.bind(on_dismiss=lambda *_args: setattr(self, "large", None))
        self.large.open()

    def open_places(self) -> None:
        """Open the view in which the layout can be corrected."""
        self._over_picture(DragPlaces(self.session.move_place))

    def show_where(self) -> None:
        """Ask for the rows and the draw pile by taps, because no deal was recognised or the game was lost.

        If they are known, as in a game that was joined, ask where the other piles are.
        """
        if self.session.snapshot.layout is not None:
            self._over_picture(DragPlaces(self.session.move_place, _drag_piles()))
        elif self.session.snapshot.table is not None:
            self._over_picture(TapPlaces(self.session.snapshot.table.players, self._take_places))

    def _take_places(self, shown: TappedPlaces) -> None:
        """Pass on tapped places, and ask for confirmation once the layout is known."""
        self._layout_before = self.session.snapshot.requests_done, self.session.snapshot.layout
        self.session.set_layout(shown)

    def _confirm_places(self, snapshot: Snapshot) -> None:
        """Show the piles that follow from tapped rows: a burn pile must not pass for the play pile."""
        if self._layout_before is None or self.places is not None:
            return
        answers, layout = self._layout_before
        if snapshot.layout is not None and snapshot.layout is not layout:
            self._layout_before = None
            self._over_picture(DragPlaces(self.session.move_place, _drag_piles()))
        elif snapshot.requests_done > answers + _UNANSWERED:  # the places were refused
            self._layout_before = None

    def _may_be_joining(self, snapshot: Snapshot) -> bool:
        """Return whether a camera has shown no deal for a while, so that a game may be going on."""
        setup = self._setup
        watched = self.watches and snapshot.phase == "watching" and snapshot.game == 1
        if not watched or self._pictures_since is None or (setup is not None and setup.is_film):
            return False
        unseen = snapshot.layout is None and not snapshot.lines and snapshot.table is not None
        return unseen and time.monotonic() - self._pictures_since > self.joining_s

    def _tap_banner(self, event_id: int) -> None:
        if self._is_joining:
            self.show_where()
        else:
            self.open_event(event_id)

    def _over_picture(self, view: PlacesView) -> None:
        """Open a view with a larger picture than the table's."""
        self.places = view
        view.bind(on_dismiss=self._places_done)
        view.ids.live.bind(width=self._widen)
        view.show(self.session.picture, self.session.snapshot)
        view.open()

    def _widen(self, _live: object, width: float) -> None:
        self.session.picture_width = display_width(width)

    def _places_done(self, *_args: object) -> None:
        self.places = None
        self._arrange()

    def open_player(self, player: str) -> None:
        """Open the sheet to enter what `player` did."""
        snapshot = self.session.snapshot
        if snapshot.table is None:
            return
        players = list(snapshot.table.players)
        here = players.index(player)
        self.player_sheet = PlayerSheet(
            player,
            [*players[here + 1 :], *players[:here]],
            snapshot.lines,
            face_up=len(snapshot.table.up.get(player) or ()),
            pile=len(snapshot.table.pile),
            likely=likely_cards(snapshot.table, player),
            source=likely_source(snapshot.table, player),
            playable=snapshot.table.playable_ranks if player == snapshot.table.turn else None,
            jokers=self._jokers(),
            shown=self._shown(),
            on_enter=self.session.enter,
            on_correct=self.session.correct,
        )
        self.player_sheet.open()

    def enter_next(self) -> None:
        """Open the sheet of the player whose turn it is."""
        table = self.session.snapshot.table
        if table is not None and table.turn is not None:
            self.open_player(table.turn)

    def take_key(self, key: int) -> bool:
        """Open the sheet of the player to play at the key of a rank, and enter it. Return whether it was one.

        Only people who enter the events by hand need that.
        """
        card = card_key(key)
        if self.watches or card is None or card in SUITS:
            return False
        before = self.player_sheet
        self.enter_next()
        if self.player_sheet is not None and self.player_sheet is not before:
            self.player_sheet.pad.tap(card)
        return True

    def show_clip(self, event_id: int) -> None:
        """Show the last seconds before a ruling again."""
        clip = self.session.clips.clip(event_id)
        if clip is not None:
            self.clip = ClipView(clip)
            self.clip.open()

    @property
    def _setup(self) -> GameSetup | None:
        setup: GameSetup | None = self.session.setup or App.get_running_app().setup
        return setup

    def _jokers(self) -> bool:
        setup, table = self._setup, self.session.snapshot.table
        return setup is not None and uses_jokers(setup.rules, setup.options, len(table.players))

    def _shown(self) -> str | None:
        setup = self._setup
        if setup is None:
            return None
        try:
            return shown_rank(setup.rules, setup.options)
        except BadInputError:  # a house variant whose file is gone
            return None

    def open_event(self, event_id: int) -> None:
        """Open the sheet that corrects an event."""
        line = line_to_correct(self.session.snapshot.lines, event_id)
        if line is None:
            return
        number = int(line["id"])
        has_clip = self.session.clips.clip(number) is not None
        self.sheet = open_correct_sheet(
            line, self.session, on_show=(lambda: self.show_clip(number)) if has_clip else None
        )

    def _show(self, snapshot: Snapshot) -> None:
        ids = self.ids
        if snapshot.game != self._game:
            close(self.sheet, self.player_sheet)  # their answers would concern the game before
        self._game = snapshot.game
        self.failed = snapshot.phase == "failed"
        self.paused, self.stopped = snapshot.phase == "paused", snapshot.phase in ("failed", "ended")
        self._show_phase(snapshot)
        self.over = snapshot.table is not None and bool(snapshot.table.loser)
        may_pause = self.watches and snapshot.phase in ("watching", "paused")
        ids.pause.disabled = not (self.hint or self.over or self.stopped or may_pause)
        new = (snapshot.says, snapshot.requests_done) != self._said
        if snapshot.says and new and not self.hint and snapshot.says != ids.phase.full_text:
            ids.toast.say(snapshot.says)
        self._said = snapshot.says, snapshot.requests_done
        judged = newest_ruling(snapshot.lines)
        if snapshot.lost:
            ids.banner.show_plain(
                _("Lost track"),
                _("The cards or the camera have moved. This is from before."),
            )
        elif judged is not None:
            ids.banner.show(judged, snapshot.table)
        elif snapshot.phase == "watching":
            ids.banner.show_plain(*self._before_a_ruling(snapshot))
        ids.live.show_readings(
            snapshot.readings,
            judged=tuple(judged.get("cards") or ()) if judged else (),
            verdict=verdict_of(ruling_of(judged) if judged else None),
            moving=snapshot.moving,
        )
        self._confirm_places(snapshot)
        ids.log.show(snapshot.lines)
        setup = self._setup
        rule = None if setup is None else consequence_rule(setup.rules, setup.options)
        if self.settles:
            ids.choices.show(snapshot, rule, clip_of=self.session.clips.clip)
        ids.question.show(snapshot.lines, followed=snapshot.layout is not None and not snapshot.lost)
        self.redoes = snapshot.redoes
        ids.undo.disabled = not snapshot.lines or self.failed  # nobody would carry it out
        if snapshot.table is not None:
            self._show_table(snapshot)
        if self.large is not None:
            self.large.show(snapshot)

    def _before_a_ruling(self, snapshot: Snapshot) -> tuple[str, str]:
        """Return word and sentence of the banner before the first ruling."""
        if self._is_joining:
            return _("Waiting for the deal"), _("Is a game going on? Tap here and show where the cards lie.")
        coming = _("Rulings appear here.")
        if snapshot.game == 1:
            return _("Watching") if self.watches else _("By touch"), coming
        dealer = snapshot.table.dealer
        return _("New game"), f"{_('{player} deals.').format(player=dealer)} {coming}" if dealer else coming

    def _show_phase(self, snapshot: Snapshot) -> None:
        """Show over the picture why it stands still. This text stays, unlike a toast."""
        if snapshot.phase == "opening" or snapshot.phase != self._phase:
            why = _("Paused") if self.paused else snapshot.says
            self.ids.phase.full_text = "" if snapshot.phase == "watching" else why
        self._phase = snapshot.phase

    def _show_table(self, snapshot: Snapshot) -> None:
        self.ids.turn.show(snapshot.table, watched=self.watches, awaits_deal=snapshot.awaits_deal)
        self.ids.ring.show(snapshot.table)
        if not self.watches:
            self._name_next(snapshot.table.turn)
            self._show_pile()
        self.ids.players.show(snapshot.table, snapshot.lines)
        if len(snapshot.table.players) != self._players:
            self._players = len(snapshot.table.players)
            self._arrange()

    def _name_next(self, turn: str | None) -> None:
        self.prompt = "" if turn else _("Game over") if self.over else _("Tap the player who begins")
        self.ids.next.text = signed(_("Enter {player}’s turn").format(player=turn)) if turn else ""

    def _show_pile(self) -> None:
        """Show the pile in the middle of a table that is drawn, unless a text stands there."""
        table = self.session.snapshot.table
        if self.watches or table is None:
            return
        self.ids.fan.show(table.pile if self.draws and not (self.prompt or self.hint) else ())

    def place_panels(self, *_args: object) -> None:
        """Lay out the panels and set the design unit."""
        app = App.get_running_app()
        if app is None:
            return  # a delayed call after the app was stopped
        plan = arrange(self.width, self.height, dp(1), self._players, Metrics.fontscale, watched=self.watches)
        app.u = plan.unit
        for panel in (self.ids.banner, self.ids.turn):
            panel.crowded, panel.main_unit = plan.crowded, plan.main_unit
        self.ids.players.crowded = plan.crowded
        self.ids.players.around, self.ids.players.in_one_row = plan.around, plan.in_one_row
        self.session.picture_width = display_width(plan.live.width)
        boxes, asking = plan.panels, self.ids.question
        boxes["question"] = Box(plan.live.x, plan.live.y, 0, 0)
        boxes["choices"] = Box(plan.banner.x, plan.banner.y, 0, 0)
        if self.ids.choices.event_id:
            boxes["live"], boxes["banner"], boxes["choices"] = under_ruling(
                plan.live,
                plan.banner,
                plan.unit,
                dp(1),
                quoted=bool(self.ids.choices.rule),
                asked=bool(asking.asks),
            )
        picture, question_box = beside_question(boxes["live"], plan.unit, dp(1))
        # Beside a demonstration's picture there is no room for both lines. Its questions stand in the log.
        if asking.asks and not (self.demonstrates and picture.width < plan.live.width):
            boxes["live"], boxes["question"] = picture, question_box
        asking.beside = boxes["live"].width < plan.live.width
        middle = boxes["live"]
        if plan.around:
            boxes["players"] = boxes["live"]
            _seats, middle = around_table(boxes["live"], plan.unit, self._players)
        self.draws = plan.around
        self.middle = [self.x + middle.x, self.y + middle.y, middle.width, middle.height]
        self._show_pile()
        for name, box in boxes.items():
            panel = self.ids[name]
            panel.size_hint = (None, None)
            panel.pos, panel.size = (self.x + box.x, self.y + box.y), (box.width, box.height)
        self.ids.log.opacity = 1 if plan.log.height else 0
        self._place_toast(boxes["live"], boxes["turn"], plan.unit)

    def _place_toast(self, over: Box, instead: Box, unit: float) -> None:
        """Place the toast over the picture, or `instead` if it would cover a button there."""
        gap, toast = 4 * unit, self.ids.toast
        narrow, room, least = self.ids.question.beside, over.height - 2 * gap, 44 * unit
        if not self.watches and not self.ids.next.disabled:
            room -= self.ids.next.top - self.ids.live.y
        if room < least and not self.watches:
            narrow, over = False, instead
        toast.lines, toast.padding = (6, (6 * unit, 0)) if narrow else (3, (16 * unit, 0))
        toast.size = over.width - 2 * gap, min(88 * unit, room) if narrow else least
        toast.pos = self.x + over.x + gap, self.y + over.y + over.height - toast.height - gap


Builder.load_file(str(Path(__file__).with_suffix(".kv")))
