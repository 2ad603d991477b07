// Plays what comes, a little held back so that a late piece leaves no hole; what piles up beyond a limit is left out.
class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.pieces = [];
    this.waiting = 0;
    this.at = 0;
    this.flows = false;
    this.port.onmessage = (event) => {
      this.pieces.push(event.data);
      this.waiting += event.data.length;
    };
  }

  process(inputs, outputs) {
    const out = outputs[0][0];
    if (this.waiting > 0.5 * sampleRate) this.drop(this.waiting - Math.round(0.1 * sampleRate));
    if (!this.flows && this.waiting < 0.06 * sampleRate) return true;
    this.flows = true;
    for (let i = 0; i < out.length; i++) {
      if (!this.pieces.length) {
        this.flows = false;
        break;
      }
      out[i] = this.pieces[0][this.at];
      this.step();
    }
    return true;
  }

  step() {
    this.waiting--;
    if (++this.at === this.pieces[0].length) {
      this.pieces.shift();
      this.at = 0;
    }
  }

  drop(count) {
    while (count-- > 0) this.step();
  }
}

registerProcessor("player", Player);
