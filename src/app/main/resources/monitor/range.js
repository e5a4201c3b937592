// Axis of the charts of a model, and the part of it that they show.

import {chosen, keep} from './address.js';
import {el} from './dom.js';
import {count, time} from './format.js';
import {STEPS} from './series.js';

/** The last seconds or examples that can be chosen; 0 is all of them. */
const CHOICES = {
  time: [[0, 'all'], [300, 'last 5 minutes'], [3600, 'last hour'], [86_400, 'last day']],
  examples: [[0, 'all'], [100, 'last 100'], [1000, 'last 1,000'], [10_000, 'last 10,000'], [100_000, 'last 100,000']],
};

/** Shortest window with window.ms=auto. */
const AUTO_MS = 10_000;

const HINT = 'Drag in a chart to zoom, double-click to show all.';

/**
 * The axis of all charts, event time in seconds or the labelled examples of the epoch, and its range: everything, the end
 * of it, or a part that was dragged in a chart. All of it is kept in the address.
 */
export class ChartRange {
  /** `fixed` is an axis that cannot be turned; `prefix` distinguishes the choices of several ranges of a page in the address. */
  constructor(onChange, fixed = null, prefix = '') {
    this.onChange = onChange;
    Object.assign(this, {fixed, prefix});
    this.key = `range-${Math.random()}`;
    this.window = 10;
    const all = chosen();
    const given = {get: name => all.get(prefix + name)};
    // null: the data decide
    this.wanted = fixed ?? (Object.hasOwn(CHOICES, given.get('axis') ?? '') ? given.get('axis') : null);
    this.axis = this.wanted ?? 'time';
    const zoom = [given.get('from'), given.get('to')].map(each => each ? Number(each) : NaN);
    this.zoom = this.wanted && zoom[0] < zoom[1] ? zoom : null;
    this.axes = el('select', {id: `${prefix}axis`, change: () => this.turn(this.axes.value)},
      el('option', {value: 'time'}, 'event time'), el('option', {value: 'examples'}, 'labelled examples'));
    this.choice = el('select', {id: `${prefix}range`, change: () => this.choose(Number(this.choice.value))});
    this.zoomed = el('span', {class: 'quiet'});
    this.whole = el('button', {type: 'button', click: () => this.choose(0)}, 'Show all');
    this.node = el('div', {class: 'range'}, fixed ? null : el('label', {for: `${prefix}axis`}, 'Charts over ', this.axes),
      el('label', {for: `${prefix}range`}, 'Range ', this.choice), this.zoomed, this.whole);
    this.fill();
    const range = given.get('range');
    if (this.wanted && CHOICES[this.axis].some(([size]) => String(size) === range)) {
      this.choice.value = range;
    }
    this.show();
  }

  /** Sets the length of a counting window, the shortest range of the time axis, as the setting window.ms has it. */
  setWindow(setting) {
    this.window = Math.max(1, (Number(setting) || AUTO_MS) / 1000);
  }

  /** Takes the axis that suits the data, unless one was chosen. */
  suit(isSparse) {
    const axis = this.wanted ?? (isSparse ? 'examples' : 'time');
    if (axis !== this.axis) {
      this.axis = axis;
      this.fill();
      this.show();
    }
  }

  turn(axis) {
    this.axis = this.wanted = axis;
    this.fill();
    this.set(null);
  }

  fill() {
    this.axes.value = this.axis;
    this.choice.replaceChildren(...CHOICES[this.axis].map(([size, text]) => el('option', {value: String(size)}, text)));
    this.choice.value = '0';
  }

  choose(size) {
    this.choice.value = String(size);
    this.set(null);
  }

  /** Sets the part [low, high]; null ends the zoom. */
  set(zoom) {
    this.zoom = zoom;
    // a choice that was made on this axis would mean nothing on another
    this.wanted = this.axis;
    const choices = {axis: this.fixed ? null : this.axis, range: this.choice.value === '0' ? null : this.choice.value,
      from: zoom && this.rounded(zoom[0]), to: zoom && this.rounded(zoom[1])};
    keep(Object.fromEntries(Object.entries(choices).map(([name, value]) => [this.prefix + name, value])));
    this.show();
    this.onChange();
  }

  rounded(number) {
    return Number(number.toFixed(this.axis === 'time' ? 3 : 1));
  }

  show() {
    const text = this.axis === 'time' ? each => time(1000 * each) : each => count(Math.round(each));
    this.whole.hidden = !this.zoom && this.choice.value === '0';
    this.zoomed.textContent = this.zoom ? `${text(this.zoom[0])} to ${text(this.zoom[1])}` : HINT;
  }

  /** Returns the labelled examples that a step of a chart should have at least, where `last` is the last place; 0 over time. */
  step(last) {
    const [low, high] = this.axis === 'examples' ? this.of(0, last) : [0, 0];
    return (high - low) / STEPS;
  }

  /** Returns the range of the axis for data between two places, which may be equal. Marks outside of it, such as today's commands beside examples of the past, are not drawn. */
  of(first, last) {
    if (this.zoom) {
      return this.zoom;
    }
    const size = Number(this.choice.value);
    if (this.axis === 'examples') {
      return [size > 0 ? Math.max(0, last - size) : Math.min(0, first), Math.max(1, last)];
    }
    if (size > 0) {
      return [Math.min(last - size, last - this.window), last];
    }
    // uPlot makes an axis of years of a single point
    return [Math.min(first, last - (last > first ? 1 : this.window)), last];
  }
}
