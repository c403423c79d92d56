import type { Abi, AbiFunction, AbiParameter } from "viem";
import { z } from "zod";
import {
  type ContractTexts,
  contractTexts,
  type FieldTexts,
  type MessageTexts,
  messageTexts,
} from "./clearSigningTexts.ts";
import type { Manifest } from "./manifest.ts";

/** A descriptor of ERC-7730, version 2: how a wallet shows the calls of a contract, or a message, before the signature. */
export const clearSigningDescriptor = z
  .object({
    $schema: z.string().describe("The schema of ERC-7730 that the descriptor follows."),
    context: z
      .record(z.string(), z.unknown())
      .describe("The contracts or the EIP-712 domains for which the descriptor is valid."),
    metadata: z.record(z.string(), z.unknown()).describe("The owner and the name of the contract."),
    display: z
      .object({ formats: z.record(z.string(), z.unknown()) })
      .describe("For each function, or primary type: what the user does, and the label and format of each field."),
  })
  .meta({
    id: "ClearSigningDescriptor",
    description: "A descriptor of ERC-7730, with the addresses of this deployment.",
  });
export type ClearSigningDescriptor = z.infer<typeof clearSigningDescriptor>;

export const clearSigningIndex = z
  .object({
    chain_id: z.int().describe("The chain of the addresses in the descriptors."),
    descriptors: z
      .array(
        z.object({
          name: z.string().describe("The last part of the descriptor's path."),
          kind: z.enum(["calldata", "eip712"]).describe("Whether it describes calls of a contract or a message."),
          contract: z.string().describe("The name of the contract."),
        }),
      )
      .describe("The descriptors of this deployment."),
  })
  .meta({ id: "ClearSigningIndex", description: "The descriptors of ERC-7730 for the contracts of this deployment." });
export type ClearSigningIndex = z.infer<typeof clearSigningIndex>;

const schemaUrl = "https://eips.ethereum.org/assets/eip-7730/erc7730-v2.schema.json";

type Deployment = { chainId: number; address: string };

/** The file of a descriptor: its name, what it describes, and its content. */
export type ClearSigningFile = ClearSigningIndex["descriptors"][number] & { descriptor: ClearSigningDescriptor };

/**
 * Creates the descriptors of everything that a wallet signs with this service: launches, trades, claims, payouts, top-ups
 * and permits.
 *
 * Source: ERC-7730, https://eips.ethereum.org/EIPS/eip-7730, schema version 2
 *
 * @param manifest - Its addresses are filled in; null: the descriptors have no deployments.
 */
export function createClearSigningFiles(manifest: Manifest | null): ClearSigningFile[] {
  return [
    ...Object.values(contractTexts).flatMap((texts) => createCalldataFile(texts, manifest) ?? []),
    ...Object.values(messageTexts).flatMap((texts) => createMessageFile(texts, manifest) ?? []),
  ];
}

/** Creates the index of the descriptors of a deployment. */
export function createClearSigningIndex(manifest: Manifest): ClearSigningIndex {
  const descriptors = createClearSigningFiles(manifest).map(({ name, kind, contract }) => ({ name, kind, contract }));
  return { chain_id: manifest.chain_id, descriptors };
}

/** Returns null for a contract that the manifest does not have. */
function createCalldataFile(texts: ContractTexts, manifest: Manifest | null): ClearSigningFile | null {
  const { contract, abi } = texts;
  const deployments = toDeployments(manifest, texts.addresses);
  if (deployments === null) return null;
  const formats = Object.entries(texts.functions).map(([name, { intent, fields }]) => {
    const item = findFunction(abi, name);
    return [formatSignature(item), { intent, fields: createFields(fields, listLeaves(item.inputs)) }];
  });
  // A splitter is one of many clones: the event of their factory names them.
  const binding =
    texts.deployEvent === undefined ? { deployments } : { factory: { deployments, deployEvent: texts.deployEvent } };
  return {
    name: `calldata-${contract}.json`,
    kind: "calldata",
    contract,
    descriptor: {
      $schema: schemaUrl,
      context: { $id: contract, contract: binding },
      metadata: { owner: texts.owner ?? "Slipway", contractName: contract },
      display: { formats: Object.fromEntries(formats) },
    },
  };
}

