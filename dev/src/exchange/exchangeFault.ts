import type { ServerResponse } from "node:http";
import type { PathBar } from "./pricePath.ts";

/** Faults of every request. */
export const requestFaults = [
  ...["refused", "reset", "silent", "slow", "endless", "redirect"],
  ...["html", "broken_json", "error_in_200"],
] as const;
/** Faults of the reported bars, by requests and by the stream. `many_symbols` is in the list of markets. */
export const barFaults = [
  ...["outliers", "impossible_prices", "missing", "misaligned", "disordered"],
  ...["ahead", "stalled", "shrunk", "many_symbols"],
] as const;
/** Faults of the stream alone. */
export const streamFaults = [
  "stream_refused",
  "stream_closed",
  "stream_cut",
  "stream_silent",
  "stream_garbage",
] as const;

/**
 * How the exchange fails. The ones that do not say it themselves:
 * - `silent`: it never answers; `slow`: it never ends an answer; `endless`: the answer never ends, at full speed.
 * - `outliers`: every second price of the last ten minutes is a thousand times too high or too low; `impossible_prices`: zero, negative, no number,
 *   a high below the low; `missing`: every second bar is.
 * - `misaligned`: bars open half a minute late; `disordered`: they come twice, the newest first.
 * - `ahead`: its clock is five minutes fast; `stalled`: it has no new bars; `shrunk`: it has the last few bars alone.
 * - `stream_closed`: it closes a stream as soon as it is open; `stream_cut`: some seconds later.
 * - `scaled`: the bars that open from `from` on, `count` of them, have their prices times `factor`.
 */
export type ExchangeFault =
  | { kind: (typeof requestFaults)[number] | (typeof barFaults)[number] | (typeof streamFaults)[number] }
  | { kind: "status"; status: number }
  | { kind: "scaled"; factor: number; from: number; count: number };

/** How far the clock of `ahead` is ahead, in seconds. */
export const aheadSeconds = 300;

/** How long before its fault the wrong prices of `outliers` begin, so that repairs see some. */
const outlierSeconds = 600;
const slowEveryMs = 500;
const endlessChunk = Buffer.alloc(65_536, " ");

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Answers a request as the fault has it. @returns false where the fault is in the data, or elsewhere */
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
  // Silent: the request is never answered.
  else return fault.kind === "silent";
  return true;
}

/** A bar as it is reported with a fault; null when it is left out. */
export function distortBar(
  fault: ExchangeFault | null,
  bar: PathBar,
  interval: 60 | 3600,
  /** Unix seconds since which it fails. */
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
