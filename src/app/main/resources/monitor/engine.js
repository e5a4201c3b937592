// View of the engine: state, lag, restoration and dead letters.

import {Poll, get} from './api.js';
import {DefinitionList, command, csv, el, heading, reconcile, setText, table} from './dom.js';
import {bytes, count, rate, real, time} from './format.js';
import {RowChoice} from './rows.js';

export class EngineView {
  constructor() {
    this.title = 'Engine';
    this.facts = new DefinitionList([
      ['state', 'of Kafka Streams, or of the consumer group'], ['runs', 'in this or another process'],
      ['lag', 'records of the examples topic that are not learned yet'], ['examples/s', 'processed, over the last 30 s'],
      ['commit latency', 'mean of the last 30 s'], ['longest commit', 'of the last 30 s'],
      ['commits/s', 'over all threads'], ['group', 'state of the consumer group, members'],
      ['models in memory', 'of this process'], ['heap of models', 'of this process'], ['changed blocks per checkpoint', 'since the start'],
      ['flush time', 'mean per checkpoint, since the start'], ['rerouted', 'records from a wrong partition'],
      ['dead letters', 'rejected records'], ['monitor reads', 'state and lag of the reader of this page'],
      ['unreadable events', 'skipped by the monitor'], ['event streams', 'open browsers and other clients']]);
    this.fault = el('p', {class: 'quiet'});
    this.lag = table('Lag', [{number: 'Partition'}, {number: 'Committed'}, {number: 'End'}, {number: 'Lag'}]);
    this.noLag = el('p', {class: 'quiet'}, 'Not known yet.');
    this.restoration = table('Restoration', [{number: 'Partition'}, 'Progress', {number: 'Records'}, 'Done']);
    this.noRestoration = el('p', {class: 'quiet'}, 'This process has restored no models.');
    this.reasons = table('Reasons', ['Reason', {number: 'Records'}]);
    this.letterChoice = new RowChoice('letters', 'Search in dead letters ', [{head: 'Time', value: letter => letter.timestamp}, {head: 'Model', value: letter => letter.model},
      {head: 'Reason', value: letter => letter.reason}, {head: 'Message', value: letter => letter.message}, {head: 'From', value: from},
      {head: 'Bytes', value: letter => letter.valueBytes, isNumber: true}], () => this.showLetters(this.found));
    this.letters = table('Latest dead letters', this.letterChoice.heads, 'stacked');
    this.noLetters = el('div', {}, el('p', {class: 'quiet'}, 'None. Rejected records are listed here; to read them, run'),
      command('./perceptron watch dead-letters --from-beginning'));
    this.node = el('section', {},
      el('h1', {}, 'Engine'), this.facts.node, this.fault,
      el('div', {class: 'pair'},
        el('section', {class: 'part'}, heading('Lag of each partition', csv('engine', 'engine.progress.partitions')), this.noLag, this.lag.node),
        el('section', {class: 'part'}, heading('Restoration', csv('engine', 'engine.restoration')), this.noRestoration, this.restoration.node)),
      el('section', {class: 'part'}, heading('Dead letters', csv('dead-letters', 'latest', [['limit', 200]])), this.noLetters, this.reasons.node,
        el('p', {class: 'quiet'}, 'Reasons: ', csv('dead-letters', 'byReason')), this.letterChoice.node, this.letters.node));
    this.reasons.node.hidden = this.letterChoice.node.hidden = this.letters.node.hidden = this.restoration.node.hidden = this.lag.node.hidden = true;
    this.poll = new Poll(async () => this.showLetters(await get('dead-letters', {limit: 200})), 2000);
  }

