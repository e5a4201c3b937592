// Metrics by class, beside two baselines.

import {el, setText} from './dom.js';
import {count, share} from './format.js';

export class ClassMetrics {
  constructor() {
    this.summary = el('p', {class: 'quiet metrics-summary'});
    this.table = el('div');
    this.node = el('div', {}, this.summary, this.table);
    this.shown = null;
  }

  show({metrics}) {
    setText(this.summary, metrics ? summary(metrics) : 'Not counted yet, or not for this kind of model: sequences and candidates have no classes.');
    const text = JSON.stringify(metrics?.classes ?? null);
    if (text !== this.shown) {
      this.shown = text;
      this.table.replaceChildren(...metrics ? [el('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Metrics by class'},
        rows(metrics.classes))] : []);
    }
  }
}

function summary({classes, compared, comparedErrors, majorityErrors, sameErrors, balancedAccuracy, macroF1, kappa, kappaMajority, kappaSame, auc}) {
  // classes without a row of their own
  const hasOther = classes.some(each => each.label === null);
  const of = hasOther ? ` (of the first ${classes.length - 1} classes)` : '';
  const parts = [`Balanced accuracy ${share(balancedAccuracy)}${of}, macro F1 ${share(macroF1)}${of}, Cohen's kappa `
    + (hasOther && kappa === null ? `not counted for more than ${classes.length - 1} classes` : ratio(kappa))
    + (auc === null ? '.' : `, area under the ROC curve of the last scores ${ratio(auc)}.`)];
  if (compared > 0) {
    parts.push(`Of ${count(compared)} labelled examples the model got ${count(comparedErrors)} wrong, the majority label so far `
      + `${count(majorityErrors)} (kappa ${ratio(kappaMajority)}), and the last label ${count(sameErrors)} (kappa ${ratio(kappaSame)}).`);
  }
  if (compared > 0 && comparedErrors >= Math.min(majorityErrors, sameErrors)) {
    parts.push('So far the model is no better than one of these, which need no features.');
  }
  return parts.join(' ');
}

function ratio(number) {
  return number === null ? 'undefined' : number.toFixed(3);
}

function rows(classes) {
  return el('table', {},
    el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'class'),
      ...['true', 'predicted', 'correct', 'precision', 'recall', 'F1'].map(name => el('th', {scope: 'col', class: 'number'}, name)))),
    el('tbody', {}, ...classes.map(each => el('tr', {}, el('th', {scope: 'row'}, each.label ?? '(other)'),
      ...[count(each.examples), count(each.predicted), count(each.correct), share(each.precision), share(each.recall), share(each.f1)]
        .map(text => el('td', {class: 'number'}, text))))));
}
