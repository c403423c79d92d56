import type { Queryable } from "../db/database.ts";

/** SQL of the earlier launch with which a token can be confused; null without one. @param token - SQL of its address. */
export const selectResembled = (token: string) => `(
  select c.resembles from app.token_names c
  where c.token = ${token} and exists (select from chain.tokens e where e.address = c.resembles) limit 1)`;

/** Finds the first indexed token of each key of a name or symbol (`tokenTextKeys`). @returns Tokens by key. */
export async function findNameKeys(db: Queryable, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const { rows } = await db.query<{ key: string; token: string }>({
    name: "tokens-of-name-keys",
    text: `select k.key, k.token from app.token_name_keys k join chain.tokens t on t.address = k.token
     where k.key = any ($1::text[])`,
    values: [keys],
  });
  return new Map(rows.map(({ key, token }) => [key, token]));
}

/**
 * Finds, for drafts with an uploaded picture, the first indexed token with a similar picture. @returns Tokens by draft.
 *
 * @param drafts - `upload`: from `parseUploadUri`.
 */
export async function findSimilarLaunches(
  db: Queryable,
  drafts: readonly { id: string; upload: { cid: string | null; sha256: string | null } | null }[],
): Promise<Map<string, string>> {
  const uploads = drafts.flatMap(({ id, upload }) => (upload === null ? [] : [{ id, ...upload }]));
  if (uploads.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; token: string }>({
    name: "launches-of-similar-images",
    text: `
      select d.id, e.address as token from unnest($1::text[], $2::text[], $3::text[]) as d(id, cid, sha256)
      cross join lateral (
        select t.address from app.images i
        cross join lateral app.find_similar_images(i.sha256, i.dhash) s(token)
        join chain.tokens t on t.address = s.token
        where i.dhash is not null and (i.cid = d.cid or i.sha256 = decode(d.sha256, 'hex'))
        order by t.id limit 1
      ) e`,
    values: [uploads.map(({ id }) => id), uploads.map(({ cid }) => cid), uploads.map(({ sha256 }) => sha256)],
  });
  return new Map(rows.map(({ id, token }) => [id, token]));
}

/** Finds which tokens were launched from which drafts. @returns `draft:token` of each pair. */
export async function findOwnLaunches(
  db: Queryable,
  drafts: readonly string[],
  tokens: readonly string[],
): Promise<Set<string>> {
  if (tokens.length === 0) return new Set();
  const { rows } = await db.query<{ pair: string }>({
    name: "own-launches",
    text: `select intent_id || ':' || token as pair from app.launches_prepared
     where token = any ($2::text[]) and intent_id = any ($1::uuid[])`,
    values: [drafts, tokens],
  });
  return new Set(rows.map(({ pair }) => pair));
}
