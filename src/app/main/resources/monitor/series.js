// Time series of a model for the charts, its bounds and its marks.

/** Number of steps in a chart that the eye distinguishes. */
export const STEPS = 60;

/** Windows with fewer labelled examples have no error of their own if there are others: it would jump between 0 and 1. */
const LEAST_LABELLED = 10;

/** Half of the shortest window, in seconds. */
const GAP = 0.0005;

/** Windows in fewer different seconds, or in fewer of the {@link STEPS} of the axis of time, are drawn over examples unless the user chooses. */
const LEAST_TIMES = 5;

function windows({points: closed, open}) {
  const isTiny = open && closed.length > 0 && open.labelled < LEAST_LABELLED;
  const shown = isTiny ? {...open, error: null, majorityError: null, sameError: null} : open;
  return open ? [...closed, shown] : closed;
}

/**
 * Returns true if a history is better drawn over examples, because it has hardly a course over time: its windows end in few seconds, in
 * few parts of their time, or mostly not after those before them, as those of a file that was sent twice.
 */
export function isSparse(history) {
  const all = windows(history);
  const seconds = [];
  for (const point of all) {
    const second = Math.floor(point.windowEnd / 1000);
    if (seconds.length === 0 || second > seconds[seconds.length - 1]) {
      seconds.push(second);
    }
  }
  const step = Math.max(1, (seconds[seconds.length - 1] - seconds[0]) / STEPS);
  const parts = new Set(seconds.map(second => Math.floor((second - seconds[0]) / step)));
  return parts.size < LEAST_TIMES || seconds.length < all.length / 2;
}

/** Returns true if two points count from the same record on; those of an engine that counted by epoch, in the same epoch. */
export function isSameCount(point, other) {
  const field = typeof point.countsSince === 'number' && typeof other.countsSince === 'number' ? 'countsSince' : 'epoch';
  return typeof point[field] !== 'number' || typeof other[field] !== 'number' || point[field] === other[field];
}

function isOtherCount(point, last) {
  return point.totalExamples < last.totalExamples || !isSameCount(point, last);
}

/**
 * Points of a history with its open window, and samples of the totals since the last closed one, at places `at` of an axis.
 *
 * Over time, in seconds, an empty point where the counts begin again interrupts the line. Where time goes back then, as when
 * the same events are learned again, the former points are left out. Over examples, the labelled ones, only what was counted since is
 * shown. Of several points at one place the last counts.
 */
export function points(history, samples, axis) {
  let series = [];
  let last = null;
  const add = (point, at) => {
    const isNewCount = last && isOtherCount(point, last);
    if (isNewCount && axis === 'time' && at <= last.at && point.windowStart >= last.windowStart) {
      // a reset closed the window before its end, and the windows after it begin in it
      last.at = Math.max(at - GAP, series[series.length - 2]?.at ?? -Infinity);
    }
    if (isNewCount && (axis === 'examples' || at <= last.at)) {
      series = [];
    } else if (last && at <= last.at) {
      if (at < last.at) {
        return;
      }
      series.pop();
    } else if (isNewCount) {
      series.push({at: (last.at + at) / 2});
    }
    last = {...point, at};
    series.push(last);
  };
  const all = windows(history);
  const open = history.open ? all.pop() : null;
  const isExamples = axis === 'examples';
  all.forEach(point => add(point, isExamples ? point.totalLabelled : point.windowEnd / 1000));
  for (const each of samples) {
    const at = isExamples ? each.totalLabelled : each.timestamp / 1000;
    const isKnown = last && (at <= last.at || each.totalExamples <= last.totalExamples);
    const isOpen = open && (each.totalExamples >= open.totalExamples || !isSameCount(each, open));
    if (!isKnown && !isOpen) {
      add(each, at);
    }
  }
  if (open) {
    add(open, isExamples ? open.totalLabelled : Math.max(open.windowEnd / 1000, last?.at ?? 0));
  }
  return series;
}

const SHARES = ['error', 'majorityError', 'sameError'];

/**
 * Joins neighbours until each has `least` labelled examples. The first windows of a model have ten each: beside thousands of
 * examples they are one dense line.
 */
export function coarser(series, least) {
  const joined = [];
  let sum = null;
  for (const point of series) {
    const isWindow = point.labelled > 0;
    const isOpen = sum && sum.labelled < least && isWindow;
    if (isOpen) {
      const labelled = sum.labelled + point.labelled;
      const shares = SHARES.map(name => [name, typeof sum[name] === 'number' && typeof point[name] === 'number'
        ? (sum[name] * sum.labelled + point[name] * point.labelled) / labelled : point[name] ?? sum[name]]);
      joined.pop();
      sum = {...point, ...Object.fromEntries(shares), labelled, forecasts: joinedSets(sum.forecasts, point.forecasts), windows: sum.windows + 1};
    } else {
      sum = isWindow ? {...point, windows: 1} : null;
    }
    joined.push(sum ?? point);
  }
  return joined;
}

