// The microphone: its level all the time, its samples between start and stop.

const TAIL = 250; // milliseconds that are recorded after the speaker stops

export class MicrophoneError extends Error {}

const REASONS = {
  NotAllowedError: "The browser does not let this page use the microphone. Allow it with the symbol beside the address, or in the browser's settings for this page, then try again.",
  NotFoundError: "No microphone was found. Connect one, then try again.",
  NotReadableError: "The microphone is in use by another program, or switched off. Free it, then try again.",
  OverconstrainedError: "The chosen microphone is gone. Try again with another one.",
};

export class Recorder {
  // onLevel({peak, rms}) twenty times a second; onLost(text) when the microphone goes away.
  constructor(onLevel, onLost) {
    this.onLevel = onLevel;
    this.onLost = onLost;
    this.blocks = null;
  }

  async open(deviceId) {
    if (!navigator.mediaDevices || !window.AudioWorkletNode) {
      throw new MicrophoneError("This browser gives no microphone to this page. Use a current browser, and the link as you were given it.");
    }
    this.close();
    // A test set wants the sound as it is, so what browsers do for telephone calls is switched off.
    const wanted = { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 };
    if (deviceId) wanted.deviceId = { exact: deviceId };
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
    } catch (error) {
      throw new MicrophoneError(REASONS[error.name] || `The microphone cannot be used (${error.name}).`);
    }
    this.track = this.stream.getAudioTracks()[0];
    this.track.addEventListener("ended", () => this.lose("The microphone was disconnected."));
    this.context = new AudioContext();
    await this.context.audioWorklet.addModule("capture.js");
    this.source = this.context.createMediaStreamSource(this.stream);
    this.node = new AudioWorkletNode(this.context, "capture", { numberOfInputs: 1, numberOfOutputs: 0 });
    this.node.port.onmessage = (event) => this.take(event.data);
    this.source.connect(this.node);
    await this.wake();
  }

  get deviceId() {
    return this.track ? this.track.getSettings().deviceId : "";
  }

  get isOpen() {
    return Boolean(this.track) && this.track.readyState === "live";
  }

  async wake() {
    if (this.context.state !== "running") await this.context.resume();
  }

  async start(longest, onLimit) {
    await this.wake();
    this.rate = this.context.sampleRate;
    this.most = Math.floor(longest * this.rate);
    this.count = 0;
    this.onLimit = onLimit;
    this.blocks = [];
  }

  get isRecording() {
    return this.blocks !== null;
  }

  get seconds() {
    return this.blocks ? this.count / this.rate : 0;
  }

  async stop() {
    await new Promise((done) => setTimeout(done, TAIL));
    return this.collect();
  }

  // Whole samples of 16 bits, little-endian, mono.
  collect() {
    const blocks = this.blocks || [];
    this.blocks = null;
    const pcm = new DataView(new ArrayBuffer(this.count * 2));
    let at = 0;
    for (const block of blocks) {
      for (const sample of block) {
        if (at === this.count) break;
        const value = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)));
        pcm.setInt16(2 * at++, value, true);
      }
    }
    return { pcm: pcm.buffer, rate: this.rate };
  }

  take(block) {
    let peak = 0;
    let power = 0;
    for (const sample of block) {
      peak = Math.max(peak, Math.abs(sample));
      power += sample * sample;
    }
    if (this.blocks && this.count < this.most) {
      this.blocks.push(block);
      this.count = Math.min(this.count + block.length, this.most);
      if (this.count === this.most) this.onLimit();
    }
    this.onLevel({ peak: decibels(peak), rms: decibels(Math.sqrt(power / block.length)) });
  }

  lose(text) {
    this.close();
    this.onLost(text);
  }

  close() {
    this.blocks = null;
    if (this.stream) for (const track of this.stream.getTracks()) track.stop();
    if (this.context) this.context.close();
    this.stream = this.track = this.context = null;
  }
}

function decibels(amplitude) {
  return 20 * Math.log10(Math.max(amplitude, 1e-5));
}

// A WAV file of samples as `collect` gives them, to listen to.
export function wave({ pcm, rate }) {
  const head = new DataView(new ArrayBuffer(44));
  const text = (at, word) => [...word].forEach((letter, i) => head.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF");
  head.setUint32(4, 36 + pcm.byteLength, true);
  text(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, rate, true);
  head.setUint32(28, 2 * rate, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  text(36, "data");
  head.setUint32(40, pcm.byteLength, true);
  return new Blob([head.buffer, pcm], { type: "audio/wav" });
}
