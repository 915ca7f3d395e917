"use strict";
// One page for every phone at the table: it films, or it shows the game. No framework; old phones run it too.

const $ = (id) => document.getElementById(id);
const TEXTS = JSON.parse($("texts").textContent);
const LANGUAGE = (navigator.language || "en").slice(0, 2) === "de" ? "de" : "en";
const OVERLAY = new URLSearchParams(location.search).get("overlay") === "1";
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const MAX_IN_FLIGHT = 2, HELLO_AGAIN_MS = [500, 1000, 2000, 4000];
const SILENT_MS = 12000, POLL_MS = 30000;  // the server says something every few seconds

function t(text, facts) {
  let said = (TEXTS[LANGUAGE] || {})[text] || text;
  for (const name in facts || {}) said = said.split("{" + name + "}").join(facts[name]);
  return said;
}

function make(tag, fields, ...children) {
  const made = document.createElement(tag);
  for (const name in fields || {}) {
    if (name === "onclick") made.addEventListener("click", fields[name]);
    else if (name in made && name !== "list") made[name] = fields[name];
    else made.setAttribute(name, fields[name]);
  }
  made.append(...children);
  return made;
}

function kept(store, name, fresh) {
  try {
    if (!store.getItem(name) && fresh) store.setItem(name, fresh());
    return store.getItem(name) || "";
  } catch (error) {  // a private window may keep nothing
    return fresh ? fresh() : "";
  }
}

const randomId = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
const me = {
  id: kept(sessionStorage, "shithead.phone", randomId),
  name: kept(localStorage, "shithead.name"),
  role: "view",
  number: 0,
};
const state = { phase: "none", table: null, ruling: null, questions: [], log: [], ledger: [], people: [], camera: { state: "none" }, sight: null };
let tab = "table", toastTimer = 0, askedForName = false;

function toast(says) {
  $("toast").textContent = says;
  $("toast").classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $("toast").classList.remove("on"), 6000);
}

// ---- the connection: a WebSocket, or posts where the browser refuses one -------------------------------

