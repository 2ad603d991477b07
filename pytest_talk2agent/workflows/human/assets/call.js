// A call: consent, card and microphone, then sound both ways and the lines that are tapped.

import { MicrophoneError, Recorder } from "./recorder.js";

const $ = (id) => document.getElementById(id);
const ENDS = {
  4401: "This link is not valid, or no longer. Ask for a new one.",
  4409: "The call is open in another tab or window, or was made already.",
  4400: "This page is not the one that belongs to the call. Open the link again.",
};

let socket = null;
let card = null;
let state = { here: [], lit: [], said: [], armed: null, speaking: false, unnamed: false, finished: false, lines: [] };
let calling = false; // the call has been asked for
let open = false; // the line is open
let over = false;
let player = null;

const recorder = new Recorder(level, lost);
const takeLevel = recorder.take.bind(recorder);
recorder.take = (block) => {
  takeLevel(block);
  if (calling && !over && socket.readyState === WebSocket.OPEN) socket.send(pcm(block));
};

function pcm(block) {
  const view = new DataView(new ArrayBuffer(2 * block.length));
  block.forEach((sample, i) => {
    view.setInt16(2 * i, Math.max(-32768, Math.min(32767, Math.round(sample * 32768))), true);
  });
  return view.buffer;
}

function tell(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function show(id) {
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== id;
  $(`${id}-title`).focus();
}

function say(title, text) {
  $("message-title").textContent = title;
  $("message-text").textContent = text;
  show("message");
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/line`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => tell({ token: location.hash.slice(1) });
  socket.onmessage = (event) => (typeof event.data === "string" ? told(JSON.parse(event.data)) : play(event.data));
  socket.onclose = (event) => {
    if (over) return;
    over = true;
    recorder.close();
    say("The call is over", ENDS[event.code] || "The connection to the other side was lost. Tell the person who sent you the link.");
  };
}

function told(message) {
  if (message.type === "consent") {
    $("consent-text").textContent = message.text;
    $("agree").onclick = () => tell({ type: "agreed", sha256: message.sha256 });
    show("consent");
  } else if (message.type === "card") {
    card = message.card;
    state.lines = card.lines;
    state.here = card.lines.filter((line) => line.when.includes("to begin")).map((line) => line.id);
    introduce();
    draw();
    show("caller");
  } else if (message.type === "calling") {
    open = true;
    $("live").hidden = false;
    $("setup").hidden = true;
    draw();
  } else if (message.type === "state") {
    state = message;
    draw();
  } else if (message.type === "over") {
    over = true;
    recorder.close();
    say("The call is over", message.text);
  }
}

function introduce() {
  const rows = [["You are", card.who], ["You want", card.goal], ["You are", card.manner], ["Also", card.more.join("; ")]];
  rows.push(["First word", card.first_speaker === "agent" ? "The other side speaks first." : "You speak first."]);
  $("who").replaceChildren(...rows.filter((row) => row[1]).flatMap(([name, text]) => [made("dt", name), made("dd", text)]));
}

function made(tag, text, kind) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  if (kind) node.className = kind;
  return node;
}

// The moment counts at which a button is pressed; by its release the list may be another one.
function press(button, act) {
  button.onpointerdown = (event) => event.button === 0 && act();
  button.onclick = (event) => event.detail === 0 && act(); // the keyboard
}

function draw() {
  const lineOf = (line) => {
    const item = made("li");
    const button = made("button", "", "line");
    button.type = "button";
    button.dataset.id = line.id;
    button.disabled = !open;
    button.setAttribute("aria-pressed", String(state.armed === line.id));
    const over = { "barge-in": "Speak over the other side at once.", murmur: "Murmur it while the other side speaks on." }[line.over];
    if (over) button.append(made("span", over, "over"));
    button.append(made("span", line.when.join("; "), "when"));
    if (line.facts.length) button.append(made("span", line.facts.map(([name, value]) => `${name}: ${value}`).join("; "), "facts"));
    if (line.words) button.append(made("span", `For example: \u201c${line.words}\u201d`, "words"));
    press(button, () => tell(state.armed === line.id ? { type: "unmark" } : { type: "mark", line: line.id }));
    item.append(button);
    if (open && state.unnamed && !state.speaking) {
      const said = made("button", "I just said this", "just-said");
      said.type = "button";
      press(said, () => tell({ type: "mark", line: line.id, last: true }));
      item.append(said);
    }
    item.classList.toggle("lit", open && state.lit.includes(line.id));
    item.classList.toggle("said", state.said.includes(line.id));
    return item;
  };
  const focused = document.activeElement?.dataset?.id;
  const here = state.lines.filter((line) => state.here.includes(line.id));
  const due = here.filter((line) => open && state.lit.includes(line.id));
  $("here").replaceChildren(...[...due, ...here.filter((line) => !due.includes(line))].map(lineOf));
  $("others").replaceChildren(...state.lines.filter((line) => !state.here.includes(line.id)).map(lineOf));
  if (focused) document.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  $("status").textContent = status();
}

function status() {
  if (state.speaking) return state.unnamed ? "You speak. Tap the line that it is." : "You speak.";
  if (state.unnamed) return "Your last words have no line. If they were one, say which.";
  if (state.armed) return "Say the line that you tapped.";
  if (state.finished) return "All is said. Say goodbye, and hang up.";
  return "The line is open. Tap a line, then say it.";
}

function play(data) {
  if (!player) return;
  const samples = new Int16Array(data);
  const floats = new Float32Array(samples.length);
  samples.forEach((sample, i) => (floats[i] = sample / 32768));
  player.port.postMessage(floats, [floats.buffer]);
}

function level({ rms }) {
  const dbfs = Math.max(-60, Math.min(0, rms));
  $("bar").style.transform = `scaleX(${(dbfs + 60) / 60})`;
  $("meter").setAttribute("aria-valuenow", String(Math.round(dbfs)));
}

function lost(text) {
  fault(text);
  // A page that is being closed loses its microphone first: the timer ends with it, and the socket says what happened.
  if (calling) setTimeout(() => tell({ type: "hang-up", why: "fault", text }), 500);
}

function fault(text) {
  $("microphone-fault").textContent = text;
  $("microphone-fault").hidden = !text;
}

$("open-microphone").onclick = async () => {
  fault("");
  try {
    await recorder.open();
    await recorder.context.audioWorklet.addModule("player.js");
    player = new AudioWorkletNode(recorder.context, "player", { numberOfInputs: 0, outputChannelCount: [1] });
    player.connect(recorder.context.destination);
  } catch (error) {
    const text = error instanceof MicrophoneError ? error.message : `The microphone cannot be used (${error.name}).`;
    fault(text);
    $("give-up").hidden = false;
    return tell({ type: "refused", reason: text.slice(0, 300) });
  }
  $("give-up").hidden = $("open-microphone").hidden = true;
  $("meter").hidden = $("call").hidden = false;
  $("call").focus();
};

$("give-up").onclick = () => tell({ type: "gave-up" });

$("call").onclick = async () => {
  $("call").disabled = true;
  $("call").textContent = "Calling\u2026";
  await recorder.wake();
  const { sampleRate, baseLatency, outputLatency } = recorder.context;
  const output = Math.round(1000 * ((baseLatency || 0) + (outputLatency || 0)));
  const echo = recorder.track.getSettings().echoCancellation === true;
  calling = true;
  tell({ type: "ready", rate: Math.round(sampleRate), output_ms: output, echo_cancelled: echo });
};

function asking(on) {
  $("why").hidden = !on;
  $("hang-up-row").hidden = on;
}

$("hang-up").onclick = () => asking(true);
$("why-not").onclick = () => asking(false);
for (const why of ["done", "gave-up", "fault"]) {
  $(`why-${why}`).onclick = () => tell({ type: "hang-up", why });
}

addEventListener("beforeunload", (event) => {
  if (calling && !over) event.preventDefault();
});

connect();
