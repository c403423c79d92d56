/**
 * Returns an untrusted text for display: without characters that change the text direction (Unicode, Bidi_Control) and
 * without control characters other than line feeds. With U+202E before it, `gpj.exe` would display as `exe.jpg`. Longer
 * texts than any stored text are cut: a browser needs seconds to wrap a word of 10,000 characters.
 *
 * @param maxUnits - The maximum length in UTF-16 units.
 */
export function toDisplayText(text: string, maxUnits = 2_000): string {
  const shown = text.replace(/[\p{Bidi_Control}[\p{Cc}--\n]]/gv, "");
  return shown.length > maxUnits ? `${shown.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, "")}…` : shown;
}
