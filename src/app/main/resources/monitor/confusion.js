// Confusion matrix of true and emitted labels, as the engine counted them.

import {el, setText} from './dom.js';
import {count} from './format.js';

const OTHER = '(other)';

export class ConfusionMatrix {
  constructor() {
    this.counted = el('p', {class: 'quiet'});
    this.table = el('div');
    this.node = el('div', {}, this.counted, this.table);
    this.shown = null;
  }

  show(details) {
    const confusion = details.confusion && rows(details.confusion);
    setText(this.counted, confusion ? counted(confusion, details) : missing(details));
    const text = JSON.stringify(confusion);
    if (text === this.shown) {
      return;
    }
    this.shown = text;
    this.table.replaceChildren(...confusion ? [el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Confusion matrix'},
      matrix(confusion))] : []);
  }
}

/** The matrix with a row of counts for each true label; the event has them one after the other. */
function rows({labels, counts, otherErrors}) {
  const names = counts.length > labels.length ** 2 ? [...labels, OTHER] : labels;
  return {names, otherErrors, counts: names.map((_, row) => counts.slice(row * names.length, (row + 1) * names.length))};
}

/** Reason for which there is no matrix. */
function missing({algorithm, labelled}) {
  if (algorithm === 'sequence') {
    return 'Not counted for sequences: their labels are lists of tags, of which a pair hardly occurs twice.';
  }
  if (algorithm === 'structured') {
    return 'Not counted for candidates: each example has outputs of its own.';
  }
  return labelled === 0 ? 'No labelled example yet.'
    : 'Not available: nothing was counted yet, or the monitor has too many models to keep a matrix of this size.';
}

/** Numbers of examples in the matrix and outside. */
function counted({counts, otherErrors}, {labelled}) {
  const right = counts.reduce((sum, row, k) => sum + row[k], 0);
  const all = counts.flat().reduce((sum, number) => sum + number, 0) + otherErrors;
  const parts = [`${count(all)} labelled examples: ${count(right)} on the diagonal were right, ${count(all - right)} were errors.`];
  if (otherErrors > 0) {
    parts.push(`${count(otherErrors)} errors between two other labels are in no cell.`);
  }
  if (labelled > all) {
    parts.push(`Not counted: ${count(labelled - all)}, which had no prediction, or were learned before the engine counted or before an import.`);
  }
  return parts.join(' ');
}

function matrix({names, counts}) {
  const max = most(counts.map((row, k) => row.filter((_, j) => j !== k)).flat());
  const sums = names.map((_, k) => counts.reduce((sum, row) => sum + row[k], 0));
  return el('table', {class: 'matrix'},
    el('caption', {class: 'hidden-text'}, 'Rows: true label. Columns: emitted label.'),
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'label ╲ predicted'), ...names.map(name => head('col', name)), head('col', 'sum'))),
    el('tbody', {}, ...counts.map((row, k) => el('tr', {}, el('th', {scope: 'row'}, names[k]),
      ...row.map((number, j) => el('td', {class: j === k ? 'number right' : 'number',
        'data-level': j !== k && number ? String(Math.ceil(4 * number / max)) : null}, count(number))),
      el('td', {class: 'number quiet'}, count(row.reduce((sum, number) => sum + number, 0)))))),
    el('tfoot', {}, el('tr', {}, el('th', {scope: 'row'}, 'sum'), ...sums.map(number => el('td', {class: 'number quiet'}, count(number))),
      el('td', {class: 'number quiet'}, count(sums.reduce((sum, number) => sum + number, 0))))));
}

function head(scope, name) {
  return el('th', {scope, class: 'number'}, name);
}

function most(numbers) {
  return numbers.reduce((largest, number) => Math.max(largest, number), 1);
}
