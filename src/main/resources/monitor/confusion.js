// Confusion matrix of labels and predictions.

import {el, setText} from './dom.js';
import {count, label, time} from './format.js';

const MAX_LABELS = 12;

export class ConfusionMatrix {
  constructor() {
    this.counted = el('p', {class: 'quiet'});
    this.table = el('div');
    this.node = el('div', {}, this.counted, this.table);
    this.shown = null;
  }

  show({confusion, confusionSince, summary}) {
    setText(this.counted, counted(confusion, confusionSince, summary));
    const text = JSON.stringify(confusion);
    if (text === this.shown) {
      return;
    }
    this.shown = text;
    if (confusion.length === 0) {
      this.table.replaceChildren();
      return;
    }
    const labels = [...new Set(confusion.flatMap(cell => [cell.label, label(cell.predicted)]))].sort();
    this.table.replaceChildren(
      el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Confusion matrix'},
        labels.length <= MAX_LABELS ? matrix(labels, confusion) : pairs(confusion)));
  }
}

/** What is in the matrix, beside what is not. */
function counted(confusion, since, summary) {
  const errors = summary.asOf === null ? '' : ` As of ${time(summary.asOf)} there are ${count(summary.errors)} errors in `
    + `${count(summary.labelled)} labelled examples: ${count(summary.labelled - summary.errors)} were predicted correctly.`;
  if (confusion.length === 0) {
    return `No mistake with a wrong emitted label was read in this epoch.${errors}`;
  }
  const sum = confusion.reduce((all, cell) => all + cell.count, 0);
  return `Counts ${sum === 1 ? 'the 1 mistake' : `the ${count(sum)} mistakes`} with a wrong emitted label that were read since ${time(since)}. `
    + `Not counted: correct predictions, and errors that are no mistakes.${errors}`;
}

function matrix(labels, confusion) {
  const counts = new Map(confusion.map(cell => [JSON.stringify([cell.label, label(cell.predicted)]), cell.count]));
  const max = Math.max(...confusion.map(cell => cell.count));
  return el('table', {class: 'matrix'},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'label ╲ predicted'), ...labels.map(name => el('th', {scope: 'col', class: 'number'}, name)))),
    el('tbody', {}, ...labels.map(row => el('tr', {}, el('th', {scope: 'row'}, row), ...labels.map(name => {
      const number = counts.get(JSON.stringify([row, name])) ?? 0;
      return el('td', {class: 'number', 'data-level': number ? String(Math.ceil(4 * number / max)) : null},
        row === name ? '·' : count(number));
    })))));
}

function pairs(confusion) {
  return el('table', {},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Label'), el('th', {scope: 'col'}, 'Predicted'), el('th', {scope: 'col', class: 'number'}, 'Count'))),
    el('tbody', {}, ...confusion.slice(0, 30).map(cell => el('tr', {}, el('td', {class: 'text'}, cell.label),
      el('td', {class: 'text'}, label(cell.predicted)), el('td', {class: 'number'}, count(cell.count))))));
}
