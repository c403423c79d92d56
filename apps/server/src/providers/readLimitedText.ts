/** Reads a response as text, up to a number of bytes. @throws The error of `tooLarge` above it. */
export async function readLimitedText(response: Response, maxBytes: number, tooLarge: () => Error): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
