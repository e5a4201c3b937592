// Time range of the charts of a model.

import {el} from './dom.js';
import {time} from './format.js';

/** The last seconds of event time that can be chosen; 0 is all of it. */
const CHOICES = [[0, 'all'], [300, 'last 5 minutes'], [3600, 'last hour'], [86_400, 'last day']];

const HINT = 'Drag in a chart to zoom, double-click to show all.';

/** Range of the time axis of all charts, in seconds: everything, the end of it, or a part that was dragged in a chart. */
export class TimeRange {
  constructor(onChange) {
    this.onChange = onChange;
    this.key = `range-${Math.random()}`;
    this.window = 10;
    this.zoom = null;
    this.choice = el('select', {id: 'range', change: () => this.choose(Number(this.choice.value))},
      ...CHOICES.map(([seconds, text]) => el('option', {value: String(seconds)}, text)));
    this.zoomed = el('span', {class: 'quiet'}, HINT);
    this.whole = el('button', {type: 'button', hidden: true, click: () => this.choose(0)}, 'Show all');
    this.node = el('div', {class: 'range'}, el('label', {for: 'range'}, 'Time range ', this.choice), this.zoomed, this.whole);
  }

  /** Sets the length of a counting window in ms, the shortest range of the axis. */
  setWindow(ms) {
    this.window = Math.max(1, ms / 1000);
  }

  choose(seconds) {
    this.choice.value = String(seconds);
    this.set(null);
  }

  /** Sets the part [low, high]; null ends the zoom. */
  set(zoom) {
    this.zoom = zoom;
    this.whole.hidden = !zoom && this.choice.value === '0';
    this.zoomed.textContent = zoom ? `${time(1000 * zoom[0])} to ${time(1000 * zoom[1])}` : HINT;
    this.onChange();
  }

  /** Returns the range of the axis for data between two times, which may be equal. */
  of(first, last) {
    if (this.zoom) {
      return this.zoom;
    }
    const seconds = Number(this.choice.value);
    const low = seconds > 0 ? last - seconds : first;
    // uPlot makes an axis of years of a single point
    return [Math.min(low, last - this.window), last];
  }
}
