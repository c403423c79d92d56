import type { ZodOpenApiExamplesObject } from "zod-openapi";

/** Examples of an operation: of its body, and of its answers by status. */
export type OperationExamples = {
  request?: ZodOpenApiExamplesObject;
  responses: Record<number, ZodOpenApiExamplesObject>;
};

/** The only example of its kind. */
export const example = (value: unknown): ZodOpenApiExamplesObject => ({ example: { value } });

/** What the examples have in common: one launch, its creator, a trader, and the contracts of a deployment. */
export const sample = {
  accountId: "01a20215-2f5c-7702-9693-5e8a4e06f46c",
  draftId: "01a20215-063b-7a3d-a2eb-59030d00076c",
  requestId: "01a20215-067b-79ae-b04e-d0d576004757",
  chainId: 46630,
  creator: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  collaborator: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  trader: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  treasury: "0x71bE63f3384f5fb98995898A86B02Fb2426c5788",
  token: "0xed584eC851248A4bE2193B8A07Bc826A5A519816",
  pool: "0x15FD5fA1E9C7976Fe6C4B176fb67214985dd4f22",
  splitter: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  splitterFactory: "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0",
  factory: "0x58c1c343c185Aa5CD3c2Cc1c2b7d7bD055F1bf98",
  locker: "0xa677b2A36C3287aD78Fcb059fab18B65cC1eC271",
  router: "0xD89c1432EaA169C54dC7610C744c68a2F4b6B3e5",
  weth: "0xfbfbfDdd6e35dA57b7B0F9a2C10E34Be70B3A4E9",
  station: "0x749d20D85555330d20862770b58a72939285c42a",
  stablecoin: "0xcA88B57549db9f89C1f9D3603b4e04A15242e100",
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  ethUsdPool: "0x976c48ADD650dDeDF6a4eF90210Bd0B92d2d3A0E",
  manifestSha256: "f4852059ad3a20d13a13f7f4e364a047180a6260043100bcf2e363433f21162d",
  imageSha256: "9b54a3f0b8d1c4b2e3d7f6a5908172635445362718091a2b3c4d5e6f70819203",
  image: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
  launchTx: "0x74569c784dd56d2169fdba7c8c5ccdc3e42632a4ad306834d41e9f9c33dbac3f",
  tradeTx: "0x416e4721d080c0183bf306cf6ca9487fc38baf707cf93aa927b802d5324a6b17",
  launchedAt: "2026-11-22T07:07:42.000Z",
  asOf: { block_number: 24, timestamp: "2026-11-22T07:07:49.000Z" },
} as const;

/** The fields that every prepared transaction has, ready to sign. */
export function prepared(fields: {
  action: string;
  step: { index: number; total: number; description: string };
  next: string | null;
  from: string;
  to?: string;
  data: string;
  value?: string;
  gasUsed: number;
  changes?: { asset: string; from: string; to: string; amount: string }[];
  [more: string]: unknown;
}): Record<string, unknown> {
  const { action, step, next, from, to, data, value = "0x0", gasUsed, changes = [], ...more } = fields;
  const limit = BigInt(gasUsed + Math.max(30_000, Math.ceil(gasUsed / 5)));
  const gasPriceInWei = 1_085_619_455n;
  const totalWei = limit * gasPriceInWei;
  return {
    action,
    status: "ready",
    transaction: {
      chainId: `0x${sample.chainId.toString(16)}`,
      from,
      ...(to !== undefined && { to }),
      data,
      value,
      gas: `0x${limit.toString(16)}`,
    },
    step,
    next,
    simulation: {
      ok: true,
      block_number: "22",
      gas_used: String(gasUsed),
      method: "eth_simulateV1",
      asset_changes: changes,
    },
    manifest: { sha256: sample.manifestSha256, chain_id: sample.chainId },
    block_number: "22",
    expires_at: 1_795_331_325,
    warnings: [],
    request_id: sample.requestId,
    issues: { allowance: null, balance: null, native_balance: null },
    fees: {
      gas_limit: String(limit),
      gas_price: String(gasPriceInWei),
      l1_gas: null,
      total_wei: String(totalWei),
      total_usd: (Number(totalWei) / 1e18) * 3_000,
    },
    ...more,
  };
}
