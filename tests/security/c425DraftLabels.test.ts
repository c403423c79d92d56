import { contractUri } from "@slipway/protocol/metadataDocument";
import { linkWallet } from "@slipway/server/accounts/identities";
import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomSalt, sendWithViem, storeDraft, untilIndexed, wallets } from "../support/security/actors.ts";
import { deploySplitter, launchedToken, sendLaunch } from "../support/security/launchDirectly.ts";
import { type Account, startTestStack, type TestStack } from "../support/security/startTestStack.ts";

const [creator, thief] = wallets as [(typeof wallets)[0], (typeof wallets)[0]];

let stack: TestStack;
let attacker: Account;
beforeAll(async () => {
  stack = await startTestStack();
  attacker = await stack.createAccount("attacker");
});
afterAll(() => stack?.close());

/** A draft that pays the creator, with a label; the rest of the content is always the same. */
const draft = (handle: string, as: Account = stack.account) =>
  storeDraft(
    stack,
    { recipients: [{ provider: "code_host", handle, wallet: creator.address, share_bps: 10_000 }] },
    as,
  );

async function prepare(intent_id: string, splitter: Hex, salt: Hex, as: Account = stack.account, wallet = creator) {
  const body = { intent_id, wallet: wallet.address, splitter, salt };
  return await stack.call("POST", "/launch/transactions", body, as);
}

/** Returns the handles that a launch shows: in its details and in the fee positions. */
async function shown(token: string): Promise<unknown[]> {
  await untilIndexed(stack, token);
  const detail = await stack.call("GET", `/tokens/${token}`);
  const positions = await stack.call("GET", `/fees/positions?token=${token}&wallet=${creator.address}`);
  return [detail, positions].map(({ body }) => body.recipients[0].handle);
}

/** Stores a row like an earlier version, for the account that prepared this launch first. */
async function insertEarlierRow(token: string, intentId: string, account: Account, splitter: string) {
  await stack.deps.db.api.query(
    `insert into app.launches_prepared (token, intent_id, account_id, wallet, splitter) values ($1, $2, $3, $4, $5)`,
    [token.toLowerCase(), intentId, account.id, creator.address.toLowerCase(), splitter.toLowerCase()],
  );
}

describe("C4-25 the labels of a launch", () => {
  it("C4-25 are those of the draft that its document commits to, and no draft of the same content before or after", async () => {
    const splitter = await deploySplitter(stack, creator);
    const salt = randomSalt();
    const before = await prepare(await draft("forged-before", attacker), splitter, salt, attacker);
    const intentId = await draft("genuine");
    const launch = await prepare(intentId, splitter, salt);
    const after = await prepare(await draft("forged-after", attacker), splitter, salt, attacker);
    expect([before.status, launch.status, after.status]).toEqual([200, 200, 200]);
    const tokens = [before, launch, after].map(({ body }) => body.expected.token);
    expect(new Set(tokens).size).toBe(3);
    await sendWithViem(stack, launch, creator);
    expect(await shown(tokens[1])).toEqual(["genuine", "genuine"]);
  });

  it("C4-25 do not move to a launch that copies the document", async () => {
    const splitter = await deploySplitter(stack, creator);
    const own = await prepare(await draft("genuine"), splitter, randomSalt());
    await sendWithViem(stack, own, creator);
    await untilIndexed(stack, own.body.expected.token);
    const { rows } = await stack.deps.db.read.query("select contract_uri from chain.tokens where address = $1", [
      own.body.expected.token.toLowerCase(),
    ]);
    const receipt = await sendLaunch(stack, thief, splitter, { contractURI: rows[0].contract_uri });
    const copy = launchedToken(receipt);
    await untilIndexed(stack, copy);
    expect(await shown(copy)).toEqual([null, null]);
  });

  it("C4-25 of an earlier version's launch are shown only when the drafting account has linked the creator", async () => {
    const splitter = await deploySplitter(stack, creator);
    const uri = contractUri({ name: "Tin Boat", symbol: "TIN", image_uri: "ipfs://bafy" });
    const tokens: Hex[] = [];
    for (let i = 0; i < 2; i++) {
      tokens.push(launchedToken(await sendLaunch(stack, creator, splitter, { contractURI: uri })));
    }
    await insertEarlierRow(tokens[0]!, await draft("forged", attacker), attacker, splitter);
    await insertEarlierRow(tokens[1]!, await draft("genuine"), stack.account, splitter);
    expect(await shown(tokens[0]!)).toEqual([null, null]);
    expect((await shown(tokens[1]!))[1]).toBeNull();

    const ids = { id: stack.deps.ids.uuid(), identityId: stack.deps.ids.uuid() };
    const wallet = { ...ids, accountId: stack.account.id, address: creator.address, chainId: 46630 };
    await linkWallet(stack.deps.db.api, wallet);
    expect((await shown(tokens[0]!))[1]).toBeNull();
    expect((await shown(tokens[1]!))[1]).toBe("genuine");
  });
});
