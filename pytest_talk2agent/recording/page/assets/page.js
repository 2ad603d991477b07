// The page for speakers: which text is read, what came of it, and what can be done next.

import { MicrophoneError, Recorder, wave } from "./recorder.js";
import { ask, OfflineError, RefusedError, Sender } from "./sender.js";

const byId = (id) => document.getElementById(id);
const VIEWS = ["message", "consent", "microphone", "recorder", "pause"];
const token = location.hash.slice(1);

let session;
let sender;
let at = 0; // number of the text that is shown
let isStopping = false;
let wasEnd = -1; // the batch whose end has been shown
let view = "";
const local = new Map(); // number of a text -> {state, text, progress, sound}

const recorder = new Recorder(showLevel, (text) => {
  document.body.classList.remove("recording");
  askForMicrophone(text);
});

function show(name) {
  view = name;
  for (const one of VIEWS) byId(one).hidden = one !== name;
  byId("top").hidden = !["recorder", "pause"].includes(name);
  const title = byId(`${name}-title`);
  if (title) title.focus();
}

function say(title, text, action, act) {
  byId("message-title").textContent = title;
  byId("message-text").textContent = text;
  const button = byId("message-act");
  button.hidden = !action;
  button.textContent = action || "";
  button.onclick = act || null;
  show("message");
}

function explain(error) {
  if (error instanceof RefusedError && error.status === 401) {
    say("This link does not work", "It is not valid, or no longer. Ask whoever sent it to you for a new one.");
  } else if (error instanceof OfflineError) {
    say("No connection", `${error.message} Is it switched on, and are you online?`, "Try again", start);
  } else {
    say("This does not work", error.message, "Try again", start);
  }
}

// One tab at a time: two would ask for the same texts. The lock goes when the tab does.
function alone(steal) {
  return new Promise((done) => {
    if (!navigator.locks) return done(true);
    const options = steal ? { steal: true } : { ifAvailable: true };
    navigator.locks
      .request(`t2a-record ${session.studio} ${session.speaker}`, options, (lock) => {
        done(Boolean(lock));
        return lock ? new Promise(() => {}) : undefined;
      })
      .catch(() => {
        recorder.close();
        say("Open in another tab", "You went on in another tab, so this one has stopped. You can close it.");
      });
  });
}

async function start(steal) {
  if (!token) return say("This link is not whole", "Open it as it was sent to you, up to its last letter.");
  try {
    session = await ask(token, "GET", "api/session");
  } catch (error) {
    return explain(error);
  }
  if (!(await alone(steal === true))) {
    return say("Open in another tab", "You are recording in another tab or window of this browser already. Go on there, or here.", "Go on here", () => start(true));
  }
  if (sender) {
    // The one that is there goes on with its queue.
    sender.session = session;
  } else {
    sender = new Sender(token, session, onSent);
    for (const item of await sender.open()) {
      const number = numberOf(item.task);
      if (number >= 0) local.set(number, { state: "sending", sound: item });
    }
  }
  const first = session.prompts.findIndex((prompt, number) => isOpen(number));
  at = first < 0 ? 0 : first;
  session.consent.given ? askForMicrophone("") : askForConsent();
}

function askForConsent() {
  byId("consent-speaker").textContent = session.speaker;
  byId("consent-text").textContent = session.consent.text;
  show("consent");
}

byId("agree").onclick = async () => {
  try {
    await ask(token, "POST", "api/consent", { json: { sha256: session.consent.sha256 } });
    session.consent.given = true;
    askForMicrophone("");
  } catch (error) {
    explain(error);
  }
};

// The microphone

function askForMicrophone(fault) {
  byId("microphone-fault").textContent = fault;
  byId("microphone-fault").hidden = !fault;
  byId("open-microphone").hidden = recorder.isOpen;
  for (const id of ["begin", "microphone-meter", "microphone-hint"]) byId(id).hidden = !recorder.isOpen;
  byId("microphone-choice").hidden = !recorder.isOpen;
  byId("microphone-meter").append(byId("meter"));
  show("microphone");
}