const link = {
  socket: null, session: null, posts: false, failures: 0, refused: 0, ended: false, inFlight: 0, timer: 0, heard: 0,

  connect() {
    clearTimeout(this.timer);
    if (this.ended) return;
    this.inFlight = 0;
    if (this.posts) this.startPolling();
    else this.openSocket();
  },

  openSocket() {
    const socket = new WebSocket(location.origin.replace(/^http/, "ws") + location.pathname + "ws");
    let opened = false;
    this.socket = socket;
    this.heard = performance.now();
    socket.onopen = () => { opened = true; socket.send(JSON.stringify(this.hello())); };
    socket.onmessage = (event) => { if (this.socket === socket) this.receive(JSON.parse(event.data)); };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.refused = opened ? 0 : this.refused + 1;
      this.lost();
    };
  },

  hello: () => ({ type: "hello", phone: me.id, name: me.name, language: LANGUAGE }),

  async lost() {
    if (this.ended) return;
    this.session = null;
    showLost(true);
    // Safari refuses a WebSocket to a certificate that it does not know, but posts to the same server.
    if (this.refused >= 2 && !this.posts) {
      try { this.posts = (await fetch("style.css", { cache: "no-store" })).ok; } catch (error) { this.posts = false; }
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), HELLO_AGAIN_MS[Math.min(this.failures++, HELLO_AGAIN_MS.length - 1)]);
  },

  soon() {  // the network is back, or the person is
    if (!this.socket && !this.session && !this.ended) { this.failures = 0; this.connect(); }
  },

  async post(path, body, headers) {
    const ending = window.AbortController ? new AbortController() : null;
    const timer = ending && setTimeout(() => ending.abort(), POLL_MS);
    const answer = await fetch(path, { method: "POST", body, headers: Object.assign({ "X-Session": this.session || "" }, headers), cache: "no-store", signal: ending ? ending.signal : undefined });
    clearTimeout(timer);
    const content = await answer.json().catch(() => ({}));
    if (!answer.ok) throw Object.assign(new Error(content.says || answer.statusText), { status: answer.status });
    return content;
  },

  async startPolling() {
    try {
      const session = (await this.post("hello", JSON.stringify(this.hello()))).session;
      this.session = session;
      while (this.session === session) {
        const answer = await this.post("poll", "");
        for (const message of answer.messages) this.receive(message);
      }
    } catch (error) {
      this.lost();
    }
  },

  send(message) {
    if (this.socket && this.socket.readyState === 1) this.socket.send(JSON.stringify(message));
    else if (this.session) this.post("message", JSON.stringify(message)).catch((error) => toast(error.message));
    else toast(t("Not connected. Trying again …"));
  },

  get ready() {
    return this.inFlight < MAX_IN_FLIGHT && ((this.socket && this.socket.readyState === 1) || this.session);
  },

  async sendFrame(blob, taken) {
    this.inFlight++;
    if (this.socket) {
      const header = new ArrayBuffer(8);
      new DataView(header).setFloat64(0, taken, true);
      this.socket.send(new Blob([header, blob]));
      return;  // the server answers each picture
    }
    try { await this.post("frame", blob, { "X-Taken": String(taken), "Content-Type": "image/jpeg" }); } catch (error) { /* lost() follows */ }
    this.inFlight = Math.max(0, this.inFlight - 1);
  },

  watch() {  // a dead network closes nothing by itself
    if (!this.socket || performance.now() - this.heard < SILENT_MS) return;
    const dead = this.socket;
    this.socket = null;
    dead.close();
    this.lost();
  },

  receive(message) {
    this.heard = performance.now();
    switch (message.type) {
      case "got": this.inFlight = Math.max(0, this.inFlight - 1); break;
      case "clock": this.send({ type: "clock", asked: message.asked, now: performance.now() / 1000 }); break;
      case "welcome":
        Object.assign(me, { role: message.role, number: message.number });
        this.failures = 0;
        showLost(false);
        camera.wants(message);
        if (message.films) camera.resume();
        else if (camera.stream) camera.taken("");
        show(["me", "film"]);
        break;
      case "state":
        delete message.type;
        Object.assign(state, message);
        show(Object.keys(message));
        break;
      case "refused": toast(message.says); break;
      case "corrected":
        if (!message.own) toast(t("{name} corrected an event.", { name: message.name }));
        closeSheet("fix", message.event);
        break;
      case "camera-yours": camera.wants(message); camera.begin(); break;
      case "camera-asked": toast(t("Asking the phone that films …")); break;
      case "camera-denied": camera.stop(); break;
      case "camera-taken": camera.taken(message.name); break;
      case "camera-left": camera.stop(); break;
      case "asked-for-camera": askForCamera(message.name); break;
      case "asking-ended": closeSheet("handover"); break;
      case "dropped":
        if (message.says) { this.ended = true; showLost(true, message.says); }
        break;
    }
  },
};

function showLost(lost, why) {
  const line = $("lost");
  line.hidden = !lost;
  if (!lost) return;
  line.textContent = why || t("Not connected. Trying again …");
  if (why) line.append(" ", make("button", { textContent: t("Connect again"), onclick: () => { link.ended = false; link.failures = 0; link.connect(); } }));
}

// ---- the screen ----------------------------------------------------------------------------------------

function cardTile(card, tag, fields) {
  const rank = card === "??" ? "?" : card === "JOKER" ? "★" : SUITS[card.slice(-1)] ? card.slice(0, -1) : card;
  const suit = card === "??" || card === "JOKER" ? "" : SUITS[card.slice(-1)] || "";
  const tile = make(tag || "span", fields, rank, make("i", { textContent: suit }));
  tile.className = "card" + (suit === "♥" || suit === "♦" ? " red" : "");
  return tile;
}

