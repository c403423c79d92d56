import { type Abi, multicall3Abi } from "viem";
import { feeLockerAbi } from "./contracts/feeLocker.ts";
import { feeSplitterAbi } from "./contracts/feeSplitter.ts";
import { launchFactoryAbi } from "./contracts/launchFactory.ts";
import { openingAbi } from "./contracts/opening.ts";
import { openingFactoryAbi } from "./contracts/openingFactory.ts";
import { splitterFactoryAbi } from "./contracts/splitterFactory.ts";
import { vestingAbi } from "./contracts/vesting.ts";
import { vestingFactoryAbi } from "./contracts/vestingFactory.ts";
import type { Manifest } from "./manifest.ts";
import { launchTypes, permitTypes, topUpTypes } from "./signedTypes.ts";
import { routerPaymentsAbi, swapRouter02Abi, swapRouterAbi } from "./uniswap.ts";

/** How a wallet shows a value; `never` for a value that the user cannot judge, such as a salt or a signature. */
type FieldText =
  | "never"
  | { label: string; format: string; params?: object; visible?: "optional" | { ifNotIn: (string | boolean)[] } };

/** Texts by the path of a value in the arguments; `@.value` is the native value of the transaction. */
export type FieldTexts = Readonly<Record<string, FieldText>>;

type Addresses = (manifest: Manifest) => (string | null)[];

export type ContractTexts = {
  contract: string;
  owner?: string;
  abi: Abi;
  addresses: Addresses;
  /** The event of the factory whose contracts the descriptor describes. */
  deployEvent?: string;
  functions: Readonly<Record<string, { intent: string; fields: FieldTexts }>>;
};

export type MessageTexts = {
  contract: string;
  primaryType: string;
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  domain?: { name: string; version: string };
  addresses: Addresses;
  intent: string;
  fields: FieldTexts;
};

/** From this value on, an allowance is no amount that anybody has. */
const unlimited = `0x8${"0".repeat(63)}`;
const zero = "0x0000000000000000000000000000000000000000";

/** A label with a format. */
const show = (label: string, format: string, params?: object): Exclude<FieldText, "never"> => ({
  label,
  format,
  ...(params && { params }),
});

const account = (label: string) => show(label, "addressName", { types: ["eoa", "wallet", "contract"] });
const contract = (label: string) => show(label, "addressName", { types: ["contract"] });
const token = (label: string) => show(label, "addressName", { types: ["token"] });
const amountOf = (label: string, tokenPath: string) => show(label, "tokenAmount", { tokenPath });
const native = (label: string) => show(label, "amount");
const until = (label: string) => show(label, "date", { encoding: "timestamp" });
/** The value of the transaction, if there is one. */
const value = (label: string) => ({ ...native(label), visible: { ifNotIn: ["0"] } });

const launchParams: FieldTexts = {
  "params.name": show("Name", "raw"),
  "params.symbol": show("Symbol", "raw"),
  "params.contractURI": { ...show("Metadata", "raw"), visible: "optional" },
  "params.splitter": contract("Fees go to"),
  "params.salt": "never",
  "params.partner": { ...account("Partner"), visible: { ifNotIn: [zero] } },
  "params.feeBps": show("Trading fee", "unit", { base: "%", decimals: 2 }),
};

/** The parameters of a launch with its buy. Every launched token has 18 decimals; its address does not exist yet. */
const launchFields: FieldTexts = {
  ...launchParams,
  "buy.recipient": account("Bought tokens go to"),
  "buy.minimumOut": show("Buy at least", "unit", { base: "tokens", decimals: 18 }),
};

/** A fee of a pool in hundredths of a basis point. */
const poolFee = show("Pool fee", "unit", { base: "%", decimals: 4 });

const exactInput: FieldTexts = {
  "params.amountIn": amountOf("Send", "params.tokenIn"),
  "params.amountOutMinimum": amountOf("Receive at least", "params.tokenOut"),
};
const exactOutput: FieldTexts = {
  "params.amountInMaximum": amountOf("Send at most", "params.tokenIn"),
  "params.amountOut": amountOf("Receive", "params.tokenOut"),
};
const path: FieldTexts = {
  "params.tokenIn": token("From"),
  "params.tokenOut": token("To"),
  "params.fee": poolFee,
  "params.recipient": account("Recipient"),
  "params.sqrtPriceLimitX96": "never",
};
/** A path through two pools: its first and its last 20 bytes are tokens. */
const exactInputPath: FieldTexts = {
  "params.amountIn": amountOf("Send", "params.path.[0:20]"),
  "params.amountOutMinimum": amountOf("Receive at least", "params.path.[-20:]"),
  "params.path": show("Path", "raw"),
  "params.recipient": account("Recipient"),
};
const nestedCalls = show("Step", "calldata", { calleePath: "@.to" });

