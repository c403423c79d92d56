/** SQL belongs here: no violation. */
export const countTokens = (db: { query(text: string): Promise<number> }) => db.query("select count(*) from chain.tokens");
