import type { ClearSigningDescriptor, ClearSigningFile } from "@slipway/protocol/clearSigning";
import {
  type AbiFunction,
  decodeFunctionData,
  formatEther,
  formatUnits,
  getAddress,
  type Hex,
  parseAbiItem,
  slice,
  toFunctionSelector,
} from "viem";

/** What a wallet knows of a transaction. */
export type SignedCall = { chainId: number; from: string; to: string; data: Hex; value: bigint };

/** The lines that a wallet shows: the action of the user, and each value with its label. Nested calls are indented. */
export type Description = { intent: string; lines: string[] };

type Field = {
  path: string;
  label?: string;
  format?: string;
  params?: { tokenPath?: string; calleePath?: string; decimals?: number; base?: string };
  visible?: string | { ifNotIn: unknown[] };
};
type Format = { intent: string; fields: Field[] };
type Data = Record<string, unknown>;

/** The files of a deployment, and how a wallet finds contracts that a factory created. */
export type Registry = { files: readonly ClearSigningFile[]; isCreatedBy(factory: string, address: string): boolean };

/** Describes a call as a wallet does that knows only the descriptors. @throws if no descriptor fits. */
export function describeCall(registry: Registry, call: SignedCall): Description {
  const formats = findFormats(registry, call);
  for (const [signature, format] of Object.entries(formats)) {
    const item = parseAbiItem(`function ${signature}`) as AbiFunction;
    if (toFunctionSelector(item) !== slice(call.data, 0, 4)) continue;
    // viem returns no arguments for a function without any.
    const { args } = decodeFunctionData({ abi: [item], data: call.data }) as { args?: readonly unknown[] };
    const data = Object.fromEntries(item.inputs.map(({ name }, i) => [name!, args![i]]));
    const lines = format.fields.flatMap((field) => describeField(registry, call, data, field));
    return { intent: format.intent, lines };
  }
  throw new Error(`no descriptor has the function ${slice(call.data, 0, 4)} of ${call.to}`);
}

/** Describes a message as a wallet does; `verifyingContract` is its container. */
export function describeMessage(
  { files }: Registry,
  typed: { domain: { chainId: number; verifyingContract: string }; primaryType: string; message: Data },
): Description {
  const { chainId, verifyingContract: to } = typed.domain;
  const isMatch = ({ kind, descriptor }: ClearSigningFile) =>
    kind === "eip712" && isDeployed((descriptor.context.eip712 as Context).deployments!, chainId, to);
  for (const { descriptor } of files.filter(isMatch)) {
    for (const [type, format] of getFormats(descriptor)) {
      if (!type.startsWith(`${typed.primaryType}(`)) continue;
      const call: SignedCall = { chainId, from: "", to, data: "0x", value: 0n };
      const registry: Registry = { files, isCreatedBy: () => false };
      return {
        intent: format.intent,
        lines: format.fields.flatMap((field) => describeField(registry, call, typed.message, field)),
      };
    }
  }
  throw new Error(`no descriptor has the message ${typed.primaryType}`);
}

type Deployments = { chainId: number; address: string }[];
type Context = { deployments?: Deployments; factory?: { deployments: Deployments } };

const getFormats = (descriptor: ClearSigningDescriptor) =>
  Object.entries(descriptor.display.formats) as [string, Format][];
const isDeployed = (deployments: Deployments, chainId: number, address: string) =>
  deployments.some((one) => one.chainId === chainId && one.address.toLowerCase() === address.toLowerCase());

function findFormats({ files, isCreatedBy }: Registry, { chainId, to }: SignedCall): Record<string, Format> {
  const found = files.find(({ kind, descriptor }) => {
    if (kind !== "calldata") return false;
    const { deployments, factory } = descriptor.context.contract as Context;
    if (deployments !== undefined) return isDeployed(deployments, chainId, to);
    return factory!.deployments.some((one) => one.chainId === chainId && isCreatedBy(one.address, to));
  });
  if (found === undefined) throw new Error(`no descriptor is for ${to}`);
  return Object.fromEntries(getFormats(found.descriptor));
}

function describeField(registry: Registry, call: SignedCall, data: Data, field: Field): string[] {
  const values = resolve(call, data, field.path);
  if (field.visible === "never") return [];
  return values.flatMap((value, i) => {
    const hidden =
      typeof field.visible === "object" && field.visible.ifNotIn.some((one) => String(one) === String(value));
    if (hidden) return [];
    if (field.format !== "calldata") return [`${field.label}: ${formatValue(call, data, field, value, i)}`];
    const to = pick(resolve(call, data, field.params!.calleePath!), i) as string;
    const nested = describeCall(registry, { ...call, to, data: value as Hex, value: 0n });
    return [`${field.label}: ${nested.intent}`, ...nested.lines.map((line) => `  ${line}`)];
  });
}

function formatValue(call: SignedCall, data: Data, { format, params }: Field, value: unknown, index: number): string {
  switch (format) {
    case "raw":
      return String(value);
    case "addressName":
      return getAddress(value as string);
    case "amount":
      return `${formatEther(BigInt(value as bigint))} native`;
    case "tokenAmount":
      return `${BigInt(value as bigint)} of ${getAddress(pick(resolve(call, data, params!.tokenPath!), index) as string)}`;
    case "unit":
      return `${formatUnits(BigInt(value as bigint), params!.decimals!)} ${params!.base}`;
    case "date":
      return new Date(Number(value) * 1_000).toISOString();
    default:
      throw new Error(`unknown format ${format}`);
  }
}

/** The value for an element of an array: of the same index, or the only one. */
const pick = (values: unknown[], index: number) => (values.length === 1 ? values[0] : values[index]);

/** Resolves a path to its values: one, or one for each element of an array. */
function resolve(call: SignedCall, data: Data, path: string): unknown[] {
  if (path.startsWith("@.")) return [call[path.slice(2) as "value" | "to" | "from"]];
  let values: unknown[] = [data];
  for (const name of path.split(".")) {
    values = values.flatMap((value) => (name === "[]" ? (value as unknown[]) : [(value as Data)[name]]));
  }
  if (values.includes(undefined)) throw new Error(`there is no value ${path}`);
  return values;
}
