/** An input or output of the compiler's JSON ABI. */
type Parameter = { name: string; type: string; indexed?: boolean; components?: Parameter[] };

/** An item of the compiler's JSON ABI. */
export type AbiItem = {
  type: string;
  name?: string;
  inputs?: Parameter[];
  outputs?: Parameter[];
  stateMutability?: string;
  anonymous?: boolean;
};

/** Formats an ABI as the signatures that viem's `parseAbi` reads, one for each item. */
export function formatAbi(abi: readonly AbiItem[]): string[] {
  return abi.map(formatItem);
}

function formatItem({ type, name, inputs = [], outputs = [], stateMutability, anonymous }: AbiItem): string {
  const parameters = `(${inputs.map(formatParameter).join(", ")})`;
  const mutability = stateMutability === "nonpayable" || stateMutability === undefined ? "" : ` ${stateMutability}`;
  switch (type) {
    case "constructor":
      return `constructor${parameters}${mutability}`;
    case "error":
      return `error ${name}${parameters}`;
    case "event":
      if (anonymous) throw new Error(`The event ${name} is anonymous: parseAbi has no text for it.`);
      return `event ${name}${parameters}`;
    case "fallback":
    case "receive":
      return `${type}() external${mutability}`;
    case "function": {
      const returned = outputs.length === 0 ? "" : ` returns (${outputs.map(formatParameter).join(", ")})`;
      return `function ${name}${parameters}${mutability}${returned}`;
    }
    default:
      throw new Error(`An ABI item has the unknown type ${type}.`);
  }
}

function formatParameter({ name, type, indexed, components }: Parameter): string {
  const tuple = components === undefined ? type : formatTuple(type, components);
  return [tuple, indexed ? "indexed" : "", name].filter((word) => word !== "").join(" ");
}

/** Formats `tuple[]` with its components: `(address token, uint256 amount)[]`. */
function formatTuple(type: string, components: readonly Parameter[]): string {
  return type.replace(/^tuple/, () => `(${components.map(formatParameter).join(", ")})`);
}
