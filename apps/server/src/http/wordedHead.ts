import type { ServerResponse } from "node:http";

/** The head of an answer as Node worded it, in parts around what differs from answer to answer. */
export type WordedHead = {
  beforeId: string;
  betweenIdAndDate: string;
  /** From the date to the last header, without the empty line. */
  afterDate: string;
  /** From the id to the last header, with the date of `second`. */
  afterId: string;
  second: number;
};

/** What is of one answer alone. */
export type OfOneAnswer = {
  /** The request id. */
  id: string;
  /** Milliseconds since the Unix epoch. */
  now: number;
  /** Names and values of headers of this answer alone, in turns. */
  more: readonly string[];
};

/** Where Node keeps the head that `writeHead` worded until the first byte of the body is sent. */
type Worded = { _header?: string | null };

const lineEnd = "\r\n";
const dateName = `${lineEnd}Date: `;
/** Characters of an HTTP date (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT". */
const dateLength = 29;

/**
 * Takes the head that Node has just worded for an answer over a connection that stays open, to send it again without
 * Node checking and joining twenty headers each time: that was most of what a hot answer cost beyond a bare one.
 *
 * @returns Null when it is not there in the form expected: then Node goes on wording it.
 */
export function learnHead(response: ServerResponse, of: OfOneAnswer): WordedHead | null {
  const worded = (response as Worded)._header;
  const moreText = linesOf(of.more);
  if (typeof worded !== "string" || !worded.includes(moreText)) return null;
  const text = worded.replace(moreText, () => "");
  const idAt = text.indexOf(of.id);
  const dateAt = text.indexOf(dateName, idAt) + dateName.length;
  if (idAt === -1 || dateAt < dateName.length || !text.endsWith(lineEnd + lineEnd)) return null;
  return {
    beforeId: text.slice(0, idAt),
    betweenIdAndDate: text.slice(idAt + of.id.length, dateAt),
    afterDate: text.slice(dateAt + dateLength, -lineEnd.length),
    afterId: "",
    second: Number.NaN,
  };
}

/**
 * Gives an answer a worded head, with the request id and the date of now. The connection must stay open after it, as
 * it did after the answer that the head was learned from.
 */
export function writeWordedHead(response: ServerResponse, head: WordedHead, of: OfOneAnswer): void {
  const second = Math.floor(of.now / 1000);
  if (second !== head.second) {
    head.second = second;
    head.afterId = head.betweenIdAndDate + new Date(second * 1000).toUTCString() + head.afterDate;
  }
  (response as Worded)._header = head.beforeId + of.id + head.afterId + linesOf(of.more) + lineEnd;
}

function linesOf(headers: readonly string[]): string {
  let text = "";
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}${lineEnd}`;
  return text;
}
