import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { getFreePort } from "./getFreePort.ts";
import { requireFreePort } from "./requireFreePort.ts";

async function takePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

const getProblem = (setting: string, port: number, host: string) =>
  requireFreePort(setting, port, host).then(
    () => null,
    ({ message, whatToDo }) => ({ message, whatToDo }),
  );

test("accepts a free port", async () => {
  expect(await getProblem("CHAIN_PORT", await getFreePort(), "127.0.0.1")).toBeNull();
});

test.each(["127.0.0.1", "0.0.0.0"])("names the setting and the process that has taken a port of %s", async (host) => {
  const port = await takePort(host);
  expect(await getProblem("CHAIN_PORT", port, "127.0.0.1")).toEqual({
    message: `CHAIN_PORT: port ${port} on 127.0.0.1 is taken by process ${process.pid} (node).`,
    whatToDo: `Stop it, or choose another port: CHAIN_PORT=${port + 1} npm start`,
  });
});

test("distinguishes an address of another machine from a taken port", async () => {
  // TEST-NET-3 (RFC 5737).
  const problem = await getProblem("PORT", 8_787, "203.0.113.9");
  expect(problem?.message).toBe("PORT: no program can listen on 203.0.113.9, port 8787 (EADDRNOTAVAIL).");
  expect(problem?.whatToDo).toContain("HOST must be an address of this machine");
});