/** Returns null for a message that no contract of the manifest verifies. */
function createMessageFile(texts: MessageTexts, manifest: Manifest | null): ClearSigningFile | null {
  const { contract, primaryType, types } = texts;
  const deployments = toDeployments(manifest, texts.addresses);
  if (deployments === null) return null;
  const { EIP712Domain: _, ...messages } = types;
  const toParameter = ({ name, type }: { name: string; type: string }): AbiParameter => {
    const components = messages[type]?.map(toParameter);
    return components === undefined ? { name, type } : ({ name, type: "tuple", components } as AbiParameter);
  };
  const leaves = listLeaves(messages[primaryType]!.map(toParameter));
  const fields = createFields(texts.fields, leaves);
  return {
    name: `eip712-${contract}-${primaryType}.json`,
    kind: "eip712",
    contract,
    descriptor: {
      $schema: schemaUrl,
      context: {
        $id: `${contract} ${primaryType}`,
        eip712: { ...(texts.domain && { domain: texts.domain }), deployments },
      },
      metadata: { owner: "Slipway", contractName: contract },
      display: { formats: { [encodeType(primaryType, messages)]: { intent: texts.intent, fields } } },
    },
  };
}

/** Creates a field for each path of the texts. @throws for a path without a text, so that no value is signed unseen. */
function createFields(texts: FieldTexts, leaves: readonly string[]): object[] {
  const missing = leaves.filter((leaf) => !(leaf in texts));
  if (missing.length > 0) throw new Error(`values without a text: ${missing.join(", ")}`);
  return Object.entries(texts).map(([path, text]) => {
    if (!path.startsWith("@.") && !leaves.includes(path)) throw new Error(`there is no field ${path}`);
    if (text === "never") return { path, visible: "never" };
    const { label, format, params, visible } = text;
    return { path, label, format, ...(params && { params }), ...(visible && { visible }) };
  });
}

/** Lists the paths of all values: `params.name` for a struct, `assets.[]` for an array. */
function listLeaves(inputs: readonly AbiParameter[], prefix = ""): string[] {
  return inputs.flatMap((input) => {
    const array = /\[\d*\]$/.test(input.type) ? ".[]" : "";
    const path = `${prefix}${input.name}${array}`;
    return "components" in input ? listLeaves(input.components as AbiParameter[], `${path}.`) : [path];
  });
}

/** @throws for a name that is unknown or has several functions. */
function findFunction(abi: Abi, name: string): AbiFunction {
  const found = abi.filter((item): item is AbiFunction => item.type === "function" && item.name === name);
  if (found.length !== 1) throw new Error(`the ABI has ${found.length} functions ${name}`);
  return found[0]!;
}

/** Formats a function with the names of its parameters, such as `release(address[] assets,address payee)`. */
function formatSignature({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(formatParameter).join(",")})`;
}

function formatParameter(input: AbiParameter): string {
  if (!("components" in input)) return `${input.type} ${input.name}`;
  const members = (input.components as AbiParameter[]).map(formatParameter).join(",");
  return `(${members})${input.type.slice("tuple".length)} ${input.name}`;
}

/** Formats a type as EIP-712 does (encodeType): the primary type, then the types that it refers to by name. */
function encodeType(primaryType: string, types: Readonly<Record<string, readonly { name: string; type: string }[]>>) {
  const used = new Set<string>();
  const collect = (type: string) => {
    if (used.has(type) || types[type] === undefined) return;
    used.add(type);
    for (const field of types[type]) collect(field.type);
  };
  collect(primaryType);
  const format = (type: string) => `${type}(${types[type]!.map((field) => `${field.type} ${field.name}`).join(",")})`;
  const others = [...used].filter((type) => type !== primaryType).sort();
  return [primaryType, ...others].map(format).join("");
}

/** Returns the addresses of a manifest, null for none. Without a manifest the list is empty. */
function toDeployments(manifest: Manifest | null, addresses: ContractTexts["addresses"]): Deployment[] | null {
  if (manifest === null) return [];
  const known = new Set(addresses(manifest).filter((address) => address !== null));
  if (known.size === 0) return null;
  return [...known].map((address) => ({ chainId: manifest.chain_id, address }));
}
