// Named snapshots of a model, with the commands that bring them back.

import {command, el, reconcile, setText, table} from './dom.js';
import {count, word} from './format.js';

/** Table of the named snapshots, newest first; without one, the command that makes one. */
export class Versions {
  constructor(model) {
    this.model = model;
    this.table = table('Named snapshots', ['Name', {number: 'Epoch'}, {number: 'Updates'}, {number: 'Offset'}, 'Makes it the model again'], 'stacked');
    this.none = el('div', {}, el('p', {class: 'quiet'}, 'None. To keep the model as it is now under a name, run'),
      command(`./perceptron versions tag ${word(model)} v1`));
    this.node = el('div', {}, this.none, this.table.node);
  }

  /** Shows the field of the details of a model. */
  show(versions) {
    this.none.hidden = versions.length > 0;
    this.table.node.hidden = versions.length === 0;
    reconcile(this.table.body, versions.slice().reverse(), each => `${each.name} ${each.offset}`, ({name}) => el('tr', {}, el('td', {class: 'text'}, name),
      ...[1, 2, 3].map(() => el('td', {class: 'number'})), el('td', {}, command(`./perceptron versions rollback ${word(this.model)} ${name}`))),
    (row, each) => [each.epoch, each.updates, each.offset].forEach((number, k) => setText(row.cells[k + 1], count(number))));
  }
}
