import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../src/process/freePort.ts";
import { siteAddress } from "../src/stack/siteAddress.ts";

const problemOf = async (port: number, host: string) =>
  await siteAddress(port, host).then(
    () => "none",
    (error: Error) => error.message,
  );

describe("siteAddress", () => {
  test("is reached on this machine when it listens everywhere", async () => {
    const port = await freePort();
    expect(await siteAddress(port, "0.0.0.0")).toEqual({ host: "0.0.0.0", port, url: `http://127.0.0.1:${port}` });
    expect((await siteAddress(undefined, "127.0.0.1")).port).toBeGreaterThan(0);
  });

  test("writes an IPv6 address as URLs do", async () => {
    const port = await freePort();
    const said = await siteAddress(port, "::1").then(
      ({ url }) => url,
      (error: Error) => error.message,
    );
    // The latter on a machine without IPv6.
    expect([`http://[::1]:${port}`, `The service cannot listen on ::1, port ${port} (EADDRNOTAVAIL).`]).toContain(said);
  });

  test("tells a taken port from an address that is not this machine's", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    expect(await problemOf(port, "127.0.0.1")).toContain("is taken by another program");
    // TEST-NET-3 (RFC 5737).
    expect(await problemOf(port, "203.0.113.9")).toContain("cannot listen on 203.0.113.9");
    expect(await problemOf(port, "no-such-host.invalid")).toContain("cannot listen on no-such-host.invalid");
  });
});