const label = (card) => (card === "??" ? "?" : card === "JOKER" ? t("Joker") : SUITS[card.slice(-1)] ? card.slice(0, -1) + SUITS[card.slice(-1)] : card);

function show(names) {
  const changed = new Set(names);
  if (changed.has("camera") || changed.has("people")) showCamera();
  if (changed.has("ruling")) showRuling();
  if (changed.has("questions")) showQuestions();
  if (changed.has("table") || changed.has("phase")) showTable();
  if (changed.has("log")) showLog();
  if (changed.has("ledger")) showLedger();
  if (changed.has("sight")) camera.showSight();
  if (changed.has("me")) $("me").textContent = me.name || t("Phone {n}", { n: me.number });
  $("film").hidden = me.role !== "film" || !navigator.mediaDevices;
  $("film").textContent = camera.stream ? t("Back to the camera") : state.camera.state === "none" ? t("Film the table with this phone") : t("Film with this phone instead");
}

function showCamera() {
  const { state: what, name, fault } = state.camera;
  const says = {
    none: t("No phone films"), films: t("{name} films", { name }), silent: t("{name} sends no picture", { name }),
    away: t("{name} is busy, with a call for example", { name }), lost: t("{name} is not connected", { name }),
  }[what];
  $("camera-state").textContent = "● " + (fault || says) + " · " + t("Screens: {n}", { n: state.people.length });
  $("camera-state").className = what === "films" && !fault ? "films" : what === "none" ? "" : "bad";
  camera.showSight();
}

function showRuling() {
  const ruling = state.ruling;
  $("ruling").hidden = !ruling;
  if (!ruling) return;
  $("ruling").className = ruling.verdict;
  $("verdict").textContent = ruling.sign + " " + ruling.word;
  $("what").textContent = ruling.what;
  $("says").textContent = ruling.says;
  $("quote").textContent = ruling.quote;
}

function showQuestions() {
  $("questions").replaceChildren(...state.questions.slice(-2).map((question) => make("section", { className: "question" },
    make("p", { textContent: question.text }),
    make("div", { className: "row" },
      ...question.answers.map((answer) => make("button", { textContent: answer.text, onclick: () =>
        correct(question, { cards: answer.cards }) })),
      make("button", { textContent: t("Correct it"), onclick: () => openFix(rowOf(question.event)) })))));
}

function showTable() {
  const table = state.table;
  $("who").textContent = table ? table.who : state.phase === "none" ? t("No game is running yet") : t("Waiting for the deal");
  $("need-line").hidden = !table || !table.need;
  $("need-label").textContent = table && table.ranks.length ? t("May be played now:") : "";
  $("need").textContent = table ? table.need : "";
  $("ranks").hidden = !table || !table.ranks.length;
  $("ranks").replaceChildren(...RANKS.map((rank) => make("span", { textContent: rank, className: table && table.ranks.includes(rank) ? "on" : "" })));
  $("pile").replaceChildren(...(table ? table.pile : []).map((card) => cardTile(card)));
  $("counts").textContent = table ? t("{pile} on the pile · {draw} to draw · {burned} burned", { pile: table.on_pile, draw: table.draw === null ? "?" : table.draw, burned: table.burnt }) + "  " + (table.clockwise ? "↻" : "↺") : "";
  $("players").replaceChildren(...(table ? table.players : []).map((player) => make("div", { className: "player" + (player.turn ? " turn" : "") + (player.out ? " out" : "") },
    make("b", {}, make("span", { textContent: (player.turn ? "▶ " : "") + player.name }),
      make("em", { textContent: player.out ? t("out") : t("{n} in hand", { n: player.hand === null ? "?" : player.hand }) })),
    make("p", { textContent: t("Up {up} · Down {down}", { up: player.up.map(label).join(" ") || t("none"), down: player.down === null ? "?" : player.down }) }),
    make("p", { textContent: t("Pick-ups {n} · Burns {burns}", { n: player.pick_ups, burns: player.burns }) }))));
}

