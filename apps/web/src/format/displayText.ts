/**
 * A stranger's text as it is shown: without characters that turn the direction of what follows (Unicode, Bidi_Control)
 * and without controls other than line feeds. With U+202E before it, `gpj.exe` would be read as
 * `exe.jpg`.
 */
export function toDisplayText(text: string): string {
  return text.replace(/[\p{Bidi_Control}[\p{Cc}--\n]]/gv, "");
}
