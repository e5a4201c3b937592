// Labels that come apart from their examples: what waits, and how long labels take.

import {modelPath} from './api.js';
import {csv, el, setText} from './dom.js';
import {count, duration, share} from './format.js';

/** Counts and delays of late labels; hidden for models without any. */
export class LateLabels {
  constructor(model) {
    this.text = el('p', {class: 'labels'});
    this.waiting = el('p', {class: 'labels-waiting'});
    this.delays = el('table', {class: 'delays'});
    this.fold = el('details', {class: 'delays-part'}, el('summary', {}, 'Delays of labels'), el('div', {class: 'scroll', tabindex: '0', role: 'region',
      'aria-label': 'Delays of labels'}, this.delays), csv(modelPath(model), 'delays'));
    this.node = el('div', {hidden: true}, this.text, this.waiting, this.fold);
  }

  /** Shows the fields of a model's details about labels. */
  show(labels) {
    const {pending, pendingLabels, late, unlabelled, defaulted, duplicates, delays} = labels;
    this.node.hidden = pending + pendingLabels + late + unlabelled + defaulted + duplicates + delays.length === 0;
    setText(this.text, `Labels apart from their examples: ${count(pending)} examples wait, `
      + (pendingLabels ? `${count(pendingLabels)} labels wait for their examples, ` : '') + `${count(late)} labels came in time, `
      + `${count(unlabelled)} examples had none in time`
      + (defaulted ? `, ${count(defaulted)} were learned with the default label` : '')
      + (duplicates ? `, ${count(duplicates)} examples with a known id were refused` : '')
      + (labels.labelledShare === null ? '.' : `. Share of the examples that wait no more whose label came in time: ${share(labels.labelledShare)}.`));
    this.waiting.hidden = labels.nextDue === null;
    if (labels.nextDue !== null) {
      const left = labels.nextDue - labels.streamTime;
      setText(this.waiting, (labels.oldestPending === null ? '' : `The oldest example waits for ${duration(labels.pendingAgeMs)}. `)
        + `The next record is due ${left < 0 ? 'now' : `in ${duration(left)}`}. Both in event time.`);
    }
    this.fold.hidden = delays.length === 0;
    this.delays.replaceChildren(el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'delay, event time'),
      el('th', {scope: 'col', class: 'number'}, 'labels'))), el('tbody', {}, ...rows(delays)));
  }
}

/** A row for each bucket from the first that is not empty. */
function rows(delays) {
  const first = delays.findIndex(bucket => bucket.labels > 0);
  return delays.slice(first).map(({upToMs, labels}) => el('tr', {},
    el('th', {scope: 'row'}, upToMs === null ? `above ${duration(delays[delays.length - 2].upToMs)}` : `at most ${duration(upToMs)}`),
    el('td', {class: 'number'}, count(labels))));
}
