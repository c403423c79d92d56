/** The rows of a token that PostgreSQL may lack, and where the engine has them. */
export type OldRows = {
  tokenId: number;
  generation: string;
  /** Trades up to this block, and candles that start up to this time, are read in the engine. */
  block: number;
  time: number;
};

/**
 * SQL of the `OldRows` of the token `t`; null if PostgreSQL has all of them. Part of the statement that reads the rows, so
 * that rows which are detached meanwhile are not missed.
 */
export const selectOldRows = `(
  select json_build_object('tokenId', t.id, 'generation', generation, 'block', detached_block, 'time', detached_time)
  from chain.history where t.block_number <= detached_block
)`;