function showLog() {
  const rows = state.log.slice().reverse().map((row) => make("li", {}, make("button", { className: row.fix.asks ? "asks" : row.verdict, onclick: () => openFix(row) },
    make("time", { textContent: row.at }), make("span", { textContent: row.text }),
    ...(row.says && row.verdict !== "legal" ? [make("small", { textContent: row.says })] : []),
    ...(row.by ? [make("small", { textContent: row.by })] : []))));
  $("log").replaceChildren(...(rows.length ? rows : [make("li", { className: "empty", textContent: t("Nothing has happened yet.") })]));
}

function showLedger() {
  const rows = state.ledger.map((one) => make("li", {}, make("b", { textContent: one.name }), make("b", { textContent: one.losses }),
    make("p", { textContent: [one.text, one.streak > 1 ? t("{n} lost in a row", { n: one.streak }) : "", ...one.dues].filter(Boolean).join(" · ") })));
  $("ledger").replaceChildren(...(rows.length ? rows : [make("li", { className: "empty", textContent: t("No game is finished yet.") })]));
}

function showTab(name) {
  tab = name;
  for (const other of ["table", "log", "ledger"]) $("page-" + other).hidden = other !== name;
  for (const button of $("tabs").children) button.setAttribute("aria-selected", String(button.dataset.tab === name));
}

// ---- sheets ----------------------------------------------------------------------------------------------

const sheet = $("sheet");
let sheetIs = "", sheetAbout = 0;

function openSheet(kind, about, ...children) {
  sheetIs = kind;
  sheetAbout = about;
  sheet.replaceChildren(...children);
  if (sheet.showModal) { if (!sheet.open) sheet.showModal(); } else sheet.setAttribute("open", "");
}

function closeSheet(kind, about) {
  if (kind && (sheetIs !== kind || (about && about !== sheetAbout))) return;
  sheetIs = "";
  if (sheet.close) { if (sheet.open) sheet.close(); } else sheet.removeAttribute("open");
}

const closeButton = () => make("button", { textContent: t("Close"), onclick: () => closeSheet() });
const rowOf = (event) => state.log.slice().reverse().find((row) => row.id === event) || state.log.slice().reverse().find((row) => row.fix.event === event);

function openName() {
  const field = make("input", { value: me.name, maxLength: 24, autocomplete: "off", "aria-label": t("Your name") });
  const take = (name) => {
    me.name = name.trim();
    try { localStorage.setItem("shithead.name", me.name); } catch (error) { /* a private window */ }
    link.send({ type: "name", name: me.name });
    show(["me"]);
    closeSheet();
  };
  openSheet("name", 0, make("h2", { textContent: t("Who are you?") }), make("p", { textContent: t("The others see this name if you correct something.") }),
    make("div", { className: "row" }, ...(state.table ? state.table.players : []).map((player) => make("button", { textContent: player.name, onclick: () => take(player.name) }))),
    field, make("div", { className: "bar" }, closeButton(), make("button", { className: "main", textContent: t("That is me"), onclick: () => take(field.value) })));
}

function correct(about, change) {
  link.send(Object.assign({ type: "correct", event: about.event, seen: about.seen }, change));
}

