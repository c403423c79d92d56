/**
 * The matches of a search that a list counts: its `total` is this number where more match, so that no search costs more than
 * its page. Without a search, totals are exact.
 */
export const maxCountedMatches = 1_000;
