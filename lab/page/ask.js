// What the page asks the server: one request at a time, and always the newest.

// Failure is what the server refuses, in one line.
export class Failure extends Error {}

export async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new Failure('The lab does not answer; is kerf lab still running?');
  }
  if (answer.ok) return answer;
  let text = 'The lab answered with status ' + answer.status + '.';
  try {
    text = (await answer.json()).error || text;
  } catch { /* not from the lab */ }
  throw new Failure(text);
}

// frame reads an answer: a length, a JSON text, and the arrays that it lists.
export function frame(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  let at = 4 + size;
  for (const { name, kind, count } of answer.sections) {
    answer[name] = kind === 'f4' ? new Float32Array(buffer, at, count) : new Uint8Array(buffer, at, count);
    at += kind === 'f4' ? 4 * count : Math.ceil(count / 4) * 4;
  }
  return answer;
}

const coarse = 64, rest = 150; // cells of a draft, and milliseconds without a move before the whole answer

// Pump asks for the states that it is given: a draft for the newest as soon as the one
// before is there, and all of it once nothing moves.
export class Pump {
  constructor(cells, show, fail) {
    Object.assign(this, { cells, show, fail, wanted: null, busy: false, whole: null, timer: 0, asked: 0 });
  }

  move(state, still) {
    this.wanted = this.last = state;
    this.whole?.abort();
    clearTimeout(this.timer);
    if (still) {
      this.finish();
      return;
    }
    this.timer = setTimeout(() => this.finish(), rest);
    if (!this.busy) this.draft();
  }

  async draft() {
    this.busy = true;
    while (this.wanted) {
      const state = this.wanted;
      this.wanted = null;
      await this.one({ ...state, draft: true, cells: coarse });
    }
    this.busy = false;
  }

  finish() {
    const state = this.last;
    this.wanted = null;
    this.whole = new AbortController();
    this.one({ ...state, draft: false, cells: this.cells() }, this.whole.signal);
  }

  async one(state, signal) {
    const turn = ++this.asked, begun = performance.now();
    try {
      const answer = await ask('api/compute', {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(state), signal,
      });
      const got = frame(await answer.arrayBuffer());
      if (turn < (this.shown || 0)) return; // a later one was faster
      this.shown = turn;
      this.show(got, state, performance.now() - begun);
    } catch (e) {
      if (e.name !== 'AbortError' && turn === this.asked) this.fail(e);
    }
  }
}
