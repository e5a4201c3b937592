// Time series of a model for the charts, its bounds and its marks.

/** Learners whose R is that of the theorem, and whose updates are all steps of equal size along y·x. */
const NOVIKOFF = new Set(['perceptron']);

/**
 * Points of the history, then samples of the totals since the last window. An empty point between two epochs interrupts the
 * line. Where time goes back in a new epoch, as when the same events are learned again, the former points are left out.
 */
export function points(history, samples) {
  let series = [];
  let last = null;
  for (const point of history) {
    const at = point.windowEnd;
    const isNewEpoch = last && point.totalExamples < last.totalExamples;
    if (last && at <= last.at) {
      if (!isNewEpoch) {
        continue;
      }
      series = [];
    } else if (isNewEpoch) {
      series.push({at: (last.at + at) / 2});
    }
    last = {...point, at};
    series.push(last);
  }
  for (const each of samples) {
    if (!last || each.at > last.at && each.totalExamples >= last.totalExamples) {
      series.push(each);
    }
  }
  return series;
}

/** Returns the current totals as a point without a window. */
export function sample(details) {
  const {summary, comparator} = details;
  const [runningError, at] = [summary.errorRate, summary.asOf];
  return {
    at, runningError,
    totalExamples: summary.examples, totalMistakes: summary.mistakes, totalUpdates: summary.version,
    weightNorm: summary.weightNorm, radius: summary.radius, gammaCeiling: summary.gammaCeiling,
    updateBound: comparator?.updateBound ?? null,
  };
}

export function column(series, value) {
  return series.map(point => value(point) ?? null);
}

/**
 * Novikoff's bound on the updates, (R^2 + 2h/eta)/gamma^2, for a given margin; null if the theorem does not apply to the
 * model: classes or examples have different steps or hinges, or scaled vectors change over time.
 */
export function novikoff(details) {
  const {summary, settings} = details;
  const [h, eta] = [Number(settings.h), Number(settings.eta)];
  const isUnequal = ['class.weights', 'h.positive', 'h.negative'].some(name => settings[name] && settings[name] !== 'auto');
  if (!NOVIKOFF.has(summary.algorithm) || settings.scale === 'standard' || isUnequal || !(h >= 0) || !(eta > 0)) {
    return null;
  }
  // the sum of all steps; the status of a model without updates has none
  const steps = summary.version > 0 ? summary.weightNorm / summary.gammaCeiling : 0;
  if (!(Math.abs(steps - eta * summary.version) <= 1e-6 * steps)) {
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
