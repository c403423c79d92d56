import { gasStationAbi } from "@slipway/protocol/contracts/gasStation";
import { topUpTypedData } from "@slipway/protocol/gas";
import { encodeErrorResult, encodeFunctionData, type Hex, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { getWallet } from "../../dev/src/chain/wallets.ts";
import { sendRaw, wallets } from "../support/security/actors.ts";
import { askQuote, rpc, signWithViem, tokenBalance, topUp } from "../support/security/startGasStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";

const gas = useGasStack();

const none = { value: 0n, deadline: 0n, v: 0, r: zeroHash, s: zeroHash };

describe("C7-10", () => {
  test("C7-10 a quote of a wallet's own making is refused, by service and station", async () => {
    const person = await gas.newWallet();
    const terms = {
      quoteId: `0x${"5e".repeat(32)}` as Hex,
      wallet: person.address,
      token: gas.stack.stablecoin,
      tokenAmount: 1n,
      nativeAmount: 10n ** 18n,
      deadline: 10n ** 12n,
    };
    const signature = await signWithViem(person, topUpTypedData(terms, gas.station, gas.stack.manifest.chain_id));
    const answer = await topUp(gas.server, { quote_id: terms.quoteId, wallet: person.address, signature });
    expect([answer.status, answer.body.error.code]).toEqual([422, "invalid_fields"]);

    // Correctly signed, but useless: only the relayer may submit it.
    const data = encodeFunctionData({
      abi: gasStationAbi,
      functionName: "topUp",
      args: [terms, signature as Hex, none],
    });
    for (const wallet of [wallets[7]!, getWallet("treasury"), getWallet("deployer")]) {
      const expected = encodeErrorResult({
        abi: gasStationAbi,
        errorName: "GasStation_NotRelayer",
        args: [wallet.address],
      });
      const found = await rpc(gas.stack, "eth_call", [{ from: wallet.address, to: gas.station, data }, "latest"]).then(
        () => "it went through",
        (error: Error & { data?: string }) => `${error.message} ${error.data}`,
      );
      expect(found).toMatch(new RegExp(`${expected.slice(2)}|NotRelayer|revert`, "i"));
    }
    const receipt = await sendRaw(gas.stack, wallets[7]!, { to: gas.station, data });
    expect(receipt.status).toBe("reverted");
    expect(await tokenBalance(gas.stack, person.address)).toBe(100_000_000n);
  });

  test("C7-10 our own quote with a price of the wallet's making is refused", async () => {
    const person = await gas.newWallet();
    const { body: quote } = await askQuote(gas.server, person);
    const cheap = { ...quote.typed_data, message: { ...quote.typed_data.message, tokenAmount: "1" } };
    const answer = await topUp(gas.server, {
      quote_id: quote.quote_id,
      wallet: person.address,
      signature: await signWithViem(person, cheap),
      permit_signature: await signWithViem(person, quote.permit_typed_data),
    });
    expect([answer.status, answer.body.error.code]).toEqual([422, "signature_invalid"]);
  });
});
