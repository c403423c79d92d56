import { readFileSync } from "node:fs";
import type { ClearSigningDescriptor, ClearSigningIndex } from "@slipway/protocol/clearSigning";
import type { Manifest } from "@slipway/protocol/manifest";
import { hexlify, randomBytes } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import { type Description, describeCall, type Registry } from "../support/clearSigning/describeCall.ts";
import { findDescriptorErrors } from "../support/clearSigning/validateDescriptor.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";

const { inside, fixture } = target;

async function readFiles(): Promise<Registry["files"]> {
  const { descriptors } = (await call("GET /.well-known/erc7730")).body as ClearSigningIndex;
  return await Promise.all(
    descriptors.map(async (entry) => {
      const { body } = await call("GET /.well-known/erc7730/{name}", { path: { name: entry.name } });
      return { ...entry, descriptor: body as ClearSigningDescriptor };
    }),
  );
}

describe("descriptors for clear signing", () => {
  statusCase("GET /.well-known/erc7730", 200, "lists the descriptors of this deployment", async () => {
    const { body, headers } = await call("GET /.well-known/erc7730");
    expect(body.chain_id).toBe(target.chainId);
    expect(body.descriptors.length).toBeGreaterThan(5);
    expect([headers.get("access-control-allow-origin"), headers.get("etag") === null]).toEqual(["*", false]);
  });

  statusCase("GET /.well-known/erc7730/{name}", 200, "follows the JSON schema of ERC-7730", async () => {
    for (const { name, descriptor } of await readFiles()) {
      expect([name, ...findDescriptorErrors(descriptor)]).toEqual([name]);
      expect(JSON.stringify(descriptor), name).toContain(`"chainId":${target.chainId}`);
    }
  });

  statusCase("GET /.well-known/erc7730/{name}", 404, "knows no other name", async () => {
    for (const name of ["calldata-Unknown.json", "..%2Fx", "index"]) {
      expect((await call("GET /.well-known/erc7730/{name}", { path: { name } })).body.error.code).toBe("not_found");
    }
  });
});

describe.skipIf(inside === null || fixture === null)("the transactions that the service prepares", () => {
  const { token, creator, splitter, intentId } = fixture ?? ({} as NonNullable<typeof fixture>);
  let registry: Registry;
  let manifest: Manifest;

  beforeAll(async () => {
    manifest = JSON.parse(readFileSync(inside!.manifestPath, "utf8")) as Manifest;
    const { splitter_factory } = manifest.current;
    registry = {
      files: await readFiles(),
      // The fixture's splitter is of a creation transaction: the wallet has to trust this descriptor for it.
      isCreatedBy: (factory, address) => factory === splitter_factory.address && address === splitter,
    };
  });

  /** The lines that a wallet shows for a prepared transaction. */
  const show = (transaction: any): Description => {
    const { from, to, data, value } = transaction;
    return describeCall(registry, { chainId: target.chainId, from, to, data, value: BigInt(value) });
  };

  it("show the terms of a launch", async () => {
    const salt = hexlify(randomBytes(32));
    const { body } = await call("POST /launch/transactions", {
      body: { intent_id: intentId, wallet: creator, splitter, salt },
    });
    const { intent, lines } = show(body.transaction);
    expect(intent).toBe("Launch a token");
    expect(lines).toContain("Name: Conformance Kite");
    expect(lines).toContain(`Fees go to: ${splitter}`);
    expect(lines.join("\n")).not.toContain(salt);
  });

  it("show the amounts and the recipient of a trade with native", async () => {
    const { body } = await call("POST /trade/calls", {
      body: { token, wallet: creator, side: "buy", pay: "native", amount_in: "1000000000000000", slippage_bps: 100 },
    });
    const { intent, lines } = show(body.transaction ?? body.calls.at(-1));
    const { quote } = body;
    const text = lines.join("\n");
    expect(intent).toBe("Swap");
    expect(text).toContain(`Send: 1000000000000000 of ${manifest.wrapped_native.address}`);
    expect(text).toContain(`Receive at least: ${quote.minimum_out} of ${token}`);
    expect(text).toContain(`Recipient: ${creator}`);
    expect(text).toContain("Send native: 0.001 native");
  });

  it("show the steps of a claim and a change of the payout", async () => {
    const claim = await call("POST /fees/claim-calls", { body: { tokens: [token], wallet: creator } });
    const { intent, lines } = show(claim.body.transaction);
    expect(intent).toBe("Make several calls");
    const text = lines.join("\n");
    expect(text).toContain(`Call: Collect trading fees\n  Launched token: ${token}`);
    expect(text).toContain("Call: Release fees");
    expect(text).toContain(`  Recipient: ${creator}`);
    const payout = fixture!.trader;
    const { body } = await call("POST /fees/payout-transactions", { body: { token, wallet: creator, payout } });
    expect(show(body.transaction)).toEqual({
      intent: "Change your payout address",
      lines: [`New payout address: ${payout}`],
    });
  });
});
