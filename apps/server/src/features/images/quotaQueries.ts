import { SlipwayError } from "@slipway/protocol/errors";
import { lockAccount } from "../../accounts/accounts.ts";
import type { EncodedImage } from "../../compute/encodeImage.ts";
import { getStoredBytes } from "../../compute/getStoredBytes.ts";
import type { Config } from "../../config.ts";
import type { Client, Database, Queryable } from "../../db/database.ts";
import { withTransaction } from "../../db/withTransaction.ts";

/** Maximum number and bytes of an account's stored pictures; 0 is unlimited. */
export type ImageQuota = Pick<Config, "MAX_ACCOUNT_IMAGES" | "MAX_ACCOUNT_IMAGE_BYTES">;

/**
 * Counts a picture against an account's quota before the picture is stored. A picture counts once.
 *
 * @returns Whether this call counted the picture; `releaseQuota` reverses the count.
 * @throws SlipwayError `too_many_images`.
 */
export async function useQuota(
  { api, runExclusive }: Pick<Database, "api" | "runExclusive">,
  quota: ImageQuota,
  accountId: string,
  image: EncodedImage,
): Promise<boolean> {
  const use = async (client: Client) => {
    // Concurrent uploads of the account wait here, and then include earlier commits in their count.
    await lockAccount(client, accountId);
    if (await counts(client, accountId, image.sha256)) return false;
    const bytes = getStoredBytes(image);
    await requireQuota(client, quota, accountId, bytes);
    await client.query(
      "insert into app.account_images (account_id, sha256, bytes) values ($1, decode($2, 'hex'), $3)",
      [accountId, image.sha256, bytes],
    );
    return true;
  };
  return await runExclusive(accountId, () => withTransaction(api, use));
}

async function counts(db: Queryable, accountId: string, sha256: string): Promise<boolean> {
  const { rowCount } = await db.query(
    "select from app.account_images where account_id = $1 and sha256 = decode($2, 'hex')",
    [accountId, sha256],
  );
  return rowCount === 1;
}

async function requireQuota(
  db: Queryable,
  { MAX_ACCOUNT_IMAGES: maxImages, MAX_ACCOUNT_IMAGE_BYTES: maxBytes }: ImageQuota,
  accountId: string,
  bytes: number,
): Promise<void> {
  const { rows } = await db.query<{ images: number; bytes: number }>(
    `select count(*)::int as images, coalesce(sum(bytes), 0)::float8 as bytes from app.account_images
     where account_id = $1`,
    [accountId],
  );
  const used = rows[0]!;
  const isFull = (maxImages > 0 && used.images >= maxImages) || (maxBytes > 0 && used.bytes + bytes > maxBytes);
  if (!isFull) return;
  throw new SlipwayError("too_many_images", undefined, {
    field: "file",
    details: {
      ...{ images: used.images, max_images: maxImages || null },
      ...{ bytes: used.bytes, max_bytes: maxBytes || null, needed_bytes: bytes },
    },
  });
}

/** Reverses the count of a picture for an account, unless the picture is stored. */
export async function releaseQuota(db: Queryable, accountId: string, sha256: string): Promise<void> {
  await db.query(
    `delete from app.account_images where account_id = $1 and sha256 = decode($2, 'hex')
       and not exists (select from app.images where sha256 = decode($2, 'hex'))`,
    [accountId, sha256],
  );
}