async function openMicrophone(deviceId) {
  try {
    await recorder.open(deviceId);
    await listDevices();
    askForMicrophone("");
    byId("begin").focus();
  } catch (error) {
    recorder.close();
    askForMicrophone(error instanceof MicrophoneError ? error.message : `The microphone cannot be used: ${error.message}`);
  }
}

async function listDevices() {
  const devices = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "audioinput");
  const options = devices.map((device, number) => new Option(device.label || `Microphone ${number + 1}`, device.deviceId));
  byId("device").replaceChildren(...options);
  byId("device").value = recorder.deviceId;
}

byId("open-microphone").onclick = () => openMicrophone("");
byId("device").onchange = (event) => openMicrophone(event.target.value);
byId("change-microphone").onclick = () => askForMicrophone("");
byId("begin").onclick = () => {
  byId("recorder-meter").prepend(byId("meter"));
  showText(at);
};

let held = -60;
let heldAt = 0;
let toldAt = 0;
function showLevel({ peak, rms }) {
  const now = performance.now();
  const place = (level) => Math.max(0, Math.min(1, (level + 60) / 60));
  if (peak > held || now - heldAt > 1500) [held, heldAt] = [peak, now];
  byId("bar").style.transform = `scaleX(${place(rms + 12)})`;
  byId("hold").style.transform = `translateX(${place(held) * byId("meter").clientWidth - 3}px)`;
  byId("meter").toggleAttribute("data-loud", held > -1);
  if (recorder.isRecording) byId("clock").textContent = `\u25cf ${clock(recorder.seconds)} of ${clock(session.longest)}`;
  if (now - toldAt > 250) {
    toldAt = now;
    byId("meter").setAttribute("aria-valuenow", String(Math.round(Math.max(-60, peak))));
    byId("meter").setAttribute("aria-valuetext", held > -1 ? "too loud" : peak < -45 ? "hardly anything" : "good");
  }
}

