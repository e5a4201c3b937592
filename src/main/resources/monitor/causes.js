// Features that are most often in the evidence of a model's last mistakes.

import {el, reconcile, setText, table} from './dom.js';
import {count, real} from './format.js';

export class Causes {
  constructor() {
    this.text = el('p', {class: 'quiet'});
    this.table = table('Features of the last mistakes', ['Feature', {number: 'Mistakes'}, {number: 'Pulled wrong'}, {number: 'Mean pull'}]);
    this.node = el('div', {}, this.text, this.table.node);
  }

  show({mistakes, explained, causes}) {
    setText(this.text, explained === 0
      ? 'No mistake with evidence was read: set explain to see the features, with a kernel the examples, that are in most mistakes.'
      : `In the last ${count(mistakes)} mistakes that were read, ${count(explained)} of them with evidence. `
        + 'Those that pulled to the wrong answer most often come first; a feature of many examples is in many mistakes, too.');
    this.table.node.hidden = causes.length === 0;
    reconcile(this.table.body, causes, cause => cause.name, cause => el('tr', {}, el('td', {class: 'text'}, cause.name),
      ...[0, 1, 2].map(() => el('td', {class: 'number'}))), (row, cause) => {
      [count(cause.mistakes), count(cause.pulledWrong), real(cause.meanContribution)]
        .forEach((text, k) => setText(row.cells[k + 1], text));
    });
  }
}