  /** Shows an answer of `engine`, which `main.js` requests. */
  engine(answer) {
    if (!answer) {
      return;
    }
    const {mode, state, commits, store, progress, feed, restoration} = answer.engine;
    const lags = progress.partitions ?? [];
    const known = lags.filter(each => each.lag !== null);
    const values = {
      'state': (state ?? 'unknown').toLowerCase().replaceAll('_', ' '),
      'runs': mode === 'IN_PROCESS' ? 'in this process' : 'in another process',
      'lag': lags.length ? count(known.reduce((sum, each) => sum + each.lag, 0)) : '–',
      'examples/s': rate(commits?.processedPerSecond),
      'commit latency': milliseconds(commits?.latencyAvgMs),
      'longest commit': milliseconds(commits?.latencyMaxMs),
      'commits/s': rate(commits?.perSecond),
      'group': `${(progress.groupState ?? 'unknown').toLowerCase()}, ${progress.members ?? 0} ${progress.members === 1 ? 'member' : 'members'}`,
      'models in memory': count(store?.liveModels),
      'heap of models': bytes(store?.heapBytes),
      'changed blocks per checkpoint': store?.flushes ? real(store.dirtyBlocks / store.flushes) : '–',
      'flush time': store?.flushes ? milliseconds(store.flushNanos / store.flushes / 1e6) : '–',
      'rerouted': count(answer.rerouted),
      'monitor reads': `${feed.state.toLowerCase().replaceAll('_', ' ')}, ${count(feed.lag)} behind`,
      'unreadable events': count(feed.unreadable),
      'event streams': `${answer.streams} of ${answer.maxStreams}`,
    };
    Object.entries(values).forEach(([name, text]) => this.facts.set(name, text));
    const answered = progress.at === null ? 'The brokers have not answered yet' : `The brokers answered at ${time(progress.at)}`;
    setText(this.fault, progress.fault ? `${answered}: ${progress.fault}` : `${answered}.`);
    this.lag.node.hidden = lags.length === 0;
    this.noLag.hidden = lags.length > 0;
    reconcile(this.lag.body, lags, each => each.partition,
      each => el('tr', {}, el('td', {class: 'number'}, String(each.partition)), ...[1, 2, 3].map(() => el('td', {class: 'number'}))),
      (row, each) => [each.committed, each.end, each.lag].forEach((value, k) => setText(row.children[k + 1], count(value))));
    this.showRestoration(restoration ?? [], mode);
  }

  showRestoration(restoration, mode) {
    this.restoration.node.hidden = restoration.length === 0;
    this.noRestoration.hidden = restoration.length > 0;
    setText(this.noRestoration, mode === 'ALONE' ? 'Only available in the process of the engine: start it with --http-port.'
      : 'This process has restored no models.');
    reconcile(this.restoration.body, restoration, each => each.partition,
      each => el('tr', {}, el('td', {class: 'number'}, String(each.partition)),
        el('td', {}, el('progress', {'aria-label': `partition ${each.partition}`})), el('td', {class: 'number'}), el('td')),
      (row, each) => {
        const bar = row.querySelector('progress');
        // a fraction: with a total of 0 records, it is 1
        bar.value = each.isDone ? 1 : each.total > 0 ? each.restored / each.total : 0;
        setText(row.children[2], `${count(each.restored)} of ${count(each.total)}`);
        setText(row.children[3], each.isDone ? '✓ yes' : '… no');
      });
  }

  showLetters(found) {
    this.found = found;
    const {total, byReason, latest} = found;
    this.facts.set('dead letters', count(total));
    this.noLetters.hidden = total > 0;
    this.reasons.node.hidden = this.letterChoice.node.hidden = this.letters.node.hidden = total === 0;
    reconcile(this.reasons.body, Object.entries(byReason).sort((a, b) => b[1] - a[1]), ([reason]) => reason,
      ([reason]) => el('tr', {}, el('td', {class: 'text'}, reason), el('td', {class: 'number'})),
      (row, [, number]) => setText(row.lastChild, count(number)));
    reconcile(this.letters.body, this.letterChoice.apply(latest), letter => `${letter.partition}-${letter.offset}`, letter => el('tr', {},
      el('td', {}, time(letter.timestamp)), el('td', {class: 'text'}, letter.model ?? '–'), el('td', {class: 'text wide'}, letter.reason ?? '–'),
      el('td', {class: 'text wide'}, letter.message ?? '–'),
      el('td', {class: 'text'}, from(letter) ?? '–'),
      el('td', {class: 'number'}, count(letter.valueBytes))));
  }

  stop() {
    this.poll.stop();
  }
}

/** Position of the record that was refused; null if it is unknown. */
function from({sourceTopic, sourcePartition, sourceOffset}) {
  return sourceTopic === null ? null : `${sourceTopic}-${sourcePartition}@${sourceOffset}`;
}

function milliseconds(number) {
  return number === null || number === undefined ? '–' : `${real(number)} ms`;
}
