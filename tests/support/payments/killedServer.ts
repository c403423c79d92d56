import http from "node:http";
import pg from "pg";

/**
 * The server's program, which kills itself at a step: its parent sends the number of the statement to the database or of
 * the request to the chain, counted from then on, before which it gets SIGKILL.
 */
let remaining = Number.POSITIVE_INFINITY;
process.on("message", (steps: number) => {
  remaining = steps;
});
const step = () => {
  if (--remaining === 0) process.kill(process.pid, "SIGKILL");
};

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
  step();
  return (query as (...all: unknown[]) => unknown).apply(this, parameters);
} as typeof query;

const { request } = http;
http.request = ((...parameters: Parameters<typeof request>) => {
  step();
  return request(...parameters);
}) as typeof request;

await import("@slipway/server/server");