function clock(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

// Texts, and what came of them

function numberOf(task) {
  return session.prompts.findIndex((prompt) => prompt.task === task);
}

function isOpen(number) {
  const prompt = session.prompts[number];
  return !prompt.skipped && !local.has(number) && !(prompt.take && prompt.take.kept);
}

function stateOf(number) {
  const prompt = session.prompts[number];
  if (local.has(number) && local.get(number).state !== "saved") return local.get(number).state === "refused" ? "fault" : "sending";
  if (prompt.take) return prompt.take.kept ? "kept" : "fault";
  return prompt.skipped ? "skipped" : "open";
}

const SPOKEN = { kept: "recorded", fault: "needs another take", sending: "being sent", skipped: "skipped", open: "not recorded yet" };
const SIGNS = { kept: "\u2713", fault: "!", sending: "\u2191", skipped: "\u2013" };

function batchOf(number) {
  return Math.floor(number / session.batch);
}

function showTop() {
  const batch = batchOf(at);
  const first = batch * session.batch;
  const last = Math.min(first + session.batch, session.prompts.length);
  const states = session.prompts.map((_, number) => stateOf(number));
  const done = (list) => list.filter((state) => state === "kept" || state === "sending").length;
  const batches = batchOf(session.prompts.length - 1) + 1;
  byId("where").textContent = `Text ${at - first + 1} of ${last - first}${batches > 1 ? ` \u00b7 batch ${batch + 1} of ${batches}` : ""}`;
  byId("total").textContent = `${done(states)} of ${states.length} recorded`;
  byId("marks").replaceChildren(
    ...states.slice(first, last).map((state, i) => {
      const mark = document.createElement("button");
      mark.type = "button";
      mark.dataset.state = state;
      mark.textContent = SIGNS[state] || String(i + 1);
      mark.setAttribute("aria-label", `Text ${i + 1}: ${SPOKEN[state]}`);
      if (first + i === at) mark.setAttribute("aria-current", "step");
      mark.disabled = recorder.isRecording;
      mark.onclick = () => showText(first + i);
      const item = document.createElement("li");
      item.append(mark);
      return item;
    }),
  );
  const left = sender.count;
  const text = left ? `${left} take${left > 1 ? "s" : ""} on the way` : "All takes are saved";
  byId("sending").textContent = text;
  byId("pause-sending").textContent = left ? `${text}: leave this page open.` : "";
}

function showText(number) {
  at = number;
  stopListening();
  const prompt = session.prompts[at];
  byId("script").textContent = prompt.script;
  byId("script").lang = prompt.language;
  byId("script-card").scrollTop = 0;
  byId("clock").textContent = "";
  if (view !== "recorder") show("recorder");
  refresh();
  byId("record").focus({ preventScroll: true });
}

function line(text, mark) {
  const paragraph = document.createElement("p");
  if (mark) {
    const sign = document.createElement("span");
    sign.className = "mark";
    sign.textContent = `${mark} `;
    paragraph.append(sign);
  }
  paragraph.append(text);
  return paragraph;
}

function verdict() {
  const prompt = session.prompts[at];
  const own = local.get(at);
  const lines = [];
  let state = "";
  if (recorder.isRecording) return ["", []];
  if (own && own.state === "sending") return ["warning", [line(`Sending your take${own.progress ? `: ${Math.round(100 * own.progress)}%` : ""} \u2026`)]];
  if (own && own.state === "waiting") {
    const kept = own.sound.isKept === false ? "It is in this page: leave it open." : "It is kept in this browser, and sent again by itself. You can go on.";
    return ["warning", [line(`Your take is not saved yet. ${own.text}`, "!"), line(kept)]];
  }
  if (own && own.state === "refused") return ["fault", [line(`Your take was not taken: ${own.text}`, "\u2717")]];
  const take = prompt.take;
  if (!take) return [prompt.skipped ? "warning" : "", prompt.skipped ? [line("Skipped.")] : []];
  state = take.kept ? "kept" : "fault";
  if (take.kept) lines.push(line(take.kept_anyway ? "Saved, as you decided." : "Saved.", "\u2713"));
  for (const finding of take.findings) {
    if (take.kept && finding.severity === "warning") state = "warning";
    lines.push(line(finding.text, finding.severity === "fault" ? "\u2717" : "!"));
  }
  if (!take.kept) lines.push(line("Please record it again."));
  const heard = take.heard;
  if (heard && heard.error) lines.push(line(`It could not be checked by listening: ${heard.error}`));
  else if (heard) {
    lines.push(line(`We heard: \u201c${heard.text.trim() || "nothing"}\u201d`));
    if (heard.lost.length) {
      if (state === "kept") state = "warning";
      lines.push(line(`Not found in it: ${heard.lost.join(", ")}. If you did not say it clearly, record it again; if you did, go on.`, "!"));
    }
  } else if (session.check) lines.push(line("Listening to it \u2026"));
  return [state, lines];
}

let shown = "";
function refresh() {
  showTop();
  const prompt = session.prompts[at];
  const isRecording = recorder.isRecording;
  const own = local.get(at);
  const hasSound = Boolean(prompt.take || (own && own.sound));
  const needsDecision = stateOf(at) === "fault" && prompt.take && !(own && own.state !== "saved");
  const [state, lines] = verdict();
  const text = state + lines.map((one) => one.textContent).join("\n");
  if (text !== shown) {
    // A screen reader says it again whenever it is put there, so only what is new is.
    byId("verdict").dataset.state = state;
    byId("verdict").replaceChildren(...lines);
    shown = text;
  }
  document.body.classList.toggle("recording", isRecording);
  byId("record-label").textContent = isRecording ? "Stop" : hasSound ? "Record again" : "Record";
  byId("record").disabled = isStopping;
  byId("next-label").textContent = needsDecision ? "Keep it anyway" : "Next";
  byId("next").disabled = isRecording || stateOf(at) === "open";
  byId("listen").disabled = isRecording || !hasSound;
  byId("delete").disabled = isRecording || !prompt.take || Boolean(own && own.state !== "saved");
  byId("back").disabled = isRecording || at === 0;
  byId("skip").disabled = isRecording || hasSound;
  byId("skip-label").textContent = prompt.skipped ? "Unskip" : "Skip";
  byId("change-microphone").disabled = isRecording;
}

// What the speaker does

async function record() {
  if (isStopping) return;
  if (recorder.isRecording) return stop();
  stopListening();
  try {
    await recorder.start(session.longest, () => stop());
  } catch (error) {
    return recorder.lose(`The microphone cannot be used: ${error.message}`);
  }
  refresh();
}

async function stop() {
  if (isStopping || !recorder.isRecording) return;
  isStopping = true;
  const number = at;
  const sound = await recorder.stop();
  isStopping = false;
  byId("clock").textContent = "";
  if (!recorder.isOpen || !sound.pcm.byteLength) return refresh();
  local.set(number, { state: "sending", sound });
  refresh();
  await sender.add(session.prompts[number].task, sound);
}

// The sender tells of every step of every take; an older one of the same text tells nothing any more.
function onSent(item, news) {
  const number = numberOf(item.task);
  if (number < 0) return;
  const prompt = session.prompts[number];
  const own = local.get(number);
  if (news.state === "saved") {
    const isOlder = sender.queue.some((other) => other.task === item.task);
    if (!isOlder) {
      const better = !(prompt.take && prompt.take.kept && !news.take.kept);
      local.set(number, { state: "saved", sound: item });
      prompt.skipped = false;
      if (better) prompt.take = news.take;
      else local.set(number, { state: "refused", text: `${news.take.findings.map((one) => one.text).join(" ")} The take before it stays.`, sound: item });
      if (better) follow(number);
    }
  } else if (!own || own.state !== "saved" || news.state !== "sending") {
    local.set(number, { ...news, sound: item });
  }
  if (view === "recorder") refresh();
  else if (view === "pause") showPause();
}

// Ask until the interface has heard a take.
async function follow(number) {
  const key = session.prompts[number].take.key;
  const isPresent = () => session.prompts[number].take && session.prompts[number].take.key === key;
  while (session.check && isPresent() && !session.prompts[number].take.heard) {
    await new Promise((done) => setTimeout(done, 700));
    try {
      const take = await ask(token, "GET", `api/takes/${key}`);
      if (isPresent()) session.prompts[number].take = take;
    } catch (error) {
      if (!(error instanceof OfflineError)) return;
    }
    if (view === "recorder" && number === at && !recorder.isRecording) refresh();
    if (view === "pause") showPause();
  }
}

async function next() {
  if (byId("next").disabled) return;
  const prompt = session.prompts[at];
  if (byId("next-label").textContent !== "Next") {
    try {
      prompt.take = await ask(token, "POST", `api/takes/${prompt.take.key}/keep`, { json: {} });
    } catch (error) {
      return tell(error);
    }
  }
  goOn();
}

// To the next text that is open: of this batch, else to its end.
function goOn() {
  const batch = batchOf(at);
  const inBatch = (number) => batchOf(number) === batch && isOpen(number);
  const numbers = session.prompts.map((_, number) => number);
  const following = numbers.find((number) => number > at && inBatch(number)) ?? numbers.find(inBatch);
  if (following !== undefined) return showText(following);
  wasEnd = batch;
  showPause();
}

function showPause() {
  const numbers = session.prompts.map((_, number) => number);
  const following = numbers.find((number) => batchOf(number) !== wasEnd && isOpen(number));
  const ofBatch = numbers.filter((number) => batchOf(number) === wasEnd);
  const count = (states) => ofBatch.filter((number) => states.includes(stateOf(number))).length;
  const skipped = count(["skipped"]);
  byId("pause-title").textContent = following === undefined ? "All done. Thank you!" : `Batch ${wasEnd + 1} is done`;
  byId("pause-text").textContent =
    `${count(["kept", "sending"])} recorded${skipped ? `, ${skipped} skipped` : ""}. ` +
    (following === undefined ? "You can close this page." : "Take a break, drink something, and go on when you like.");
  if (following === undefined && sender.count) byId("pause-text").textContent = `${count(["kept", "sending"])} recorded${skipped ? `, ${skipped} skipped` : ""}.`;
  const look = ofBatch.filter((number) => {
    const take = session.prompts[number].take;
    return stateOf(number) === "fault" || (take && !take.kept_anyway && take.heard && take.heard.lost.length);
  });
  byId("look").hidden = !look.length;
  byId("look-list").replaceChildren(
    ...look.map((number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = session.prompts[number].script;
      button.onclick = () => showText(number);
      const item = document.createElement("li");
      item.append(button);
      return item;
    }),
  );
  byId("go-on").hidden = following === undefined;
  byId("go-on").onclick = () => showText(following);
  if (view !== "pause") show("pause");
  showTop();
}

async function skip() {
  if (byId("skip").disabled) return;
  const prompt = session.prompts[at];
  try {
    await ask(token, "POST", "api/skip", { json: { task: prompt.task, skipped: !prompt.skipped } });
  } catch (error) {
    return tell(error);
  }
  prompt.skipped = !prompt.skipped;
  prompt.skipped ? goOn() : refresh();
}

async function remove() {
  const prompt = session.prompts[at];
  if (!confirm("Delete this recording for good?")) return;
  try {
    prompt.take = (await ask(token, "DELETE", `api/takes/${prompt.take.key}`)).take;
  } catch (error) {
    return tell(error);
  }
  local.delete(at);
  stopListening();
  refresh();
  byId("record").focus();
}

function tell(error) {
  shown = "";
  byId("verdict").dataset.state = "fault";
  byId("verdict").replaceChildren(line(error.message, "\u2717"));
}

// Listening

let address = "";
async function listen() {
  if (byId("listen").disabled) return;
  const player = byId("player");
  if (!player.paused) return stopListening();
  const number = at;
  const own = local.get(at);
  try {
    const sound = own && own.sound ? wave(own.sound) : await ask(token, "GET", `api/takes/${session.prompts[at].take.key}/sound`, { raw: true });
    if (number !== at || recorder.isRecording) return;
    stopListening();
    address = URL.createObjectURL(sound);
    player.src = address;
    byId("listen-label").textContent = "Stop";
    await player.play();
  } catch (error) {
    if (error.name !== "AbortError") tell(error);
  }
}

function stopListening() {
  byId("player").pause();
  byId("listen-label").textContent = "Listen";
  if (address) URL.revokeObjectURL(address);
  address = "";
}

byId("player").onended = stopListening;
byId("record").onclick = record;
byId("next").onclick = next;
byId("listen").onclick = listen;
byId("delete").onclick = remove;
byId("back").onclick = () => showText(at - 1);
byId("skip").onclick = skip;

// Size of the text, and keys

const remembered = {
  get(name) {
    try {
      return localStorage.getItem(`t2a-${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`t2a-${name}`, value);
    } catch {
      // A browser that remembers nothing still records.
    }
  },
};

let size = Number(remembered.get("size")) || 0;
function resize(step) {
  const now = size || parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--size"));
  size = Math.max(1, Math.min(5, now + step));
  document.documentElement.style.setProperty("--size", `${size}rem`);
  remembered.set("size", String(size));
}
if (size) resize(0);
byId("larger").onclick = () => resize(0.25);
byId("smaller").onclick = () => resize(-0.25);

const keys = byId("keys");
keys.checked = remembered.get("keys") !== "off";
const applyKeys = () => document.body.classList.toggle("no-keys", !keys.checked);
keys.onchange = () => {
  remembered.set("keys", keys.checked ? "on" : "off");
  applyKeys();
};
applyKeys();

const ACTIONS = { " ": record, Enter: next, l: listen, s: skip, b: () => byId("back").click(), "+": () => resize(0.25), "-": () => resize(-0.25) };
addEventListener("keydown", (event) => {
  const action = ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (view !== "recorder" || !keys.checked || !action || event.ctrlKey || event.metaKey || event.altKey) return;
  // Space and Enter press the button that has the focus, unless it is that of recording, to which they bring the speaker.
  const focus = document.activeElement;
  const isOnControl = focus && focus.matches("button, input, select") && focus.id !== "record";
  if (isOnControl && [" ", "Enter"].includes(event.key)) return;
  event.preventDefault();
  if (!event.repeat) action();
});

addEventListener("beforeunload", (event) => {
  if (recorder.isRecording || (sender && sender.count)) event.preventDefault();
});

start();
