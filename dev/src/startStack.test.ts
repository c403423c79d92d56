import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBuiltStack } from "../../tests/support/startBuiltStack.ts";

describe("startStack", { timeout: 120_000 }, () => {
  test("starts two temporary stacks concurrently and removes both", async () => {
    const stacks = await Promise.all([startBuiltStack(), startBuiltStack()]);
    for (const stack of stacks) onTestFinished(stack.stop);
    for (const stack of stacks) {
      expect((await fetch(`${stack.siteUrl}/readyz`)).status).toBe(200);
      const headers = { authorization: `Bearer ${stack.apiKey}` };
      expect((await fetch(`${stack.baseUrl}/intents`, { headers })).status).toBe(200);
      expect(stack.tokens).toEqual([]);
      expect(stack.wallets).toHaveLength(10);
    }
    expect(new Set(stacks.flatMap(({ siteUrl, rpcUrl }) => [siteUrl, rpcUrl])).size).toBe(4);
    const folders = stacks.map(({ manifestPath }) => dirname(manifestPath));
    await Promise.all(stacks.map((stack) => stack.stop()));
    expect(folders.filter(existsSync)).toEqual([]);
  });

  test("stops all started parts when the server cannot start", async () => {
    await expect(startBuiltStack({ serverEnvironment: { ROLES: "none" } })).rejects.toThrow(
      /the server ended with code 78: not restarted/,
    );
  });
});
