import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { getFreePort } from "./getFreePort.ts";

test("a port is free, and not one that systems assign to other programs", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => getFreePort()));
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(20_000);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test("the first preferred port is returned that no program listens on", async () => {
  const [taken, start] = [await getFreePort(), await getFreePort()];
  const others = Array.from({ length: 20 }, (_, index) => start + 1 + index);
  const server = createServer().listen(taken, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(others).toContain(await getFreePort([taken, ...others]));
});

test("two processes do not get the same port, although no program listens on it yet", async () => {
  const draw = `import { getFreePort } from ${JSON.stringify(import.meta.resolve("./getFreePort.ts"))};
    for (let n = 0; n < 150; n++) console.log(await getFreePort());`;
  const drawn = Array.from({ length: 3 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", draw]);
    return stdout.trim().split("\n");
  });
  const ports = (await Promise.all(drawn)).flat();
  expect(ports).toHaveLength(450);
  expect(new Set(ports).size).toBe(ports.length);
});
