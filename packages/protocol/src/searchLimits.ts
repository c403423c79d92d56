/**
 * The maximum `total` of a search: if more rows match, `total` is this number, so that counting never costs more than the
 * page itself. Without a search, totals are exact.
 */
export const maxCountedMatches = 1_000;

/**
 * The number of newest rows that are searched for a text without three letters or digits in a row, which no index
 * supports.
 */
export const maxScannedRows = 20_000;

/** The maximum number of tokens that are examined for a text if not all of its matches are known. */
export const maxExaminedTokens = 50_000;

/** The description of a token search parameter in the API's documentation. */
export const tokenSearch =
  "A part of the name, symbol or address, case-insensitive. No character has a special meaning. A text without three " +
  `letters or digits in a row is searched in the newest ${maxScannedRows} tokens, and as a whole symbol.`;