const routerPayments: ContractTexts["functions"] = {
  selfPermitIfNecessary: {
    intent: "Allow the router to spend",
    fields: {
      value: amountOf("At most", "token"),
      token: token("Token"),
      deadline: until("Valid until"),
      v: "never",
      r: "never",
      s: "never",
    },
  },
  unwrapWETH9: {
    intent: "Receive native",
    fields: { amountMinimum: native("Receive at least"), recipient: account("Recipient") },
  },
  refundETH: { intent: "Get the rest back", fields: {} },
};

const launchFactories: Addresses = ({ current, history }) =>
  [current, ...history].map(({ launch_factory }) => launch_factory.address);
const vestingFactories: Addresses = ({ current, history }) =>
  [current, ...history].map(({ vesting_factory }) => vesting_factory.address);
const openingFactories: Addresses = ({ current, history }) =>
  [current, ...history].map(({ opening_factory }) => opening_factory.address);
const getRouter =
  (kind: Manifest["uniswap"]["router_kind"]): Addresses =>
  ({ uniswap }) => [uniswap.router_kind === kind ? uniswap.router.address : null];

/** The contracts that users call, by their name. Source of the functions: NatSpec of contracts/src/interfaces. */
export const contractTexts: Readonly<Record<string, ContractTexts>> = {
  launchFactory: {
    contract: "LaunchFactory",
    abi: launchFactoryAbi,
    addresses: launchFactories,
    functions: {
      launch: { intent: "Launch a token", fields: { ...launchFields, "@.value": value("Buy for") } },
      launchFor: {
        intent: "Launch a token for its creator",
        fields: {
          creator: account("Creator"),
          ...launchFields,
          value: native("Buy for"),
          deadline: until("Valid until"),
          signature: "never",
        },
      },
      cancel: { intent: "Revoke all signed launches", fields: {} },
    },
  },
  splitterFactory: {
    contract: "SplitterFactory",
    abi: splitterFactoryAbi,
    addresses: ({ current, history }) => [current, ...history].map(({ splitter_factory }) => splitter_factory.address),
    functions: {
      create: {
        intent: "Create the splitter of a launch's fees",
        fields: {
          "payees.[]": account("Recipient"),
          "shares.[]": show("Share", "unit", { base: "%", decimals: 2 }),
          salt: "never",
        },
      },
    },
  },
  feeLocker: {
    contract: "FeeLocker",
    abi: feeLockerAbi,
    addresses: ({ current, history }) => [current, ...history].map(({ fee_locker }) => fee_locker.address),
    functions: {
      collect: { intent: "Collect trading fees", fields: { token: token("Launched token") } },
      settle: {
        intent: "Pay out collected fees",
        fields: { token: token("Launched token"), "assets.[]": token("Asset") },
      },
      payOwed: { intent: "Pay owed fees", fields: { asset: token("Asset"), party: account("Recipient") } },
    },
  },
  feeSplitter: {
    contract: "FeeSplitter",
    abi: feeSplitterAbi,
    addresses: ({ current, history }) => [current, ...history].map(({ splitter_factory }) => splitter_factory.address),
    deployEvent: "SplitterCreated(address indexed splitter,bytes32 indexed salt,address[] payees,uint16[] shares)",
    functions: {
      release: { intent: "Release fees", fields: { "assets.[]": token("Asset"), payee: account("Recipient") } },
      releaseTo: {
        intent: "Release your fees to an address",
        fields: { "assets.[]": token("Asset"), to: account("Recipient") },
      },
      setPayout: { intent: "Change your payout address", fields: { payout: account("New payout address") } },
    },
  },
  vestingFactory: {
    contract: "VestingFactory",
    abi: vestingFactoryAbi,
    addresses: vestingFactories,
    functions: {
      create: {
        intent: "Create the vesting of bought tokens",
        fields: {
          beneficiary: account("Beneficiary"),
          cliff: until("Vesting begins"),
          end: until("Everything is vested"),
          salt: "never",
        },
      },
    },
  },
  vesting: {
    contract: "Vesting",
    abi: vestingAbi,
    addresses: vestingFactories,
    deployEvent:
      "VestingCreated(address indexed vesting,address indexed beneficiary,bytes32 indexed salt,uint40 cliff,uint40 end)",
    functions: {
      release: { intent: "Release vested tokens", fields: { token: token("Token") } },
    },
  },
  openingFactory: {
    contract: "OpeningFactory",
    abi: openingFactoryAbi,
    addresses: openingFactories,
    functions: {
      create: {
        intent: "Create an opening at one price",
        fields: {
          ...launchParams,
          minimum: native("Buy for at least"),
          cap: native("Buy for at most"),
          deadline: until("Deposits until"),
        },
      },
    },
  },
  opening: {
    contract: "Opening",
    abi: openingAbi,
    addresses: openingFactories,
    deployEvent:
      "OpeningCreated(address indexed opening,address indexed creator,bytes32 indexed paramsHash," +
      "(string name,string symbol,string contractURI,address splitter,bytes32 salt,address partner,uint16 feeBps) params," +
      "uint256 minimum,uint256 cap,uint40 deadline)",
    functions: {
      deposit: {
        intent: "Deposit into an opening",
        fields: { account: account("Deposit of"), "@.value": native("Deposit") },
      },
      open: {
        intent: "Launch the token of an opening",
        fields: {
          ...launchParams,
          value: native("Buy for"),
          minimumOut: show("Buy at least", "unit", { base: "tokens", decimals: 18 }),
          signature: "never",
        },
      },
      close: { intent: "End an opening whose token was launched without it", fields: launchParams },
      claim: { intent: "Claim from an opening", fields: { account: account("Pay to") } },
      claimTo: { intent: "Claim from an opening", fields: { to: account("Pay to") } },
    },
  },
  swapRouter: {
    contract: "SwapRouter",
    owner: "Uniswap",
    abi: [...swapRouterAbi, ...routerPaymentsAbi],
    addresses: getRouter("swap_router"),
    functions: {
      exactInputSingle: { intent: "Swap", fields: { ...exactInput, ...path, "params.deadline": until("Valid until") } },
      exactOutputSingle: {
        intent: "Swap",
        fields: { ...exactOutput, ...path, "params.deadline": until("Valid until") },
      },
      exactInput: { intent: "Swap", fields: { ...exactInputPath, "params.deadline": until("Valid until") } },
      multicall: { intent: "Swap", fields: { "data.[]": nestedCalls, "@.value": value("Send native") } },
      ...routerPayments,
    },
  },
  swapRouter02: {
    contract: "SwapRouter02",
    owner: "Uniswap",
    abi: [...swapRouter02Abi, ...routerPaymentsAbi],
    addresses: getRouter("swap_router_02"),
    functions: {
      exactInputSingle: { intent: "Swap", fields: { ...exactInput, ...path } },
      exactOutputSingle: { intent: "Swap", fields: { ...exactOutput, ...path } },
      exactInput: { intent: "Swap", fields: exactInputPath },
      multicall: {
        intent: "Swap",
        fields: { "data.[]": nestedCalls, "@.value": value("Send native"), deadline: until("Valid until") },
      },
      ...routerPayments,
    },
  },
  multicall3: {
    contract: "Multicall3",
    owner: "Multicall3",
    abi: multicall3Abi,
    addresses: ({ multicall3 }) => [multicall3?.address ?? null],
    functions: {
      aggregate3: {
        intent: "Make several calls",
        fields: {
          "calls.[].target": contract("Contract"),
          "calls.[].allowFailure": { ...show("May fail", "raw"), visible: { ifNotIn: [false] } },
          "calls.[].callData": show("Call", "calldata", { calleePath: "calls.[].target" }),
        },
      },
    },
  },
};

