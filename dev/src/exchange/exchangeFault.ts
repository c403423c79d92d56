import type { ServerResponse } from "node:http";
import type { PathBar } from "./pricePath.ts";

/** Faults of every request. */
export const requestFaults = [
  ...["refused", "reset", "silent", "slow", "endless", "redirect"],
  ...["html", "broken_json", "error_in_200"],
] as const;
/** Faults of the bars from requests and from the stream. `many_symbols` is a fault of the list of markets. */
export const barFaults = [
  ...["outliers", "impossible_prices", "missing", "misaligned", "disordered"],
  ...["ahead", "stalled", "shrunk", "many_symbols"],
] as const;
/** Faults that affect only the stream. */
export const streamFaults = [
  "stream_refused",
  "stream_closed",
  "stream_cut",
  "stream_silent",
  "stream_garbage",
] as const;

/**
 * A fault of the exchange. Kinds that need an explanation:
 * - `silent`: requests get no response; `slow`: a response never ends; `endless`: a response never ends, at full speed.
 * - `outliers`: every second price of the last ten minutes is a thousand times too high or too low;
 *   `impossible_prices`: zero, negative, not a number, or a high below the low; `missing`: every second bar is missing.
 * - `misaligned`: bars open half a minute late; `disordered`: each bar occurs twice, newest first.
 * - `ahead`: the clock is five minutes fast; `stalled`: there are no new bars; `shrunk`: only the last few bars exist.
 * - `stream_closed`: each stream is closed as soon as it is open; `stream_cut`: some seconds later.
 * - `scaled`: the prices of `count` bars, beginning with the bar that opens at `from`, are multiplied by `factor`.
 */
export type ExchangeFault =
  | { kind: (typeof requestFaults)[number] | (typeof barFaults)[number] | (typeof streamFaults)[number] }
  | { kind: "status"; status: number }
  | { kind: "scaled"; factor: number; from: number; count: number };

/** The number of seconds by which the clock of `ahead` is fast. */
export const aheadSeconds = 300;

/** The time before the fault from which `outliers` has wrong prices, so that repairs read some of them. */
const outlierSeconds = 600;
const slowEveryMs = 500;
const endlessChunk = Buffer.alloc(65_536, " ");

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends the faulty response to a request. @returns false if the fault is in the data or elsewhere */
export function answerFault(fault: ExchangeFault, response: ServerResponse): boolean {
  if (fault.kind === "html") {
    response.writeHead(200, { "content-type": "text/html" }).end("<html><body>We are back soon.</body></html>");
  } else if (fault.kind === "error_in_200") sendJson(response, 200, { code: -1001, msg: "Internal error." });
  else if (fault.kind === "broken_json") {
    response.writeHead(200, { "content-type": "application/json" }).end('[[1690000000000,"1');
  } else if (fault.kind === "status" && fault.status >= 500) {
    response.writeHead(fault.status, { "content-type": "text/plain" }).end("Internal Server Error");
  } else if (fault.kind === "status") sendJson(response, fault.status, { code: -1003, msg: "Too many requests." });
  else if (fault.kind === "redirect") response.writeHead(302, { location: "http://127.0.0.1:9/elsewhere" }).end();
  else if (fault.kind === "reset") response.destroy();
  else if (fault.kind === "slow") {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), slowEveryMs);
    response.on("close", () => clearInterval(timer));
  } else if (fault.kind === "endless") {
    response.writeHead(200, { "content-type": "application/json" });
    const write = () => {
      while (!response.destroyed && response.write(endlessChunk));
    };
    response.on("drain", write);
    write();
  }
  // For `silent`, the request gets no response.
  else return fault.kind === "silent";
  return true;
}

/** Returns a bar as reported with a fault; null if the bar is omitted. */
export function distortBar(
  fault: ExchangeFault | null,
  bar: PathBar,
  interval: 60 | 3600,
  /** The start of the fault in Unix seconds. */
  since: number,
): PathBar | null {
  const { time } = bar;
  const index = time / interval;
  if (fault?.kind === "scaled") {
    return time < fault.from || time >= fault.from + fault.count * interval ? bar : scale(bar, fault.factor);
  }
  if (fault?.kind === "misaligned") return { ...bar, time: time + 30 };
  if (index % 2 === 1 && fault?.kind === "missing") return null;
  if (index % 2 === 1 && fault?.kind === "outliers" && time > since - outlierSeconds)
    return scale(bar, index % 4 === 1 ? 1000 : 0.001);
  if (fault?.kind !== "impossible_prices") return bar;
  const { open, high, low } = bar;
  const wrong: Partial<PathBar>[] = [
    { open: 0, high: 0, low: 0, close: 0 },
    { close: -bar.close, low: -bar.close },
    { close: Number.NaN },
    { high: low / 2, low: high, open },
  ];
  return { ...bar, ...wrong[index % wrong.length] };
}

function scale(bar: PathBar, factor: number): PathBar {
  return {
    ...bar,
    open: bar.open * factor,
    high: bar.high * factor,
    low: bar.low * factor,
    close: bar.close * factor,
  };
}
