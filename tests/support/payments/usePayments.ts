import { randomBytes } from "node:crypto";
import type { PaymentOffer, PaymentRequirements, SignedPayment } from "@slipway/protocol/payments";
import { transferAuthorizationTypedData } from "@slipway/protocol/transferAuthorization";
import { bookPayments } from "@slipway/server/features/payments/bookPayments";
import type { Job } from "@slipway/server/job";
import { encodeFunctionData, type Hex, parseAbi, parseSignature } from "viem";
import { afterAll, beforeAll, expect } from "vitest";
import { getWallet } from "../../../dev/src/chain/wallets.ts";
import { type OpenGasStack, type Person, rpc, tokenBalance, untilMined } from "../security/startGasStack.ts";
import type { Account, Answer, Server } from "../security/startTestStack.ts";
import { useGasStack } from "../security/useGasStack.ts";
import { payee, paymentEnvironment } from "./paymentEnvironment.ts";

/** The functions of EIP-3009 that a payer, or somebody else, can call directly. */
const authorizations = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
]);

type Authorization = SignedPayment["payload"]["authorization"];
type Change = { authorization?: Partial<Authorization>; accepted?: Partial<PaymentRequirements>; chainId?: number };

/** A stack that takes payments, with the jobs of the relayer and of payments. */
export function usePayments(environment: Record<string, string> = {}) {
  const gas: OpenGasStack = useGasStack({ ...paymentEnvironment, ...environment });
  let job: Job;
  beforeAll(() => {
    job = bookPayments(gas.server.deps);
  });
  afterAll(async () => {
    await job?.stop();
  });

  const query = async <R extends object = any>(sql: string, values: unknown[] = []) =>
    (await gas.stack.deps.db.api.query<R>(sql, values)).rows;

  const payments = {
    gas,
    query,
    pay: (body: object, { server = gas.server, as }: { server?: Server; as?: Account } = {}): Promise<Answer> =>
      server.call("POST", "/api/account/payments", body, as),
    get: (id: string, as?: Account): Promise<Answer> =>
      gas.server.call("GET", `/api/account/payments/${id}`, undefined, as),
    /** Returns the offer of a product. */
    offer: async (product = "credits:100"): Promise<PaymentRequirements> => {
      const { status, body } = await payments.pay({ product });
      expect(status).toBe(402);
      return (body.error.details.x402 as PaymentOffer).accepts[0]!;
    },
    /** Signs an offer as a payer, with changes to what it signs or sends. */
    sign: async (person: Person, offer: PaymentRequirements, change: Change = {}): Promise<SignedPayment> => {
      const { timestamp } = await rpc<{ timestamp: Hex }>(gas.stack, "eth_getBlockByNumber", ["latest", false]);
      const authorization: Authorization = {
        from: person.address,
        to: offer.payTo,
        value: offer.amount,
        validAfter: "0",
        validBefore: String(Number(timestamp) + 300),
        nonce: `0x${randomBytes(32).toString("hex")}`,
        ...change.authorization,
      };
      const typed = transferAuthorizationTypedData(
        {
          ...(authorization as { from: Hex; to: Hex; nonce: Hex }),
          value: BigInt(authorization.value),
          validAfter: BigInt(authorization.validAfter),
          validBefore: BigInt(authorization.validBefore),
        },
        offer.asset as Hex,
        offer.extra,
        change.chainId ?? gas.stack.manifest.chain_id,
      );
      const signature = await person.account.signTypedData(typed as never);
      return { x402Version: 2, accepted: { ...offer, ...change.accepted }, payload: { signature, authorization } };
    },
    /** Encodes the transfer that somebody else can send. */
    encodeTransfer: ({ payload: { signature, authorization } }: SignedPayment): Hex => {
      const { r, s, yParity } = parseSignature(signature as Hex);
      const { from, to, value, validAfter, validBefore, nonce } = authorization as Authorization & { nonce: Hex };
      return encodeFunctionData({
        abi: authorizations,
        functionName: "transferWithAuthorization",
        args: [
          from as Hex,
          to as Hex,
          BigInt(value),
          BigInt(validAfter),
          BigInt(validBefore),
          nonce,
          yParity + 27,
          r,
          s,
        ],
      });
    },
    /** Encodes the cancellation of an authorization, signed by its payer. */
    encodeCancellation: async (person: Person, signed: SignedPayment): Promise<Hex> => {
      const nonce = signed.payload.authorization.nonce as Hex;
      const { extra, asset } = signed.accepted as PaymentRequirements;
      const signature = await person.account.signTypedData({
        domain: {
          name: extra.name,
          version: extra.version,
          chainId: gas.stack.manifest.chain_id,
          verifyingContract: asset as Hex,
        },
        types: {
          CancelAuthorization: [
            { name: "authorizer", type: "address" },
            { name: "nonce", type: "bytes32" },
          ],
        },
        primaryType: "CancelAuthorization",
        message: { authorizer: person.address, nonce },
      });
      const { r, s, yParity } = parseSignature(signature);
      return encodeFunctionData({
        abi: authorizations,
        functionName: "cancelAuthorization",
        args: [person.address, nonce, yParity + 27, r, s],
      });
    },
    /** Runs `work` while no block is mined; then mines one in which a call of another account precedes all others. */
    precede: async (data: Hex, work: () => Promise<void>): Promise<void> => {
      const { stack } = gas;
      await rpc(stack, "evm_setAutomine", [false]);
      try {
        await work();
        const { address } = getWallet("deployer");
        const call = { from: address, to: stack.stablecoin, data, gas: "0x493e0", gasPrice: "0x174876e800" };
        await rpc(stack, "anvil_impersonateAccount", [address]);
        const hash = await rpc<Hex>(stack, "eth_sendTransaction", [call]);
        await rpc(stack, "evm_mine");
        await untilMined(stack, hash);
      } finally {
        await rpc(stack, "evm_setAutomine", [true]);
      }
    },
    /** Mines blocks until the newest block of now is final. */
    makeFinal: async (): Promise<void> => {
      await rpc(gas.stack, "anvil_mine", ["0x40", "0x0"]);
      await rpc(gas.stack, "evm_increaseTime", [3]);
      await rpc(gas.stack, "evm_mine");
    },
    /** Waits until the relayer's transaction of a payment is mined. */
    untilSent: async (id: string): Promise<void> => {
      const sql = "select state from app.relayer_transactions where payment_id = $1";
      await expect.poll(async () => (await query(sql, [id]))[0]?.state).not.toBe("sent");
    },
    /** Makes a payment final, and returns it when it has ended. */
    untilEnded: async (id: string, as?: Account): Promise<any> => {
      await payments.untilSent(id);
      await payments.makeFinal();
      await expect.poll(async () => (await payments.get(id, as)).body.status).not.toBe("pending");
      return (await payments.get(id, as)).body;
    },
    /** The stablecoins of the payee, and the credits of an account. */
    totals: async (accountId = gas.stack.account.id) => ({
      received: await tokenBalance(gas.stack, payee),
      credits: Number(
        (await query("select balance from app.credit_balances where account_id = $1", [accountId]))[0]?.balance ?? 0,
      ),
      bookings: Number(
        (await query("select count(*) as n from app.credit_ledger where account_id = $1", [accountId]))[0].n,
      ),
    }),
    /** Runs `work` while the job of payments is stopped. */
    pauseJob: async (work: () => Promise<void>): Promise<void> => {
      await job.stop();
      await work().finally(() => {
        job = bookPayments(gas.server.deps);
      });
    },
  };
  return payments;
}
