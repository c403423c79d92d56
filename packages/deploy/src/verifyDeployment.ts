import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, getAddress, type Hex, hexToBigInt, numberToHex, slice } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import { encodeReadProgram, decodeReadProgram } from "./readProgram.ts";
import {
  type CheckScope,
  getDeploymentExpectations,
  type Expectation,
  type WordType,
} from "./deploymentExpectations.ts";
import { type ProxySlots, readProxySlots } from "./readProxySlots.ts";

export type { CheckScope };

/** `actual` is `no answer` where the contract did not answer. */
export type Check = { name: string; scope: CheckScope; ok: boolean; expected: string; actual: string };

export type Verification = {
  /** Every check of scope `core` holds. */
  ok: boolean;
  /** Gas-station tokens that differ from the manifest: not to be accepted; the rest remains usable. */
  failedGasTokens: Address[];
  /** The block at which the chain was read. */
  blockNumber: bigint;
  checks: Check[];
};

/**
 * Proves a chain against a manifest: chain id, the code hash of every contract, their connections, the proxy slots of
 * third-party contracts, the creation code that the service ships. Four calls in two round trips, whatever the manifest's
 * size: chain id and height; then one `eth_call` for code and getters, one for storage slots, both at the same block.
 *
 * The ETH/USD stablecoin is proven as a gas-station token when it is one. The contracts of `history` are proven like
 * the current ones, except for templates, which the service no longer builds.
 *
 * @param options.blockNumber - The block to read at; default the latest.
 * @throws DeployError `rpc_unavailable`, or the node's error.
 */
export async function verifyDeployment(
  client: RpcClient,
  manifest: Manifest,
  options: { blockNumber?: bigint } = {},
): Promise<Verification> {
  const [chainId, latest] = await Promise.all([
    callRpc(client, "eth_chainId", []) as Promise<Hex>,
    options.blockNumber === undefined
      ? (callRpc(client, "eth_blockNumber", []) as Promise<Hex>)
      : numberToHex(options.blockNumber),
  ]);

  const expectations = getDeploymentExpectations(manifest);
  const codes = expectations.filter((expectation) => expectation.kind === "code");
  const calls = expectations.filter((expectation) => expectation.kind === "call");
  const proxies = expectations.filter((expectation) => expectation.kind === "proxy");
  const wordCalls = calls.flatMap((expectation) => expectation.calls);
  const codeAddresses = codes.map(({ address }) => address);
  const [output, slots] = await Promise.all([
    callRpc(client, "eth_call", [{ data: encodeReadProgram(codeAddresses, wordCalls) }, latest]) as Promise<Hex>,
    readProxySlots(
      client,
      proxies.map(({ address }) => address),
      latest,
    ),
  ]);
  const { codeHashes, answers } = decodeReadProgram(output, codes.length, wordCalls);

  const checks: Check[] = [
    createCheck({ name: "chain_id", scope: "core" }, String(manifest.chain_id), hexToBigInt(chainId).toString()),
  ];
  for (const expectation of expectations) {
    checks.push(createCheck(expectation, ...compare(expectation)));
  }
  return {
    ok: checks.every((check) => check.ok || check.scope !== "core"),
    failedGasTokens: manifest.gas_station_tokens
      .map(({ address }) => address as Address)
      .filter((address) => checks.some((check) => !check.ok && check.scope === `gas_token:${address}`)),
    blockNumber: hexToBigInt(latest),
    checks,
  };

  /** The expected and the actual value. Consumes the answers in the order of the expectations. */
  function compare(expectation: Expectation): [expected: string, actual: string] {
    switch (expectation.kind) {
      case "value":
        return [expectation.expected, expectation.actual];
      case "code":
        return [expectation.expected, codeHashes.shift() as Hex];
      case "call": {
        const read = answers
          .splice(0, expectation.calls.length)
          .flatMap((answer) => (answer === null ? [] : [answer[0] as Hex]));
        const word = read.find((candidate) => hexToBigInt(candidate) !== 0n) ?? read[0];
        return [expectation.expected, word === undefined ? "no answer" : formatWord(word, expectation.type)];
      }
      case "proxy":
        return [formatSlots(expectation.expected), formatSlots(slots.shift() as ProxySlots)];
    }
  }
}

function createCheck(named: { name: string; scope: CheckScope }, expected: string, actual: string): Check {
  const ok = expected.toLowerCase() === actual.toLowerCase();
  return { name: named.name, scope: named.scope, ok, expected, actual };
}

function formatWord(word: Hex, type: WordType): string {
  switch (type) {
    case "address":
      // A word that contains more than an address is not one.
      return hexToBigInt(word) >> 160n === 0n ? getAddress(slice(word, 12)) : word;
    case "bytes32":
      return word;
    default:
      return hexToBigInt(word, { signed: type === "int256" }).toString();
  }
}

function formatSlots({ implementation, beacon, admin }: ProxySlots): string {
  const text = (slot: Hex) => (hexToBigInt(slot) === 0n ? "none" : slot);
  return `implementation ${text(implementation)}, beacon ${text(beacon)}, admin ${text(admin)}`;
}
