const maxLength = 2_000;

/**
 * Returns the text of a statement on one line, without its comments and literal texts. Values of requests are parameters,
 * which are not part of the text; a literal is removed nevertheless.
 */
export function removeValues(text: string): string {
  const short = text
    .replace(/--[^\n]*/g, " ")
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/'(?:[^']|'')*'/g, "'?'")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "'?'")
    .replace(/\s+/g, " ")
    .trim();
  return short.length > maxLength ? `${short.slice(0, maxLength)}…` : short;
}
