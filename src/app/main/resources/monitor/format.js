// Formats numbers, times and labels. Shares are fractions, not percentages.

const COUNT = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', {maximumSignificantDigits: 4});
const NONE = '–';

export function count(number) {
  return number === null || number === undefined ? NONE : COUNT.format(number);
}

export function real(number) {
  if (number === null || number === undefined) {
    return NONE;
  }
  const size = Math.abs(number);
  return size !== 0 && (size < 1e-4 || size >= 1e9) ? number.toExponential(3) : SHORT.format(number);
}

export function share(number) {
  return number === null || number === undefined ? NONE : number.toFixed(4);
}

export function rate(number) {
  if (number === null || number === undefined) {
    return NONE;
  }
  return number < 0.1 ? real(number) : COUNT.format(Number(number.toFixed(number < 10 ? 1 : 0)));
}

export function bytes(number) {
  if (number === null || number === undefined) {
    return NONE;
  }
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) {
    number /= 1024;
    unit++;
  }
  return `${SHORT.format(number)} ${units[unit]}`;
}

/** Time of day, with the date if it is not today. */
export function time(ms) {
  if (ms === null || ms === undefined) {
    return NONE;
  }
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) {
    return String(ms);
  }
  const clock = at.toLocaleTimeString('en-GB');
  return at.toDateString() === new Date().toDateString() ? clock : `${at.toLocaleDateString('sv')} ${clock}`;
}

const UNITS = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'min'], [1_000, 's'], [1, 'ms']];

/** A duration in the largest unit of which it has at least one. */
export function duration(ms) {
  if (ms === null || ms === undefined) {
    return NONE;
  }
  const [size, unit] = UNITS.find(([each]) => ms >= each) ?? UNITS[UNITS.length - 1];
  return `${Math.round(10 * ms / size) / 10} ${unit}`;
}

/** Time since an event; event times can also be in the future. */
export function age(ms) {
  if (ms === null || ms === undefined) {
    return NONE;
  }
  const seconds = Math.round((Date.now() - ms) / 1000);
  if (seconds < -5) {
    return time(ms);
  }
  if (seconds < 5) {
    return 'now';
  }
  const [size, unit] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']].find(([each]) => seconds >= each);
  return `${Math.floor(seconds / size)} ${unit} ago`;
}

/** A label, a prediction or another value of an event. */
export function label(value) {
  if (value === null || value === undefined) {
    return 'none';
  }
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/** A text as one word of a shell. */
export function word(text) {
  return /^[A-Za-z0-9_.,:+@%/=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const STATES = {
  LIVE: ['●', 'live', 'good'],
  FROZEN: ['■', 'frozen', 'calm'],
  QUARANTINED: ['▲', 'quarantined', 'bad'],
  DELETED: ['✕', 'deleted', 'calm'],
};

/** Text and tone of the state of a model; the text has a sign, because colour alone is not accessible. */
export function state(name) {
  const [sign, word, tone] = STATES[name] ?? ['?', String(name).toLowerCase(), 'calm'];
  return {text: `${sign} ${word}`, tone};
}
