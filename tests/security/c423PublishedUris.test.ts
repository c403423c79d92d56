import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomSalt, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const creator = wallets[0]!;

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

describe("C4-23 URIs of a launch", () => {
  it.each([
    ["a space", "https://tin.example/a b", "space"],
    ["a tabulator", "https://tin.example/a\tb", "control_character"],
    ["a backslash", "https://tin.example\\@evil.example/", "backslash"],
    ["userinfo", "https://tin.example@evil.example/", "userinfo"],
    ["empty userinfo", "https://@evil.example/", "userinfo"],
    ["no host", "https:///tin.example/", "no_host"],
    ["no valid URL", "https://[tin.example/", "unparseable"],
  ])("C4-23 a URI with %s is refused with the reason, whichever field holds it", async (_, uri, reason) => {
    for (const field of ["image_uri", "website"]) {
      const { status, body } = await stack.call("POST", "/intents", {
        name: "Tin Boat",
        symbol: "TIN",
        image_uri: "https://tin.example/boat.png",
        chain_id: stack.manifest.chain_id,
        [field]: uri,
      });
      expect([status, body.error.code, body.error.field]).toEqual([422, "invalid_fields", field]);
      // The schema already rejects URIs that do not parse.
      if (body.error.details?.reason) expect(body.error.details.reason).toBe(reason);
    }
  });

  it("C4-23 what is stored, launched and served is the normal form, with warnings for what is likely a mistake", async () => {
    const intent_id = await storeDraft(stack, {
      image_uri: "ipfs://NotACid/a.png",
      website: "https://LOCALHOST:443/..",
    });
    const split = await stack.call("POST", "/splits/transactions", { intent_id, wallet: creator.address });
    await sendWithViem(stack, split, creator);
    const launch = await stack.call("POST", "/launch/transactions", {
      intent_id,
      wallet: creator.address,
      splitter: split.body.expected.splitter,
      salt: randomSalt(),
    });
    for (const { body } of [split, launch]) {
      expect(body.warnings).toEqual([
        { code: "ipfs_cid_invalid", message: expect.stringMatching(/^image_uri: NotACid/) },
        { code: "host_without_dot", message: expect.stringMatching(/^website: The host localhost/) },
      ]);
    }
    await sendWithViem(stack, launch, creator);
    await untilIndexed(stack, launch.body.expected.token);
    const { body } = await stack.call("GET", `/tokens/${launch.body.expected.token}`);
    expect([body.image_url, body.website]).toEqual(["ipfs://NotACid/a.png", "https://localhost/"]);
  });
});
