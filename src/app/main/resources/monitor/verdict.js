// The first lines of a model's page: whether the model is of use, in words, and the settings that may help.

import {command, el, setAttribute, setText} from './dom.js';
import {count, word} from './format.js';

// with fewer labels the error rate shows only the beginning
const MIN_LABELS = 100;

// states of an advice whose command may still help
const NEEDED = ['OPEN', 'ENDED'];

export class Verdict {
  constructor(model) {
    this.model = model;
    this.text = el('p', {class: 'verdict'});
    this.portfolio = el('div', {class: 'advice', hidden: true});
    this.advice = el('div', {class: 'advice'});
    this.node = el('div', {}, this.text, this.portfolio, this.advice);
    this.shown = null;
  }

  /** Shows the model's details. */
  show(details) {
    const {text, tone} = verdict(details);
    setText(this.text, text);
    setAttribute(this.text, 'data-tone', tone);
    this.portfolio.hidden = tone !== 'bad' || details.vote !== null;
    if (!this.portfolio.hidden && !this.portfolio.hasChildNodes()) {
      this.portfolio.append(el('p', {class: 'quiet'}, 'Learners for several kinds of streams, which vote, on what was sent:'),
        command(`./perceptron what-if ${word(this.model)} --portfolio`),
        el('p', {class: 'quiet'}, 'Other causes: ', el('a', {href: '/docs/bad-model.md'}, 'My model is bad: what now'), '.'));
    }
    const {advice} = details;
    const shown = JSON.stringify(advice);
    if (shown !== this.shown) {
      this.shown = shown;
      this.advice.replaceChildren(...advice.map(each => el('div', {}, el('p', {class: 'quiet'}, `Advice: ${withoutCommand(each)}.${outcome(each)}`),
        each.command && NEEDED.includes(each.state) && command(`./${each.command}`))));
    }
  }
}

/** The verdict: {text, tone}; the tone is null where there is none. Refused records are in no rate: it names them beside. */
export function verdict(details) {
  const {text, tone} = ofLabelled(details);
  const {deadLetters, labelled} = details;
  if (!deadLetters) {
    return {text, tone};
  }
  return {text: `${text} Besides, ${count(deadLetters)} ${deadLetters === 1 ? 'record was' : 'records were'} refused (dead letters).`,
    tone: tone === 'good' && MIN_LABELS * deadLetters >= labelled ? 'warn' : tone};
}

function ofLabelled({labelled, errorRate, metrics}) {
  if (!labelled) {
    return {text: 'No labelled example yet: whether the model is of use cannot be said.', tone: null};
  }
  if (!metrics || metrics.compared === 0) {
    return {text: `${percent(errorRate)} of ${count(labelled)} labelled examples wrong.`, tone: null};
  }
  const {compared, comparedErrors, majorityErrors, sameErrors, classes} = metrics;
  const majority = classes.reduce((one, other) => other.label !== null && other.examples > one.examples ? other : one, {label: null, examples: 0});
  const always = majority.label === null ? majorityErrors : compared - majority.examples;
  const least = Math.min(always, sameErrors);
  const numbers = `${percent(comparedErrors / compared)} wrong; always ${majority.label === null ? 'the majority label so far' : `'${majority.label}'`}: ${percent(always / compared)}; `
    + `same as last: ${percent(sameErrors / compared)}`;
  if (compared < MIN_LABELS) {
    return {text: `${numbers}. Too few labels for a verdict: ${count(compared)}.`, tone: null};
  }
  if (comparedErrors >= least) {
    return {text: `${numbers}. Of no use yet: no better than a prediction without features.`, tone: 'bad'};
  }
  return {text: `${numbers}. The model makes ${percent(1 - comparedErrors / least)} fewer errors than the better of the two.`,
    tone: 2 * comparedErrors <= least ? 'good' : 'warn'};
}

/** What became of an advice, as a sentence; empty for one that names no setting. */
function outcome({command: asked, state, errorRateBefore, errorRateAfter, labelledAfter}) {
  const rates = errorRateBefore === null || errorRateAfter === null ? '.'
    : `: ${percent(errorRateBefore)} wrong before, ${percent(errorRateAfter)} of ${count(labelledAfter)} labelled examples since.`;
  switch (state) {
    case 'FOLLOWED': return ` Followed${rates}`;
    case 'ON_TRIAL': return ' A challenger with these settings is on trial.';
    case 'PROMOTED': return ` A challenger with these settings was better and became the model${rates}`;
    case 'ENDED': return ' Its challenger has ended without becoming the model.';
    case 'OVER': return ' Not followed; another learner has taken the model\'s place since.';
    default: return asked ? ' Not followed yet.' : '';
  }
}

/** The message, whose command is shown beside it. */
function withoutCommand({message, command: shown}) {
  return message.replace(` (${shown})`, '').replace(`(${shown}; `, '(');
}

function percent(fraction) {
  return `${(100 * fraction).toFixed(1)} %`;
}
