// What a model's history says: columns for the charts, and the bounds that hold.

/** Learners for which the status' R is that of the theorem, and every update is a step of the same size along y·x. */
const NOVIKOFF = new Set(['perceptron']);

/**
 * The points of the history and, after the last window, what the totals were at each look: a window is not waited for. A point
 * of nothing stands between two epochs, so that no line is drawn there.
 */
export function points(history, looks) {
  const course = [];
  let last = null;
  for (const point of history) {
    const at = point.windowEnd;
    if (last && at <= last.at) {
      continue;
    }
    if (last && point.totalExamples < last.totalExamples) {
      course.push({at: (last.at + at) / 2});
    }
    last = {...point, at};
    course.push(last);
  }
  for (const look of looks) {
    if (!last || look.at > last.at && look.totalExamples >= last.totalExamples) {
      course.push(look);
    }
  }
  return course;
}

/** The totals of a summary, as a point that belongs to no window. */
export function look(details) {
  const {summary, comparator} = details;
  const [runningError, at] = [summary.errorRate, summary.lastActive];
  return {
    at, runningError,
    totalExamples: summary.examples, totalMistakes: summary.mistakes, totalUpdates: summary.version,
    weightNorm: summary.weightNorm, radius: summary.radius, gammaCeiling: summary.gammaCeiling,
    updateBound: comparator?.updateBound ?? null,
  };
}

export function column(course, value) {
  return course.map(point => value(point) ?? null);
}

/**
 * Novikoff's bound on the updates, (R^2 + 2h/eta)/gamma^2, for a margin that the reader knows; null where the theorem says
 * nothing of this model.
 */
export function novikoff(details) {
  const {summary, settings} = details;
  const [h, eta] = [Number(settings.h), Number(settings.eta)];
  if (!NOVIKOFF.has(summary.algorithm) || settings.scale === 'standard' || !(h >= 0) || !(eta > 0)) {
    return null;
  }
  return (radius, gamma) => radius === null || radius === undefined ? null : (radius * radius + 2 * h / eta) / (gamma * gamma);
}

/**
 * Marks with numbers, the oldest first. A quarantine is told by a status and by an alert, and marked once; that a model which began
 * anew sees a first example is no news.
 */
export function numbered(marks) {
  const kept = [];
  for (const mark of marks) {
    if (mark.kind === 'FIRST_EXAMPLE' && ['DRIFT', 'TAKEOVER', 'RESET'].includes(kept[kept.length - 1]?.kind)) {
      continue;
    }
    const twin = kept.find(other => other.timestamp === mark.timestamp && other.kind === mark.kind);
    if (twin) {
      twin.text = twin.text || mark.text;
    } else {
      kept.push({...mark});
    }
  }
  return kept.map((mark, k) => ({...mark, number: k + 1}));
}
