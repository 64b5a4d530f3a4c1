// The state of the page, and its place in the address.

export const begin = {};

// short names of the state's parts in the address.
const parts = {
  data: 'data', n: 'n', noise: 'noise', seed: 'seed', table: 'table', columns: 'columns', kernel: 'kernel', map: 'map',
  dim: 'dim', project: 'project', select: 'select', learner: 'learner', penalty: 'penalty', bias: 'bias', error: 'error',
  confidence: 'confidence', drawn: 'drawn',
};

const round = v => Number(v.toPrecision(6));

// encode returns the part of the address that stands for a state: what differs from the
// beginning.
export function encode(state) {
  const out = new URLSearchParams();
  for (const [key, name] of Object.entries(parts)) {
    const value = state[key];
    if (key === 'drawn') {
      if (value.length) out.set(name, value.map(p => [round(p[0]), round(p[1]), p[2]].join(',')).join(';'));
    } else if (key === 'columns') {
      if (value.length) out.set(name, JSON.stringify(value));
    } else if (value !== begin[key]) {
      out.set(name, key === 'bias' ? (value ? '1' : '0') : String(value));
    }
  }
  return '#' + out;
}

// decode returns the state of an address. What cannot be read is as at the beginning; what
// is out of range the server refuses.
export function decode(hash) {
  const state = structuredClone(begin), given = new URLSearchParams(hash.replace(/^#/, ''));
  for (const [key, name] of Object.entries(parts)) {
    const text = given.get(name);
    if (text === null) continue;
    switch (typeof begin[key]) {
      case 'number': {
        const v = Number(text);
        if (text.trim() && Number.isFinite(v)) state[key] = v;
        break;
      }
      case 'boolean': state[key] = text === '1'; break;
      case 'string': state[key] = text; break;
      default:
        if (key === 'drawn') state.drawn = points(text);
        else state.columns = names(text);
    }
  }
  return state;
}

function points(text) {
  return text.split(';').map(p => p.split(',').map(Number))
    .filter(p => p.length === 3 && p.every(Number.isFinite) && (p[2] === 0 || p[2] === 1));
}

function names(text) {
  try {
    const list = JSON.parse(text);
    if (Array.isArray(list) && list.every(c => typeof c === 'string')) return list;
  } catch { /* an address that was cut */ }
  return [];
}
