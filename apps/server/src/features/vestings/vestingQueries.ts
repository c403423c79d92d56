import { checksummed } from "@slipway/protocol/primitives";
import type { Hex } from "viem";
import type { Queryable } from "../../db/database.ts";

/** The initial buy of a launch. Addresses are checksummed. */
export type InitialBuyRow = {
  token: Hex;
  launchFactory: Hex;
  blockNumber: number;
  /** The receiver of the tokens; null without an initial buy. */
  recipient: Hex | null;
  totalSupply: bigint;
};

type Row = {
  address: string;
  launch_factory: string;
  block_number: number;
  initial_buy_recipient: string | null;
  total_supply: string;
};

/** Finds the initial buy of a token; null when the token is not indexed. @param token - Lower case. */
export async function findInitialBuy(db: Queryable, token: string): Promise<InitialBuyRow | null> {
  const { rows } = await db.query<Row>({
    name: "initial-buy",
    text: `select t.address, d.launch_factory, t.block_number, t.initial_buy_recipient, s.total_supply
     from chain.tokens t
       join chain.deployments d on d.id = t.deployment_id
       join chain.token_state s on s.token_id = t.id
     where t.address = $1`,
    values: [token],
  });
  const row = rows[0];
  if (row === undefined) return null;
  return {
    token: checksummed(row.address),
    launchFactory: checksummed(row.launch_factory),
    blockNumber: row.block_number,
    recipient: row.initial_buy_recipient === null ? null : checksummed(row.initial_buy_recipient),
    totalSupply: BigInt(row.total_supply),
  };
}
