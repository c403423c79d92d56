/**
 * A stranger's text as it is shown: without characters that turn the direction of what follows (Unicode, Bidi_Control)
 * and without controls other than line feeds. With U+202E before it, `gpj.exe` would be read as
 * `exe.jpg`. What is longer than any stored text is cut: a browser needs seconds to wrap a word of 10,000 characters.
 *
 * @param maxUnits - UTF-16 units that are shown.
 */
export function toDisplayText(text: string, maxUnits = 2_000): string {
  const shown = text.replace(/[\p{Bidi_Control}[\p{Cc}--\n]]/gv, "");
  return shown.length > maxUnits ? `${shown.slice(0, maxUnits).replace(/[\ud800-\udbff]$/, "")}…` : shown;
}