/** The messages that users sign, by their name. */
export const messageTexts: Readonly<Record<string, MessageTexts>> = {
  launch: {
    contract: "LaunchFactory",
    primaryType: "Launch",
    types: launchTypes,
    domain: { name: "Slipway Launch Factory", version: "1" },
    addresses: launchFactories,
    intent: "Let another account launch your token",
    fields: {
      creator: account("Creator"),
      ...launchFields,
      value: native("Buy for"),
      deadline: until("Valid until"),
      epoch: "never",
    },
  },
  topUp: {
    contract: "GasStation",
    primaryType: "TopUp",
    types: topUpTypes,
    domain: { name: "Slipway Gas Station", version: "1" },
    addresses: ({ gas_station }) => [gas_station?.address ?? null],
    intent: "Buy native for network fees",
    fields: {
      tokenAmount: amountOf("Pay", "token"),
      nativeAmount: native("Receive"),
      wallet: account("Wallet"),
      token: token("Token"),
      deadline: until("Valid until"),
      quoteId: "never",
    },
  },
  permit: {
    contract: "Stablecoin",
    primaryType: "Permit",
    types: permitTypes,
    addresses: ({ gas_station_tokens }) =>
      gas_station_tokens.filter(({ permit_domain }) => permit_domain !== null).map(({ address }) => address),
    intent: "Allow spending of tokens",
    fields: {
      spender: account("Spender"),
      value: show("At most", "tokenAmount", { tokenPath: "@.to", threshold: unlimited, message: "Unlimited" }),
      owner: account("Owner"),
      deadline: until("Valid until"),
      nonce: "never",
    },
  },
};
