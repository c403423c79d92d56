/**
 * The matches of a search that a list counts: its `total` is this number where more match, so that no search costs more than
 * its page. Without a search, totals are exact.
 */
export const maxCountedMatches = 1_000;

/** The newest rows in which a text is looked for that has no three letters or digits in a row: no index finds it. */
export const maxScannedRows = 20_000;

/** Tokens of an order that are examined for a text of which not all matches are known. */
export const maxExaminedTokens = 50_000;

/** What the parameter of a search for tokens means, for the API's documentation. */
export const tokenSearch =
  "Text that name, symbol or address must contain, in any case. No character has a special meaning. One without three letters " +
  `or digits in a row is looked for in the newest ${maxScannedRows} tokens, and as a whole symbol.`;
