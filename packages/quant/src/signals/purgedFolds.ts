/** A sample whose label depends on the time from `start` to `end` (inclusive), in any unit. */
export type Span = { start: number; end: number };
export type Fold = { train: number[]; test: number[] };

/**
 * Folds for cross-validation of overlapping labels (López de Prado 2018, ch. 7): each test fold is a run of samples;
 * the training samples exclude samples whose span overlaps with the test fold (purged) and samples that begin within
 * the embargo after it.
 *
 * @param spans in order of their start
 * @param embargo in the spans' unit
 * @returns indices of the samples
 * @throws RangeError for fewer samples than folds
 */
export function purgedFolds(spans: readonly Span[], folds: number, embargo: number): Fold[] {
  if (folds < 2 || spans.length < folds) throw new RangeError(`${spans.length} samples do not make ${folds} folds`);
  return Array.from({ length: folds }, (_, k) => {
    const from = Math.floor((k * spans.length) / folds);
    const to = Math.floor(((k + 1) * spans.length) / folds);
    const test = Array.from({ length: to - from }, (_, i) => from + i);
    const start = spans[from]!.start;
    const end = Math.max(...test.map((i) => spans[i]!.end));
    const train = spans.flatMap((span, i) => {
      const isSeparate = span.end < start || span.start > end + embargo;
      return (i < from || i >= to) && isSeparate ? [i] : [];
    });
    return { train, test };
  });
}
