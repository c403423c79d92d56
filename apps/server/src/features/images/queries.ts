import type { EncodedImage } from "../../compute/encodeImage.ts";
import type { Queryable } from "../../db/database.ts";

/** A stored picture. */
export type ImageRow = Omit<EncodedImage, "bytes" | "contentType" | "dhash" | "sizes"> & {
  contentType: string;
  /** Number of bytes of the stored encoding. */
  size: number;
  blocked: boolean;
  /** Whether an account uploaded the picture; else a job fetched the picture. */
  uploaded: boolean;
};

const columns = `encode(sha256, 'hex') as sha256, cid, content_type as "contentType", bytes as size, width, height,
  animated, blurhash, dominant_color as "dominantColor", blocked_at is not null as blocked, uploaded`;

/** Finds a stored picture. @param sha256 - In hex. */
export async function findImage(db: Queryable, sha256: string): Promise<ImageRow | null> {
  const { rows } = await db.query<ImageRow>(`select ${columns} from app.images where sha256 = decode($1, 'hex')`, [
    sha256,
  ]);
  return rows[0] ?? null;
}

/**
 * Records a picture whose objects are stored. For a recorded picture, only `uploaded` can become true.
 *
 * The insert names no index: with `on conflict (sha256)`, a concurrent insert of the same picture can violate the
 * second unique index, that of `cid`.
 */
export async function insertImage(db: Queryable, image: EncodedImage, uploaded: boolean): Promise<void> {
  const { rowCount } = await db.query(
    `insert into app.images (sha256, cid, content_type, bytes, width, height, animated, blurhash, dominant_color, uploaded,
       dhash)
     values (decode($1, 'hex'), $2, $3, $4, $5, $6, $7, $8, $9, $10, ('x' || $11)::bit(64))
     on conflict do nothing`,
    [
      image.sha256,
      image.cid,
      image.contentType,
      image.bytes.length,
      image.width,
      image.height,
      image.animated,
      image.blurhash,
      image.dominantColor,
      uploaded,
      image.dhash,
    ],
  );
  if (rowCount === 1 || !uploaded) return;
  await db.query("update app.images set uploaded = true where sha256 = decode($1, 'hex') and not uploaded", [
    image.sha256,
  ]);
}
