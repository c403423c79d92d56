import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { getFreePort } from "../process/getFreePort.ts";
import { resolveSiteAddress } from "./startServer.ts";

const getProblem = async (port: number, host: string) =>
  await resolveSiteAddress(port, host).then(
    () => "none",
    (error: Error) => error.message,
  );

describe("resolveSiteAddress", () => {
  test("returns a local URL for a wildcard host", async () => {
    const port = await getFreePort();
    expect(await resolveSiteAddress(port, "0.0.0.0")).toEqual({
      host: "0.0.0.0",
      port,
      url: `http://127.0.0.1:${port}`,
    });
    expect((await resolveSiteAddress(undefined, "127.0.0.1")).port).toBeGreaterThan(0);
  });

  test("puts an IPv6 address in brackets", async () => {
    const port = await getFreePort();
    const result = await resolveSiteAddress(port, "::1").then(
      ({ url }) => url,
      (error: Error) => error.message,
    );
    // The second result occurs on a machine without IPv6.
    expect([`http://[::1]:${port}`, `PORT: no program can listen on ::1, port ${port} (EADDRNOTAVAIL).`]).toContain(
      result,
    );
  });

  test("distinguishes a taken port from an address of another machine", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    expect(await getProblem(port, "127.0.0.1")).toMatch(/^PORT: port \d+ on 127\.0\.0\.1 is taken by process \d+/);
    // TEST-NET-3 (RFC 5737).
    expect(await getProblem(port, "203.0.113.9")).toContain("can listen on 203.0.113.9");
    expect(await getProblem(port, "no-such-host.invalid")).toContain("can listen on no-such-host.invalid");
  });
});
