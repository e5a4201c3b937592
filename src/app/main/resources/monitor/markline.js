// Line of marks: what has happened to a model, at its example, epoch by epoch.

import {el} from './dom.js';
import {count, time} from './format.js';

/** Changes of settings and advice do not end or keep anything. */
const LEFT_OUT = ['CONFIGURE', 'ADVICE', 'COMPARATOR', 'DEFAULTS'];

export class MarkLine {
  constructor() {
    this.list = el('ol', {class: 'marks'});
    this.node = el('section', {class: 'part', hidden: true, 'aria-label': 'Epochs and marks'}, this.list);
  }

  /** Shows numbered marks, oldest first. */
  show(marks) {
    const shown = marks.filter(mark => !LEFT_OUT.includes(mark.kind));
    const text = JSON.stringify(shown);
    this.node.hidden = shown.length === 0;
    if (text === this.shown) {
      return;
    }
    this.shown = text;
    const items = [];
    let epoch = null;
    for (const mark of shown) {
      if (mark.epoch !== null && mark.epoch !== epoch) {
        epoch = mark.epoch;
        items.push(el('li', {class: 'epoch'}, `epoch ${epoch}`));
      }
      items.push(el('li', {class: 'mark', 'data-tone': mark.isAlert ? 'bad' : null, title: [time(mark.timestamp), mark.text].filter(each => each).join(': ')},
        `${mark.isAlert ? '▲' : ''}${mark.number} ${named(mark)}`, el('span', {class: 'quiet'}, mark.examples === null ? '' : ` at ${count(mark.examples)}`)));
    }
    this.list.replaceChildren(...items);
  }
}

/** The kind in words; a named snapshot and a rollback are named by the text of the mark. */
function named({kind, text}) {
  const [first] = text.split(', ');
  const isNamed = kind === 'SNAPSHOT' && /^(un)?tag /.test(first) || kind === 'IMPORT' && first.startsWith('rollback');
  return isNamed ? first : kind.toLowerCase().replaceAll('_', ' ');
}
