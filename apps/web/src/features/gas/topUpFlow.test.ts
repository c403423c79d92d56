import { type GasQuote, topUpTypedData } from "@slipway/protocol/gas";
import { permitTypedData } from "@slipway/protocol/typedData";
import { expect, test } from "vitest";
import { account, createFakeProvider } from "../../../../../tests/support/web/fakeProvider.ts";
import { createVirtualTiming } from "../../../../../tests/support/web/virtualTiming.ts";
import { createTopUpFlow } from "./topUpFlow.ts";

const address = (byte: string) => `0x${byte.repeat(20)}` as const;
const [token, station, other] = [address("7e"), address("57"), address("66")];
const quoteId = `0x${"11".repeat(32)}` as const;
const terms = { quoteId, wallet: account, token, tokenAmount: 2_500_000n, nativeAmount: 10n ** 15n, deadline: 9n };
const permit = { owner: account, spender: station, value: terms.tokenAmount, nonce: 0n, deadline: 9n };
const domain = { name: "USD", version: "2" };
const toExchange = (changed: object = {}) => topUpTypedData({ ...terms, ...changed }, station, 46630);
const toPermit = (changed: object = {}, of: `0x${string}` = token) =>
  permitTypedData({ ...permit, ...changed }, of, domain, 46630);

function prepare(changed: Partial<GasQuote>) {
  const quote = {
    ...{ quote_id: quoteId, needs_top_up: true, needs_permit: true, token, station },
    ...{ token_amount: "2500000", eth_amount: String(10n ** 15n) },
    ...{ typed_data: toExchange(), permit_typed_data: toPermit() },
    ...changed,
  } as GasQuote;
  const flow = createTopUpFlow({
    ...{ api: {} as never, timing: createVirtualTiming(), wallet: account, token, quote },
    getSender: () =>
      ({
        provider: createFakeProvider(),
        address: account,
        chain: { id: 46630, contracts: { gas_station: station } },
      }) as never,
  });
  return flow.prepare(new AbortController().signal);
}

test("C10-67 a wallet gets only the shown exchange to sign, and a permit only for its cost", async () => {
  await expect(prepare({})).resolves.toMatchObject({ kind: "signature", name: "permit_top_up" });
  await expect(prepare({ needs_permit: false, permit_typed_data: null })).resolves.toMatchObject({ name: "top_up" });
  for (const changed of [
    { token: other },
    { token_amount: "2500001" },
    { eth_amount: "1" },
    ...[{ wallet: other }, { token: other }, { tokenAmount: 2_500_001n }, { nativeAmount: 1n }].map((one) => ({
      typed_data: toExchange(one),
    })),
    { typed_data: topUpTypedData(terms, other, 46630) },
    { typed_data: toPermit() },
    ...[{ owner: other }, { spender: other }, { value: 2n ** 256n - 1n }].map((one) => ({
      permit_typed_data: toPermit(one),
    })),
    { permit_typed_data: toPermit({}, other) },
    { permit_typed_data: toExchange() },
  ]) {
    await expect(prepare(changed), JSON.stringify(changed)).rejects.toMatchObject({ fault: "not_as_asked" });
  }
});

test("C10-72 a wallet signs a top-up and its permit only with their own types and for the deployment's station", async () => {
  const dai = ["holder", "spender", "nonce", "expiry", "allowed"].map((name) => ({ name, type: "uint256" }));
  const [exchange, signed] = [toExchange(), toPermit()];
  for (const changed of [
    { permit_typed_data: { ...signed, types: { ...signed.types, Permit: dai } } },
    { permit_typed_data: { ...signed, types: { ...exchange.types } } },
    { typed_data: { ...exchange, types: { ...exchange.types, TopUp: exchange.types.TopUp!.slice(1) } } },
    { typed_data: { ...exchange, types: { TopUp: exchange.types.TopUp! } } },
    // Consistent, but of another station.
    {
      station: other,
      typed_data: topUpTypedData(terms, other, 46630),
      permit_typed_data: toPermit({ spender: other }),
    },
  ]) {
    await expect(prepare(changed), JSON.stringify(changed)).rejects.toMatchObject({ fault: "not_as_asked" });
  }
});
