import type { Manifest } from "@slipway/protocol/manifest";
import { type Address, getAddress, type Hex, hexToBigInt, numberToHex, slice } from "viem";
import { callRpc, type RpcClient } from "./createRpcClient.ts";
import {
  type CheckScope,
  type Expectation,
  getDeploymentExpectations,
  type WordType,
} from "./deploymentExpectations.ts";
import { compareOwnCode, listOwnContracts } from "./ownContracts.ts";
import { decodeReadProgram, encodeReadProgram } from "./readProgram.ts";
import { type ProxySlots, readProxySlots } from "./readProxySlots.ts";
import { verifyCreations } from "./verifyCreations.ts";
import { verifyPowers } from "./verifyPowers.ts";

export type { CheckScope };

/** `actual` is `no answer` if the contract did not answer. */
export type Check = { name: string; scope: CheckScope; ok: boolean; expected: string; actual: string };

export type Verification = {
  /** Whether every check of scope `core` passed. */
  ok: boolean;
  /**
   * Gas-station tokens that must not be accepted; everything else remains usable. Contains the tokens that differ from
   * the manifest, or all of them when the station's roles differ.
   */
  failedGasTokens: Address[];
  /** The block at which the chain was read. */
  blockNumber: bigint;
  checks: Check[];
};

/**
 * Proves a chain against a manifest: chain id, the code hash and the proxy slots of every contract, their connections,
 * the roles of the gas station, the creation code that the service ships. Four calls in two round trips, whatever the
 * manifest's size: chain id and height; then one `eth_call` for code and getters, one for storage slots, both at the same
 * block.
 *
 * The code of Slipway's contracts is compared with the artifacts, not only with the manifest. If it differs, a further
 * round trip reads it, and a check names each wrong word of an immutable.
 *
 * The ETH/USD stablecoin is proven as a gas-station token if it is one. The contracts of `history` are proven like the
 * current ones, except for templates, which the service no longer builds.
 *
 * @param options.creations - Whether to check the transactions that created Slipway's contracts and the holders of
 *   powers over the deployment, for a manifest whose author is not trusted. Needs a node that has the transactions. Default: false, as in the service, whose operator
 *   pinned a manifest that has passed this check.
 * @param options.blockNumber - The block to read at; default the latest.
 * @throws DeployError `rpc_unavailable`, or the node's error.
 */
export async function verifyDeployment(
  client: RpcClient,
  manifest: Manifest,
  options: { blockNumber?: bigint; creations?: boolean } = {},
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
  const { codeHashes: readHashes, answers } = decodeReadProgram(output, codes.length, wordCalls);

  const codeHashes = [...readHashes];
  const checks: Check[] = [
    createCheck({ name: "chain_id", scope: "core" }, String(manifest.chain_id), hexToBigInt(chainId).toString()),
  ];
  for (const expectation of expectations) {
    checks.push(createCheck(expectation, ...compare(expectation)));
  }
  const hashesByAddress = new Map(codes.map(({ address }, index) => [address.toLowerCase(), readHashes[index]]));
  const compiledHashes = new Map(checks.map(({ name, expected }) => [name, expected]));
  const differing = listOwnContracts(manifest).filter(
    ({ label, address }) => hashesByAddress.get(address.toLowerCase()) !== compiledHashes.get(`${label}.compiled`),
  );
  const differingCodes = await Promise.all(
    differing.map(({ address }) => callRpc(client, "eth_getCode", [address, latest]) as Promise<Hex>),
  );
  for (const [index, contract] of differing.entries()) {
    for (const { name, expected, actual } of compareOwnCode(contract, differingCodes[index] as Hex)) {
      checks.push({ name, scope: "core", ok: false, expected, actual });
    }
  }
  if (options.creations === true) {
    const [creations, powers] = await Promise.all([verifyCreations(client, manifest), verifyPowers(client, manifest)]);
    for (const { name, expected, actual } of [...creations, ...powers])
      checks.push(createCheck({ name, scope: "core" }, expected, actual));
  }
  return {
    ok: checks.every((check) => check.ok || check.scope !== "core"),
    failedGasTokens: manifest.gas_station_tokens
      .map(({ address }) => address as Address)
      .filter((address) =>
        checks.some(({ ok, scope }) => !ok && (scope === "gas_station" || scope === `gas_token:${address}`)),
      ),
    blockNumber: hexToBigInt(latest),
    checks,
  };

  /** Returns the expected and the actual value. Consumes the answers in the order of the expectations. */
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
      // A word with more than an address is not an address.
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
