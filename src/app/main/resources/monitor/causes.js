// Features that are most often in the evidence of a model's last mistakes.

import {command, el, reconcile, setText, table} from './dom.js';
import {count, real} from './format.js';

/** The command after which mistakes have evidence. */
export function explain(model) {
  return `./perceptron models set ${model} explain=10`;
}

export class Causes {
  constructor(model) {
    this.text = el('p', {class: 'quiet'});
    this.table = table('Features of the last mistakes', ['Feature', {number: 'Mistakes'}, {number: 'Pulled wrong'}, {number: 'Mean pull'}], 'stacked');
    this.command = command(explain(model));
    this.node = el('div', {}, this.text, this.command, this.table.node);
  }

  show({mistakes, explained, causes}) {
    this.command.hidden = explained > 0;
    setText(this.text, explained === 0
      ? 'No mistake with evidence was read. To see the features, with a kernel the examples, that are in most of the next mistakes, run'
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