function openFix(row) {
  if (!row) return;
  const fix = row.fix, cards = fix.cards.slice();
  let chosen = 0, adding = false;
  const body = make("div");
  const send = (change) => { correct(fix, change); closeSheet(); };
  const draw = () => {
    body.replaceChildren();
    if (cards.length) {
      body.append(make("div", { className: "row" },
        ...cards.map((card, place) => cardTile(card, "button", { "aria-pressed": String(place === chosen && !adding), onclick: () => { chosen = place; adding = false; draw(); } })),
        make("button", { textContent: "+", "aria-label": t("A card is missing"), "aria-pressed": String(adding), onclick: () => { adding = !adding; draw(); } }),
        ...(cards.length > 1 ? [make("button", { textContent: "−", "aria-label": t("This card was not there"), onclick: () => { cards.splice(chosen, 1); chosen = 0; send({ cards }); } })] : [])),
        make("p", { textContent: adding ? t("Tap the card that was missed.") : t("Tap the right card.") }));
      const grid = make("div", { className: "grid" });
      for (const suit of "SHDC") for (const rank of RANKS) {
        grid.append(make("button", { textContent: rank + SUITS[suit], className: suit === "H" || suit === "D" ? "red" : "", onclick: () => pick(rank + suit) }));
      }
      if (state.jokers) grid.append(make("button", { textContent: t("Joker"), onclick: () => pick("JOKER") }));
      body.append(grid);
    }
  };
  const pick = (card) => {
    if (adding) cards.push(card); else cards[chosen] = card;
    send({ cards });
  };
  draw();
  const players = fix.of_player && state.table ? state.table.players : [];
  openSheet("fix", fix.event, make("h2", { textContent: fix.text }), ...(row.says ? [make("p", { textContent: row.says })] : []), body,
    ...(players.length ? [make("p", { textContent: t("Was it somebody else?") }), make("div", { className: "row" }, ...players.map((player) => make("button", {
      textContent: player.name, "aria-pressed": String(player.name === fix.player), onclick: () => send({ player: player.name }) })))] : []),
    make("div", { className: "bar" }, make("button", { className: "strike", textContent: fix.asks ? t("Done") : t("It did not happen"), onclick: () => send({ strike: true }) }), closeButton()));
}

function askForCamera(name) {
  const answer = (agrees) => { link.send({ type: "give-camera", agrees }); closeSheet(); };
  openSheet("handover", 0, make("h2", { textContent: t("{name} wants to film the table.", { name }) }), make("p", { textContent: t("Your phone then becomes a screen.") }),
    make("div", { className: "bar" }, make("button", { textContent: t("Keep filming"), onclick: () => answer(false) }),
      make("button", { className: "main", textContent: t("Hand it over"), onclick: () => answer(true) })));
}

// ---- the camera ------------------------------------------------------------------------------------------

