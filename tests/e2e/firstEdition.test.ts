import { createHash } from "node:crypto";
import { readManifestFile, writeManifest } from "@slipway/deploy/readManifest";
import type { FirstEditionDeployment } from "@slipway/protocol/manifest";
import { getAddress, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { deployFirstEdition, firstEdition, launchFirstEdition } from "../support/firstEdition/deployFirstEdition.ts";
import { launchToken, sendWithEthers, sendWithViem, trade, wallets, wrap } from "../support/security/actors.ts";
import { buyWithNative, sendClaim } from "../support/security/claims.ts";
import { type Server, startTestStack, type TestStack } from "../support/security/startTestStack.ts";
import { withChangedContract } from "../support/security/withChangedContract.ts";

const [creator, payee, trader, deployer] = wallets as [
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
  (typeof wallets)[0],
];
const shares = [3_333, 6_667] as const;

let stack: TestStack;
let server: Server;
let through: TestStack;
let deployment: FirstEditionDeployment;
let earlier: { token: Hex; splitter: Hex };
let current: Awaited<ReturnType<typeof launchToken>>;
beforeAll(async () => {
  stack = await startTestStack();
  deployment = await deployFirstEdition(stack, deployer);
  const { manifest } = readManifestFile(stack.manifestPath);
  const path = `${stack.manifestPath}.history`;
  const sha256 = writeManifest(path, { ...manifest, history: [deployment] });
  server = await stack.openServer({ MANIFEST_PATH: path, MANIFEST_SHA256: sha256 });
  await stack.indexWith(server);
  through = { ...stack, call: server.call };
  const query = "select 1 from chain.deployments where launch_factory = $1";
  const address = deployment.launch_factory.address.toLowerCase();
  await vi.waitUntil(async () => (await stack.deps.db.read.query(query, [address])).rowCount, 60_000);
  const payees = [payee.address, creator.address];
  earlier = await launchFirstEdition(
    through,
    creator,
    deployment,
    payees.map((address, i) => ({ payee: address, shareBps: shares[i]! })),
  );
  current = await launchToken(through, creator, {
    recipients: payees.map((wallet, i) => ({ provider: "wallet", wallet, share_bps: shares[i] })),
  });
}, 120_000);
afterAll(async () => {
  await stack?.close();
  await server?.close();
});

const claim = (more: Record<string, unknown> = {}) =>
  server.call("POST", "/fees/claim-calls", { wallet: payee.address, tokens: [earlier.token], ...more });
const codes = (body: any) => body.warnings.map(({ code }: any) => code);

describe("a launch of the first edition, from its released bytecode", () => {
  test("C7-54 the fixture is the release: its hashes hold", () => {
    for (const { bytecode, sha256 } of Object.values(firstEdition.contracts)) {
      expect(
        createHash("sha256")
          .update(Buffer.from(bytecode.slice(2), "hex"))
          .digest("hex"),
      ).toBe(sha256);
    }
  });

  test("C7-54 is proven in the history of a manifest and indexed beside one of the second edition", async () => {
    expect(server.deps.chain.manifestState()).toMatchObject({ verified: true });
    const { rows } = await stack.deps.db.read.query(
      "select proven from chain.splitters where address = any ($1) order by address",
      [[earlier.splitter, current.splitter].map((address) => address.toLowerCase())],
    );
    expect(rows).toEqual([{ proven: true }, { proven: true }]);
    const { body } = await server.call("GET", "/tokens");
    const listed = body.items.map(({ address, source }: any) => [address, source]);
    expect(listed).toContainEqual([getAddress(earlier.token), "legacy"]);
    expect(listed).toContainEqual([current.token, "own"]);
  });

  test("C7-54 shows what is pending and is claimed stage by stage, to the wei", async () => {
    await wrap(through, trader, 10n ** 18n);
    await trade(through, trader, { token: earlier.token, side: "buy", amount_in: `${10n ** 17n}` });
    const pending = (await server.call("GET", `/fees/pending?token=${earlier.token}`)).body;
    expect(pending.locker).toBe(getAddress(deployment.fee_locker.address));
    for (const stage of ["collect", "settle"]) {
      const body = { token: earlier.token, wallet: trader.address, stage };
      await sendWithEthers(through, await server.call("POST", "/fees/claim-transactions", body), trader);
    }
    const positions = (await server.call("GET", `/fees/positions?token=${earlier.token}&wallet=${payee.address}`)).body;
    expect(positions.payout).toBeNull();
    expect(pending.recipients[0].amounts).toEqual(positions.recipients[0].claimable);
    const answer = await claim({ stages: "release" });
    expect([answer.body.transaction.to, answer.body.calls.length]).toEqual([getAddress(earlier.splitter), 1]);
    await sendClaim(through, answer, async () => [await sendWithViem(through, answer, payee)]);
  });

  test("C7-54 pays wrapped native when it is asked to unwrap, and says so", async () => {
    await buyWithNative(through, trader, earlier.token, 10n ** 17n);
    const answer = await claim({ unwrap: true });
    expect(codes(answer.body)).toEqual(["unwrap_not_supported"]);
    expect(answer.body.warnings[0].message).toContain(getAddress(earlier.splitter));
    const assets = answer.body.expected.amounts.map(({ asset }: any) => asset);
    expect(assets).toEqual([stack.manifest.wrapped_native.address]);
    await sendClaim(through, answer, async () => [await sendWithViem(through, answer, payee)]);
  });

  test("C7-54 is claimed with one of the second edition in one transaction", async () => {
    for (const { token } of [earlier, current]) await buyWithNative(through, trader, token, 10n ** 17n);
    const answer = await claim({ tokens: [current.token, earlier.token], unwrap: true });
    expect([answer.body.transaction.to, answer.body.calls.length, codes(answer.body)]).toEqual([
      stack.manifest.multicall3!.address,
      6,
      ["unwrap_not_supported"],
    ]);
    const assets = answer.body.expected.amounts.map(({ asset }: any) => asset);
    expect(new Set(assets)).toEqual(new Set([zeroAddress, stack.manifest.wrapped_native.address]));
    await sendClaim(through, answer, async () => [await sendWithViem(through, answer, payee)]);
    expect((await claim({ tokens: [current.token, earlier.token] })).body.status).toBe("nothing_to_do");
  });

  test("C7-54 is named and left out when its settlement fails as a whole, and the other is claimed", async () => {
    const claimStage = async (stage: string) => {
      const body = { token: earlier.token, wallet: trader.address, stage };
      await sendWithEthers(through, await server.call("POST", "/fees/claim-transactions", body), trader);
    };
    for (const stage of ["settle", "none"]) {
      for (const { token } of [earlier, current]) {
        await buyWithNative(through, trader, token, 10n ** 17n);
        await trade(through, trader, { token, side: "sell", amount_in: `${10n ** 21n}` });
      }
      await claimStage("collect");
      // Of the first round the splitter has wrapped native, of the second the locker has a credit.
      if (stage === "settle") await claimStage(stage);
    }
    await withChangedContract(stack, { address: earlier.token, code: "0x60006000fd" }, async () => {
      const answer = await claim({ tokens: [earlier.token, current.token] });
      expect(codes(answer.body)).toContain("claim_failed");
      const messages = answer.body.warnings.map(({ message }: any) => message).join();
      expect(messages).toContain(`The settle of ${getAddress(earlier.token)} fails`);
      const targets = answer.body.calls.map(({ to }: any) => to);
      expect(targets).not.toContain(getAddress(deployment.fee_locker.address));
      expect(targets).toContain(getAddress(earlier.splitter));
      await sendClaim(through, answer, async () => [await sendWithViem(through, answer, payee)]);
    });
    const rest = await claim();
    await sendClaim(through, rest, async () => [await sendWithViem(through, rest, payee)]);
  });

  test("C7-54 has no payout to move, and its splitter is none", async () => {
    const body = { token: earlier.token, wallet: payee.address, payout: trader.address };
    const answer = await server.call("POST", "/fees/payout-transactions", body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "payout_not_supported"]);
    const move = { token: current.token, wallet: payee.address, payout: earlier.splitter };
    const refused = await server.call("POST", "/fees/payout-transactions", move);
    expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
      422,
      "recipient_cannot_receive",
      `The payout ${getAddress(earlier.splitter)} is a splitter.`,
    ]);
  });
});
