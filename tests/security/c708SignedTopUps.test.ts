import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { encodeFunctionData, type Hex, parseSignature, zeroHash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import {
  askQuote,
  nativeBalance,
  type Person,
  relayerNonce,
  rpc,
  signedTopUp,
  signWithViem,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex32 = (value: bigint) => value.toString(16).padStart(64, "0");

const gas = useGasStack();
let person: Person;
let quote: Record<string, any>;
let good: Record<string, unknown>;
beforeAll(async () => {
  person = await gas.newWallet();
  ({ body: quote } = await askQuote(gas.server, person));
  good = await signedTopUp(person, quote);
});

/** Returns the service's answer, and the result of the same call by the relayer at the station's contract. */
async function refused(change: Record<string, unknown>): Promise<string> {
  const nonce = await relayerNonce(gas.stack);
  const answer = await topUp(gas.server, { ...good, ...change });
  expect(answer.status).toBe(422);
  expect(await relayerNonce(gas.stack)).toBe(nonce);
  return answer.body.error.code;
}

async function stationReverts(signature: string, change: Record<string, unknown> = {}): Promise<boolean> {
  const terms = { ...quote.typed_data.message, ...change };
  const none = { value: 0n, deadline: 0n, v: 0, r: zeroHash, s: zeroHash };
  const data = encodeFunctionData({ abi: gasStationAbi, functionName: "topUp", args: [terms, signature as Hex, none] });
  const call = { from: getWallet("relayer").address, to: gas.station, data };
  const error = await rpc(gas.stack, "eth_call", [call, "latest"]).then(
    () => "",
    (failure: Error) => failure.message,
  );
  expect(error).toMatch(/revert|0x/i);
  return true;
}

const changed = (part: "domain" | "message", change: Record<string, unknown>) => ({
  ...quote.typed_data,
  [part]: { ...quote.typed_data[part], ...change },
});

describe("C7-08", () => {
  const foreign: [string, () => Record<string, unknown>][] = [
    ["another chain id", () => changed("domain", { chainId: 1 })],
    ["another station", () => changed("domain", { verifyingContract: gas.stack.manifest.current.fee_locker.address })],
    ["another name", () => changed("domain", { name: "Gas Station" })],
    ["another version", () => changed("domain", { version: "2" })],
    ["another token amount", () => changed("message", { tokenAmount: "1" })],
    ["another native amount", () => changed("message", { nativeAmount: "1" })],
    ["another token", () => changed("message", { token: gas.stack.manifest.wrapped_native.address })],
    ["another deadline", () => changed("message", { deadline: `${quote.deadline + 1}` })],
    ["another quote id", () => changed("message", { quoteId: `0x${"ab".repeat(32)}` })],
    ["another wallet", () => changed("message", { wallet: getWallet("treasury").address })],
  ];
  for (const [what, typed] of foreign) {
    test(`C7-08 a signature over ${what} is refused, by service and station`, async () => {
      const signature = await signWithViem(person, typed());
      expect(await refused({ signature })).toBe("signature_invalid");
      await stationReverts(signature);
    });
  }

  test("C7-08 the signature of another wallet is refused", async () => {
    const thief = await gas.newWallet();
    const signature = await signWithViem(thief, quote.typed_data);
    expect(await refused({ signature })).toBe("signature_invalid");
    expect(await refused({ signature, wallet: thief.address })).toBe("invalid_fields");
    await stationReverts(signature);
  });

  test("C7-08 the high-s twin of a signature is refused, by service and station", async () => {
    const { r, s, yParity } = parseSignature(good.signature as Hex);
    const twin = `${r}${hex32(order - BigInt(s))}${yParity === 0 ? "1c" : "1b"}`;
    expect(await refused({ signature: twin })).toBe("signature_invalid");
    await stationReverts(twin);
  });

  test("C7-08 a compact signature of 64 bytes is refused, by service and station", async () => {
    const { r, s, yParity } = parseSignature(good.signature as Hex);
    const compact = `${r}${hex32(BigInt(s) | (BigInt(yParity) << 255n))}`;
    expect(await refused({ signature: compact })).toBe("invalid_fields");
    await stationReverts(compact);
  });

  test("C7-08 signatures of no curve point, of zeros and of a wrong v are refused", async () => {
    const body = (good.signature as string).slice(0, -2);
    for (const signature of [`0x${"00".repeat(65)}`, `0x${"ff".repeat(65)}`, `${body}1d`, `${body}02`, `${body}ff`]) {
      expect(await refused({ signature })).toBe("signature_invalid");
      await stationReverts(signature);
    }
    for (const signature of ["0x", "", `${body}1b00`, 5, null])
      expect(await refused({ signature })).toBe("invalid_fields");
  });

  test("C7-08 a contract wallet is refused: it has no key of its own", async () => {
    const contract = gas.stack.manifest.current.fee_locker.address as Hex;
    await rpc(gas.stack, "anvil_setBalance", [contract, "0x0"]);
    const { body } = await gas.server.call("POST", "/gas/quote", {
      wallet: contract,
      token: "USDG",
      gas_limit: 50_000,
    });
    const signature = await signWithViem(person, body.typed_data);
    const answer = await topUp(gas.server, { quote_id: body.quote_id, wallet: contract, signature });
    expect([answer.status, answer.body.error.code]).toEqual([422, "signature_invalid"]);
  });

  test("C7-08 the quote of another account is refused like one that does not exist", async () => {
    const stranger = await gas.stack.createAccount("stranger");
    const theirs = await topUp(gas.server, good, stranger);
    const nobodys = await topUp(gas.server, { ...good, quote_id: `0x${"cd".repeat(32)}` });
    expect([theirs.status, theirs.body.error.code, theirs.body.error.field]).toEqual([
      422,
      "invalid_fields",
      "quote_id",
    ]);
    expect(nobodys.body.error.message).toBe(theirs.body.error.message);
  });

  test("C7-08 every body that is refused for its form is a 422", async () => {
    for (const path of ["/gas/quote", "/gas/topup"] as const) {
      for (const body of [{}, [], { ...good, more: 1 }, { wallet: "0x1", token: "USDG", gas_limit: 21_000 }]) {
        const answer = await gas.server.call("POST", path, body);
        expect([path, answer.status]).toEqual([path, 422]);
      }
    }
    const asked = (gas_limit: unknown, token = "USDG") =>
      gas.server.call("POST", "/gas/quote", { wallet: person.address, token, gas_limit });
    for (const limit of [20_999, 30_000_001, 21_000.5, "21000", null]) expect((await asked(limit)).status).toBe(422);
    expect((await asked(21_000, "DAI")).body.error).toMatchObject({ code: "invalid_fields", field: "token" });
    for (const token of ["USDG", gas.stack.stablecoin, gas.stack.stablecoin.toLowerCase()]) {
      expect((await asked(21_000, token)).status).toBe(200);
    }
  });

  test("C7-08 the unchanged signature with v as 0 or 1 is taken for 27 or 28", async () => {
    const { r, s, yParity } = parseSignature(good.signature as Hex);
    const signature = `${r}${s.slice(2)}0${yParity}`;
    const { status, body } = await topUp(gas.server, { ...good, signature });
    expect(status).toBe(200);
    expect((await untilSettled(gas.server, body.hash)).body.status).toBe("confirmed");
    expect(await nativeBalance(gas.stack, person.address)).toBe(BigInt(quote.eth_amount));
  });

  test("C7-08 a quote past its deadline is refused, by service and station", async () => {
    const late = await gas.newWallet();
    const { body: old } = await askQuote(gas.server, late);
    const body = await signedTopUp(late, old);
    await rpc(gas.stack, "evm_increaseTime", [181]);
    await rpc(gas.stack, "evm_mine");
    const answer = await topUp(gas.server, body);
    expect([answer.status, answer.body.error.code]).toEqual([422, "quote_expired"]);
    await stationReverts(body.signature as string, old.typed_data.message);
  });
});