const camera = {
  stream: null, size: 1600, everyMs: 1000 / 15, running: 0, busy: false, lastSent: 0, lenses: [], lens: 0, lit: false, hidden: false,
  canvas: document.createElement("canvas"),

  help() {
    openSheet("help", 0, make("h2", { textContent: t("Prop this phone up like this") }), picture(),
      make("ol", {}, ...[t("Lean it against a glass or books, half a metre above the table."), t("Tilt it so that the whole table is in the picture, with every player's row of cards."),
        t("Plug it in if you can. The screen stays on."), t("A call stops the picture. Come back to this page, and it goes on.")].map((says) => make("li", { textContent: says }))),
      make("div", { className: "bar" }, closeButton(), make("button", { className: "main", id: "start-film", textContent: t("Start filming"), onclick: () => { closeSheet(); this.ask(); } })));
  },

  async ask() {  // a tap came before: browsers ask for the camera only then
    if (await this.open()) link.send({ type: "take-camera" });
  },

  async open() {
    if (this.stream && this.stream.getVideoTracks().some((track) => track.readyState === "live")) return true;
    const lens = this.lenses[this.lens];
    const where = lens ? { deviceId: { exact: lens } } : { facingMode: { ideal: "environment" } };
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: Object.assign(where, { width: { ideal: 1920 }, height: { ideal: 1080 }, frameRate: { ideal: 30 } }) });
    } catch (error) {
      this.stream = null;
      toast(error.name === "NotAllowedError" ? t("The browser is not allowed to use the camera. Allow it in the page's settings.") : t("The camera cannot be opened ({reason}).", { reason: error.name }));
      return false;
    }
    $("video").srcObject = this.stream;
    for (const track of this.stream.getVideoTracks()) track.onended = () => this.away(true);
    $("video").play().catch(() => {});
    return true;
  },

  wants({ size, rate }) {
    this.size = size;
    this.everyMs = 1000 / rate;
  },

  async begin() {
    if (!(await this.open())) { link.send({ type: "leave-camera" }); return; }
    $("camera").hidden = false;
    this.setAside(false);
    this.showBar();
    this.showSight();
    keepAwake();
    this.running++;
    this.follow(this.running);
    this.findLenses();
  },

  async resume() {  // after a reload or a lost network
    if (this.stream) { this.busy = false; this.begin(); return; }
    if (await this.open()) this.begin(); else this.away(true);
  },

  stop() {
    this.running++;
    if (this.stream) for (const track of this.stream.getTracks()) track.stop();
    this.stream = null;
    this.lit = false;
    $("video").srcObject = null;
    $("camera").hidden = true;
    $("screen").hidden = false;
    closeSheet("handover");
  },

  taken(name) {
    this.stop();
    toast(name ? t("{name} films now.", { name }) : t("Another phone films now."));
  },

  away(away) {
    if (state.camera && (this.stream || away)) link.send({ type: "camera-away", away });
  },

  follow(run) {
    const video = $("video");
    const next = () => {
      if (run !== this.running) return;
      if (video.requestVideoFrameCallback) video.requestVideoFrameCallback((now, about) => { this.take(about.captureTime || about.presentationTime || now); next(); });
      else setTimeout(() => { this.take(performance.now()); next(); }, this.everyMs);
    };
    next();
    this.place();
  },

  take(takenMs) {
    const video = $("video");
    if (this.busy || !link.ready || !video.videoWidth || document.hidden || takenMs - this.lastSent < this.everyMs * 0.9) return;
    this.busy = true;
    this.lastSent = takenMs;
    const upright = video.videoHeight > video.videoWidth;
    const shape = upright ? 9 / 16 : 16 / 9;
    const width = Math.min(video.videoWidth, video.videoHeight * shape), height = width / shape;
    const scale = Math.min(1, this.size / Math.max(width, height));
    const canvas = this.canvas;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      this.place();
    }
    canvas.getContext("2d", { alpha: false }).drawImage(video, (video.videoWidth - width) / 2, (video.videoHeight - height) / 2, width, height, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { this.busy = false; if (blob && link.ready) link.sendFrame(blob, takenMs / 1000); }, "image/jpeg", 0.8);
  },

  place() {  // picture and marks cover what is sent, and no more
    const view = $("view"), upright = $("video").videoHeight > $("video").videoWidth, shape = upright ? 9 / 16 : 16 / 9;
    const width = Math.min(view.clientWidth, view.clientHeight * shape), height = width / shape;
    for (const part of [$("video"), $("marks")]) { part.style.width = width + "px"; part.style.height = height + "px"; }
  },

  async findLenses() {
    try {
      const found = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "videoinput");
      const back = found.filter((device) => /back|rear|environment|rück/i.test(device.label));
      this.lenses = (back.length > 1 ? back : found).map((device) => device.deviceId).filter(Boolean);
    } catch (error) { this.lenses = []; }
    this.showBar();
  },

  async otherLens() {
    this.lens = (this.lens + 1) % this.lenses.length;
    for (const track of this.stream.getTracks()) track.stop();
    this.stream = null;
    this.begin();
  },

  async light() {
    try {
      await this.stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: !this.lit }] });
      this.lit = !this.lit;
    } catch (error) { toast(t("This camera's light cannot be switched.")); }
    this.showBar();
  },

  showBar() {
    const track = this.stream && this.stream.getVideoTracks()[0];
    const can = (track && track.getCapabilities && track.getCapabilities()) || {};
    $("camera-bar").replaceChildren(
      make("button", { id: "leave", textContent: t("Stop filming"), onclick: () => { link.send({ type: "leave-camera" }); this.stop(); } }),
      ...(can.torch ? [make("button", { textContent: t("Light"), "aria-pressed": String(this.lit), onclick: () => this.light() })] : []),
      ...(this.lenses.length > 1 ? [make("button", { textContent: t("Other lens"), onclick: () => this.otherLens() })] : []),
      make("button", { textContent: t("Game"), onclick: () => this.setAside(true) }));
  },

  setAside(aside) {  // the picture stays in view, small: a hidden one would stand still
    $("camera").classList.toggle("aside", aside);
    $("screen").hidden = !aside;
    this.place();
  },

  showSight() {
    if ($("camera").hidden) return;
    const sight = state.sight, fault = state.camera.fault;
    const lines = fault ? ["✗ " + fault] : sight ? sight.lines : [t("Looking for cards …")];
    $("sight").replaceChildren(...lines.map((line) => make("p", { textContent: line })));
    $("sight").className = fault || (sight && !sight.good) ? "bad" : sight ? "good" : "";
    const shape = (points, kind) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
      made.setAttribute("points", points.map((point) => point.join(",")).join(" "));
      made.setAttribute("class", kind);
      return made;
    };
    $("marks").replaceChildren(...(sight ? [...sight.quads.map((quad) => shape(quad, "card-mark")), ...(sight.table ? [shape(sight.table, "table")] : [])] : []));
  },
};

