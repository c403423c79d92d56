import { describe, expect, test } from "vitest";
import { z } from "zod";
import { historySettings } from "./historySettings.ts";

const settings = z.object(historySettings);
const parse = (url: string) => settings.safeParse({ HISTORY_URL: url });

describe("HISTORY_URL", () => {
  test("names origin, database and credentials, which do not print", () => {
    const server = parse("https://us%2Ber:p%40ss@history.example:8443/prices").data!.HISTORY_URL!;
    expect({ ...server, password: server.password.revealText() }).toEqual({
      ...{ origin: "https://history.example:8443", database: "prices", user: "us+er", password: "p@ss" },
    });
    expect(JSON.stringify(server)).not.toContain("p@ss");
    expect(parse("http://127.0.0.1:8123").data!.HISTORY_URL).toMatchObject({ database: "slipway", user: "default" });
  });

  test.each([
    "http://localhost:8123",
    "http://10.1.2.3:8123/slipway",
    "http://[fd00::1]:8123",
    "http://clickhouse:8123",
    "http://clickhouse.data.svc:8123",
    "http://history.internal:8123",
  ])("C2-98 may be http at the private host of %s", (url) => {
    expect(parse(url).success).toBe(true);
  });

  test.each([
    ["http at a public host", "http://history.example:8123"],
    ["http at a public address", "http://8.8.8.8:8123"],
    ["http at a public address as a number", "http://134744072:8123"],
    ["another protocol", "tcp://127.0.0.1:9000"],
    ["a database with SQL", "https://history.example/a;drop"],
    ["a second path segment", "https://history.example/a/b"],
    ["parameters", "https://history.example/a?readonly=0"],
    ["a user with a new line", "https://us%0Aer:x@history.example/a"],
    ["no URL", "history"],
  ])("C2-98 refuses %s, and names no secret", (_, url) => {
    const { error } = parse(url);
    expect(error!.issues[0]!.message).toMatch(/^must be https:/);
  });
});
