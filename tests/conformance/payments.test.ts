import { readFileSync } from "node:fs";
import type { Manifest } from "@slipway/protocol/manifest";
import type { PaymentRequirements } from "@slipway/protocol/payments";
import { transferAuthorizationTypedData } from "@slipway/protocol/transferAuthorization";
import { Contract, Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { signIn } from "../support/conformance/browser.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";

const { inside, fixture } = target;

/** A new account, in a browser. */
const newAccount = async () => (await signIn(target.siteUrl)).headers;
const pay = (headers: Record<string, string>, body: object) =>
  call("POST /api/account/payments", { key: null, headers, body: body as Record<string, unknown> });

describe.skipIf(inside === null || fixture === null)("payments", () => {
  const payer = Wallet.createRandom();
  let rich: Signer;
  /** The payment of the first test. */
  let made: { headers: Record<string, string>; id: string };

  beforeAll(async () => {
    const manifest = JSON.parse(readFileSync(inside!.manifestPath, "utf8")) as Manifest;
    rich = openSigner(target.rpcUrl!, target.chainId, getWallet("deployer").privateKey);
    const abi = ["function transfer(address, uint256) returns (bool)"];
    const stablecoin = new Contract(manifest.eth_usd!.stablecoin.address, abi, rich.wallet);
    await (await stablecoin.getFunction("transfer").send(payer.address, 5_000_000n)).wait();
  });
  afterAll(() => rich?.close());

  const sign = async (offer: PaymentRequirements) => {
    const authorization = {
      from: payer.address,
      to: offer.payTo,
      value: offer.amount,
      validAfter: "0",
      validBefore: String(Math.floor(Date.now() / 1_000) + offer.maxTimeoutSeconds),
      nonce: `0x${"7".repeat(64)}`,
    };
    const terms = {
      from: payer.address as `0x${string}`,
      to: offer.payTo as `0x${string}`,
      value: BigInt(offer.amount),
      validAfter: 0n,
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as `0x${string}`,
    };
    const typed = transferAuthorizationTypedData(terms, offer.asset as `0x${string}`, offer.extra, target.chainId);
    const { EIP712Domain: _, ...types } = typed.types;
    const signature = await payer.signTypedData(typed.domain, types as never, typed.message);
    return { x402Version: 2, accepted: offer, payload: { signature, authorization } };
  };

  statusCase(
    "POST /api/account/payments",
    [200, 201, 402, 409],
    "are offered, accepted once, and belong to one account",
    async () => {
      const headers = await newAccount();
      const unpaid = await pay(headers, { product: "credits:100" });
      expect([unpaid.status, unpaid.body.error.code]).toEqual([402, "payment_required"]);
      const { x402 } = unpaid.body.error.details;
      expect(JSON.parse(Buffer.from(unpaid.headers.get("payment-required")!, "base64").toString())).toEqual(x402);
      const payment = await sign(x402.accepts[0]);
      const [first, again] = [await pay(headers, { payment }), await pay(headers, { payment })];
      expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
      expect(first.body).toMatchObject({ status: "pending", amount: "1000000", payer: payer.address });
      const other = await pay(await newAccount(), { payment });
      expect([other.status, other.body.error.code]).toEqual([409, "authorization_used"]);
      made = { headers, id: first.body.id };
    },
    { signs: true },
  );

  statusCase("GET /api/account/payments/{id}", [200, 404], "are shown to their account alone", async () => {
    const get = (headers: Record<string, string>) =>
      call("GET /api/account/payments/{id}", { key: null, headers, path: { id: made.id } });
    const { status, body } = await get(made.headers);
    expect([status, body]).toMatchObject([200, { id: made.id, product: "credits:100", status: "pending" }]);
    expect((await get(await newAccount())).status).toBe(404);
  });
});
