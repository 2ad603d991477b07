// Takes on their way to the server: kept in the browser until the server says that they are on its disk.

const LONGEST_WAIT = 15000; // milliseconds between two tries

export class RefusedError extends Error {
  constructor(status, answer) {
    super(answer.error || `The server answered ${status}.`);
    this.status = status;
    this.offset = answer.offset;
  }
}

export class OfflineError extends Error {}

// A request with the speaker's token; throws RefusedError and OfflineError.
export async function ask(token, method, path, { json, body, headers, raw } = {}) {
  const options = { method, headers: { authorization: `Bearer ${token}`, ...headers }, cache: "no-store" };
  if (json !== undefined) {
    options.body = JSON.stringify(json);
    options.headers["content-type"] = "application/json";
  } else if (body !== undefined) {
    options.body = body;
    options.headers["content-type"] = "application/octet-stream";
  }
  let response;
  let answer;
  try {
    response = await fetch(path, options);
    if (response.ok && raw) return await response.blob();
    answer = await response.text();
  } catch {
    throw new OfflineError("No connection to the computer that collects the recordings.");
  }
  let value;
  try {
    value = JSON.parse(answer);
  } catch {
    value = { error: answer.slice(0, 200) };
  }
  if (!response.ok) throw new RefusedError(response.status, value);
  return value;
}

async function hex(buffer) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", buffer));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Unsent takes in the browser's own database; where it has none (private windows of some), in memory alone.
class Unsent {
  async open() {
    try {
      this.database = await new Promise((done, fail) => {
        const request = indexedDB.open("t2a-recordings", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("takes", { keyPath: "id" });
        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
      });
    } catch {
      this.database = null;
    }
  }

  run(mode, act) {
    if (!this.database) return Promise.resolve([]);
    return new Promise((done, fail) => {
      const transaction = this.database.transaction("takes", mode, { durability: "strict" });
      const request = act(transaction.objectStore("takes"));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = transaction.onabort = () => fail(transaction.error);
    });
  }

  all() {
    return this.run("readonly", (store) => store.getAll());
  }

  async put(item) {
    try {
      await this.run("readwrite", (store) => store.put(item));
      return Boolean(this.database);
    } catch {
      return false; // no space in the browser; the take is still in memory
    }
  }

  remove(id) {
    return this.run("readwrite", (store) => store.delete(id)).catch(() => {});
  }
}

export class Sender {
  // onState(item, {state: "sending" | "waiting" | "refused" | "saved", text, take, progress})
  constructor(token, session, onState) {
    this.token = token;
    this.session = session;
    this.onState = onState;
    this.unsent = new Unsent();
    this.queue = [];
    this.isBusy = false;
    this.wake = () => {};
    addEventListener("online", () => this.wake());
  }

  // Go on with what an earlier page left behind.
  async open() {
    await this.unsent.open();
    const mine = (item) => item.studio === this.session.studio && item.speaker === this.session.speaker;
    const items = ((await this.unsent.all().catch(() => [])) || []).filter(mine);
    items.sort((one, other) => one.at - other.at);
    this.queue.push(...items);
    this.work();
    return items;
  }

  async add(task, { pcm, rate }) {
    const sha256 = await hex(pcm);
    const item = { id: crypto.randomUUID(), studio: this.session.studio, speaker: this.session.speaker, task, rate, pcm, sha256, at: Date.now() };
    item.isKept = await this.unsent.put(item);
    this.queue.push(item);
    this.onState(item, { state: "sending", progress: 0 });
    this.work();
    return item;
  }

  get count() {
    return this.queue.length;
  }

  async work() {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.queue.length) {
      const item = this.queue[0];
      const news = await this.sendUntilDone(item);
      this.queue.shift();
      this.onState(item, news);
    }
    this.isBusy = false;
  }

  async sendUntilDone(item) {
    for (let tries = 0; ; tries++) {
      try {
        const take = await this.send(item);
        await this.unsent.remove(item.id);
        return { state: "saved", take };
      } catch (error) {
        const again = error instanceof OfflineError || (error instanceof RefusedError && [409, 404, 500, 503, 507].includes(error.status));
        const isGone = error instanceof RefusedError && error.status === 404 && tries > 2;
        if (!again || isGone) return { state: "refused", text: error.message };
        if (tries > 0 || !(error instanceof RefusedError) || error.status === 507) {
          this.onState(item, { state: "waiting", text: error.message });
          await this.pause(Math.min(LONGEST_WAIT, 500 * 2 ** tries));
        }
      }
    }
  }

  async send(item) {
    const frames = item.pcm.byteLength / 2;
    const begun = await ask(this.token, "POST", "api/uploads", { json: { task: item.task, rate: item.rate, frames, sha256: item.sha256 } });
    if (begun.take) return begun.take;
    let offset = begun.offset;
    while (offset < item.pcm.byteLength) {
      this.onState(item, { state: "sending", progress: offset / item.pcm.byteLength });
      const body = item.pcm.slice(offset, offset + this.session.piece);
      const answer = await ask(this.token, "PATCH", `api/uploads/${begun.upload}`, { body, headers: { "upload-offset": String(offset) } });
      offset = answer.offset;
    }
    return ask(this.token, "POST", `api/uploads/${begun.upload}/finish`, { json: {} });
  }

  pause(milliseconds) {
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
