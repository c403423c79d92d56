/** An input or output of the compiler's JSON ABI. */
type Parameter = {
  name: string;
  type: string;
  indexed?: boolean;
  internalType?: string;
  components?: Parameter[];
};

/** An item of the compiler's JSON ABI. */
export type AbiItem = {
  type: string;
  name?: string;
  inputs?: Parameter[];
  outputs?: Parameter[];
  stateMutability?: string;
  anonymous?: boolean;
};

const types = ["constructor", "fallback", "receive", "function", "event", "error"];

/** Returns an ABI in the order of forge's artifacts: by type and name, and each item with its keys in one order. */
export function orderAbi(abi: readonly AbiItem[]): AbiItem[] {
  const toKey = ({ type, name = "" }: AbiItem) => `${types.indexOf(type)} ${name}`;
  return abi.map(orderItem).sort((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
}

function orderItem({ type, name, inputs, outputs, stateMutability, anonymous }: AbiItem): AbiItem {
  return {
    type,
    ...(name !== undefined && { name }),
    ...(inputs && { inputs: inputs.map(orderParameter) }),
    ...(outputs && { outputs: outputs.map(orderParameter) }),
    ...(stateMutability !== undefined && { stateMutability }),
    ...(anonymous !== undefined && { anonymous }),
  };
}

function orderParameter({ name, type, indexed, internalType, components }: Parameter): Parameter {
  return {
    name,
    type,
    ...(indexed !== undefined && { indexed }),
    ...(internalType !== undefined && { internalType }),
    ...(components && { components: components.map(orderParameter) }),
  };
}

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
