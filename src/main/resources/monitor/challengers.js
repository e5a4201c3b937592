// Challengers of a model: errors on the same examples, and the evidence of their trials.

import {el, reconcile, setAttribute, setText, table} from './dom.js';
import {count, share} from './format.js';

/** Table of the challengers, with the command that promotes each; hidden for models without any. */
export class Challengers {
  constructor(model) {
    this.model = model;
    this.table = table('Challengers', ['Challenger', 'Settings that differ', {number: 'Compared'}, {number: 'Error'}, {number: 'Of the model'},
      'Evidence', 'Trial'], 'stacked');
    this.node = el('section', {class: 'part', hidden: true}, el('h2', {}, 'Challengers'),
      el('p', {class: 'quiet'}, 'Models that learn the same examples with other settings. Errors are of the labelled examples that both predicted since the trial began.'),
      this.table.node);
  }

  /** Shows the field of the details of a model. */
  show(challengers) {
    this.node.hidden = challengers.length === 0;
    reconcile(this.table.body, challengers, each => `${each.name} ${each.epoch}`, each => this.row(each), (row, each) => {
      const {bar, numbers, trial, counts} = row.parts;
      setText(counts[0], count(each.labelled));
      setText(counts[1], share(each.labelled ? each.errors / each.labelled : null));
      setText(counts[2], share(each.labelled ? each.championErrors / each.labelled : null));
      bar.max = each.threshold;
      bar.value = Math.max(0, Math.min(each.evidence, each.threshold));
      setText(numbers, `${each.evidence.toFixed(2)} of ${each.threshold.toFixed(2)}`);
      setText(trial, verdict(each));
      setAttribute(trial, 'data-tone', {BETTER: 'good', WORSE: 'bad'}[each.verdict] ?? null);
    });
  }

  row(challenger) {
    const bar = el('progress', {'aria-label': 'Evidence, and the evidence that is enough'});
    const numbers = el('span', {class: 'quiet'});
    const trial = el('td');
    const counts = [1, 2, 3].map(() => el('td', {class: 'number'}));
    const settings = Object.entries(challenger.settings).map(([name, value]) => `${name}=${value}`);
    // a shadow takes over by itself
    const promote = challenger.name === 'drift' ? null : el('code', {}, `./perceptron models promote ${this.model} ${challenger.name}`);
    const row = el('tr', {}, el('td', {}, challenger.name), el('td', {}, settings.join(' ') || 'none', el('br'), promote), ...counts,
      el('td', {}, bar, el('br'), numbers), trial);
    row.parts = {bar, numbers, trial, counts};
    return row;
  }
}

/** The verdict in words, with the number of examples to come. */
function verdict({verdict: found, labelled, remaining, promote}) {
  if (found === 'BETTER') {
    return promote === 'auto' ? 'better, promoted by itself' : 'better';
  }
  if (found === 'WORSE') {
    return 'worse';
  }
  if (labelled === 0) {
    return 'not begun yet';
  }
  return remaining === null ? 'open, no verdict in sight' : `open: about ${count(remaining)} more examples`;
}