function picture() {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  drawn.setAttribute("viewBox", "0 0 300 130");
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", t("A phone leans against books and looks down at the table."));
  const part = (tag, fields) => { const made = document.createElementNS("http://www.w3.org/2000/svg", tag); for (const name in fields) made.setAttribute(name, fields[name]); drawn.append(made); };
  part("rect", { x: 10, y: 112, width: 280, height: 8, rx: 3, fill: "#24402F" });
  for (const y of [96, 80, 64]) part("rect", { x: 20, y, width: 48, height: 14, rx: 2, fill: y === 80 ? "#7CC8F8" : "#BDB5A8" });
  part("rect", { x: 62, y: 14, width: 9, height: 52, rx: 3, fill: "#F3EBDD", transform: "rotate(24 66 60)" });
  part("path", { d: "M84 30 L110 112 M84 30 L282 112", stroke: "#ECB860", "stroke-width": 2, "stroke-dasharray": "6 4", fill: "none" });
  for (const x of [130, 158, 186, 214, 242]) part("rect", { x, y: 108, width: 20, height: 4, fill: "#F7F1E5" });
  return drawn;
}

// ---- staying there ---------------------------------------------------------------------------------------

let lock = null;
async function keepAwake() {
  try { if (navigator.wakeLock && !document.hidden) lock = await navigator.wakeLock.request("screen"); } catch (error) { lock = null; }
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) { if (camera.stream) camera.away(true); return; }
  link.soon();
  keepAwake();
  if (camera.stream) { camera.away(false); camera.resume(); }
});
addEventListener("online", () => link.soon());
setInterval(() => link.watch(), 1000);
addEventListener("resize", () => camera.place());
$("video").addEventListener("loadedmetadata", () => camera.place());
$("video").addEventListener("resize", () => camera.place());
document.addEventListener("click", () => { if (!lock) keepAwake(); }, { once: true });

$("me").onclick = openName;
$("wrong").textContent = t("That is wrong");
$("wrong").onclick = () => state.ruling && openFix(rowOf(state.ruling.event));
$("film").onclick = () => (camera.stream ? camera.setAside(false) : camera.help());
$("view").onclick = () => { if ($("camera").classList.contains("aside")) camera.setAside(false); };
for (const [name, title] of [["table", t("Table")], ["log", t("Log")], ["ledger", t("Ledger")]]) {
  $("tabs").append(make("button", { textContent: title, "data-tab": name, onclick: () => showTab(name) }));
}
document.documentElement.lang = LANGUAGE;
document.body.classList.toggle("overlay", OVERLAY);
showTab("table");
show(["camera", "table", "ruling", "log", "ledger", "me"]);
link.connect();