/** Counts of sets of labels in two windows; either may have none. */
function joinedSets(first, second) {
  return first && second ? Object.fromEntries(['sets', 'covered', 'setLabels', 'unsure'].map(name => [name, first[name] + second[name]])) : first ?? second;
}

/**
 * Errors of a model and its challengers over its labelled examples, from the counts of its statuses: between two places,
 * which are at least `step` examples apart, the share of errors, and at each place the number of errors that a challenger has made less than the model
 * since its trial began. Null where a trial has not begun, or begins again.
 */
export function trialSeries(trials, names, step) {
  const rows = Map.groupBy(trials, each => each.labelled);
  const kept = [];
  for (const [at, row] of rows) {
    const isLast = at === trials[trials.length - 1].labelled;
    if (kept.length === 0 || isLast || at - kept[kept.length - 1].at >= step) {
      kept.push({at, errors: row[0].modelErrors, trials: new Map(row.map(each => [each.challenger, each]))});
    }
  }
  return {
    places: kept.map(each => each.at),
    model: kept.map((now, k) => k === 0 ? null : (now.errors - kept[k - 1].errors) / (now.at - kept[k - 1].at)),
    challengers: names.map(name => ({
      error: kept.map((now, k) => growth(kept[k - 1]?.trials.get(name), now.trials.get(name))),
      lead: kept.map(({trials: all}, k) => lead(kept[k - 1]?.trials.get(name), all.get(name))),
    })),
  };
}

/** Returns true unless the trial of a challenger has started again between two points. */
function isSameTrial(before, now) {
  return before.epoch === now.epoch && before.trialStart === now.trialStart && now.compared >= before.compared;
}

/** Errors fewer than the model; null, a gap in the line, if nothing was compared, or the trial has begun again. */
function lead(before, now) {
  return now?.compared && (!before || isSameTrial(before, now)) ? now.championErrors - now.errors : null;
}

/** Share of errors between two counts of one trial; null if it has begun again, or nothing was compared. */
function growth(before, now) {
  const isGrown = before && now && isSameTrial(before, now) && now.compared > before.compared;
  return isGrown ? (now.errors - before.errors) / (now.compared - before.compared) : null;
}

/** Returns the marks that have a place on an axis, with it in `at`; over examples only marks since the counts of the details began. */
export function placed(marks, axis, details) {
  return axis === 'time' ? marks.map(mark => ({...mark, at: mark.timestamp / 1000}))
    : marks.filter(mark => mark.epoch !== null && isSameCount(mark, details) && mark.labelled !== null).map(mark => ({...mark, at: mark.labelled}));
}

/** Returns the current totals as a point without a window. */
export function sample(details) {
  return {
    timestamp: details.timestamp, epoch: details.epoch, countsSince: details.countsSince, ofWeights: details.ofWeights, runningError: details.errorRate,
    totalExamples: details.examples, totalLabelled: details.labelled, totalMistakes: details.mistakes, totalUpdates: details.updates,
    weightNorm: details.weightNorm, radius: details.radius, gammaUpperBound: details.gammaUpperBound,
    updateBound: details.updateBound,
  };
}

export function column(series, value) {
  return series.map((point, k) => value(point, k, series) ?? null);
}

/**
 * Novikoff's bound on the updates, (R^2 + 2h/eta)/gamma^2, for a given margin; null if the theorem does not apply to the
 * model: its learner has no comparator, classes or examples have different steps or hinges, or scaled vectors change over time.
 */
export function novikoff(details, hasComparator) {
  const {settings} = details;
  const [h, eta] = [Number(settings.h), Number(settings.eta)];
  const isUnequal = ['class.weights', 'h.positive', 'h.negative'].some(name => settings[name] && settings[name] !== 'auto');
  if (!hasComparator || settings.scale === 'standard' || isUnequal || !(h >= 0) || !(eta > 0)) {
    return null;
  }
  // the sum of all steps; the status of a model without updates has none
  const steps = details.updates > 0 ? details.weightNorm / details.gammaUpperBound : 0;
  if (!(Math.abs(steps - eta * details.updates) <= 1e-6 * steps)) {
    return null;
  }
  return (radius, gamma) => radius === null || radius === undefined ? null : (radius * radius + 2 * h / eta) / (gamma * gamma);
}

/**
 * Numbers the marks, oldest first. Merges the status of a quarantine or a drift, whose text is the changed settings, and its alert;
 * omits the first example after a reset.
 */
export function numbered(marks) {
  const kept = [];
  for (const mark of marks) {
    if (mark.kind === 'FIRST_EXAMPLE' && ['DRIFT', 'TAKEOVER', 'RESET'].includes(kept[kept.length - 1]?.kind)) {
      continue;
    }
    const twin = kept.find(other => other.timestamp === mark.timestamp && other.kind === mark.kind);
    if (twin) {
      twin.text = [twin.text, mark.text].filter(text => text).join('; ');
    } else {
      kept.push({...mark});
    }
  }
  return kept.map((mark, k) => ({...mark, number: k + 1}));
}
