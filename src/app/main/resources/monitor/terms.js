// Terms of the page, in words.

import {el} from './dom.js';

export const ERROR_OR_MISTAKE = 'An error is a wrong emitted label. A mistake is a wrong answer of the last weights, which makes them learn. '
  + 'The two differ where predict is averaged or voted, and at a score of 0.';

const TERMS = [
  ['error', 'A wrong emitted label. The error rate is errors over labelled examples.'],
  ['mistake', 'A wrong answer of the last weights, followed by an update. With predict=last it is also an error.'],
  ['margin mistake', 'A right answer of the last weights whose margin is below h; it is followed by an update, too.'],
  ['update', 'One change of the weights. Epoch and number of updates identify the weights.'],
  ['majority label, last label', 'Baselines: always to predict the majority label so far, or the last one. A model is of use if it makes fewer errors than both.'],
  ['kappa', 'Agreement of emitted and true labels beyond chance (Cohen): 1 if all are right, 0 if no better than independent labels of the same frequencies.'],
  ['|w|', 'Euclidean norm of the weights w.'],
  ['R', 'Largest Euclidean norm of an example so far, after scaling and with the bias.'],
  ['gamma', 'Margin with which unit weights separate the examples. The perceptron makes at most (R/gamma)² mistakes on examples that can be separated so.'],
  ['gamma ≤ |w|/M', 'Margin certificate: no unit weights separate the examples so far with a larger margin. M is the sum of the steps of all updates.'],
  ['u, L(u)', 'Comparator: weights that are kept fixed beside the model, and their summed hinge loss. Updates are at most R²|u|² + 2L(u).'],
];

/** A list of the terms that opens on a click, with a link to their theorems. */
export function terms() {
  return el('details', {class: 'terms'}, el('summary', {}, 'What these numbers mean'),
    el('dl', {}, ...TERMS.flatMap(([name, text]) => [el('dt', {}, name), el('dd', {}, text)])),
    el('p', {}, 'Theorems, proofs and references: ', el('a', {href: '/docs/theory.md'}, 'docs/theory.md'), '.'));
}
