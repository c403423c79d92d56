import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { uploadSettings, uploadTo } from "../support/images/uploadTo.ts";
import { useUploads } from "../support/images/useUploads.ts";

const uploads = useUploads({ MAX_ACCOUNT_IMAGES: "6" });

let side = 20;
/** Creates a picture that no other call has created. */
const drawNext = () => draw(++side, 20).png().toBuffer();
const listStored = () => new Set(readdirSync(uploads.folder, { recursive: true, encoding: "utf8" }));
const countImages = async () => {
  const { rows } = await uploads.servers.pool.query("select count(*)::int as n from app.images");
  return rows[0].n as number;
};

it("C5-38 an account has a quota of pictures, which uploads at once do not pass", async () => {
  const files = await Promise.all(Array.from({ length: 12 }, drawNext));
  const answers = [];
  // An account may have four in progress.
  for (let at = 0; at < files.length; at += 4) {
    answers.push(...(await Promise.all(files.slice(at, at + 4).map((file) => uploads.upload(file)))));
  }
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
  expect(await countImages()).toBe(6);
  const stored = listStored();
  const refused = await uploads.upload(await drawNext());
  expect([refused.status, refused.body.error]).toEqual([
    422,
    {
      code: "too_many_images",
      message: expect.stringContaining("send a smaller one"),
      field: "file",
      request_id: expect.any(String),
      retryable: false,
      details: {
        images: 6,
        max_images: 6,
        bytes: expect.any(Number),
        max_bytes: 256 * 1024 * 1024,
        needed_bytes: expect.any(Number),
      },
    },
  ]);
  expect(listStored()).toEqual(stored);
  // A stored image does not count against the quota again.
  const known = files[answers.findIndex(({ status }) => status === 200)]!;
  expect((await uploads.upload(known)).status).toBe(200);
  // Other accounts are served, and may send the same picture, which is stored once and counts for each account.
  const other = await uploads.servers.newKey();
  expect((await uploads.upload(known, other)).status).toBe(200);
  expect((await uploads.upload(await drawNext(), other)).status).toBe(200);
  const { rows } = await uploads.servers.pool.query(
    "select count(*)::int as n from app.account_images where account_id = $1",
    [other.accountId],
  );
  expect([rows[0].n, await countImages()]).toEqual([2, 7]);
});

it("C5-38 an account has a quota of bytes, of the smaller versions too", async () => {
  const settings = { SITE_URL: "https://site.example", DATA_DIR: uploads.folder, ...uploadSettings };
  const { apiKey, accountId } = await uploads.servers.newKey();
  const unbound = { MAX_ACCOUNT_IMAGES: "0", MAX_ACCOUNT_IMAGE_BYTES: "0" };
  const first = await uploads.servers.open({ ...settings, ...unbound });
  for (let n = 0; n < 8; n++) expect((await uploadTo(first.base, apiKey, await drawNext())).status).toBe(200);
  const { rows } = await uploads.servers.pool.query(
    `select sum(a.bytes)::int as bytes, sum(i.bytes)::int as originals
     from app.account_images a join app.images i using (sha256) where account_id = $1`,
    [accountId],
  );
  const { bytes, originals } = rows[0];
  expect(bytes).toBeGreaterThan(originals);

  const bounds = { MAX_ACCOUNT_IMAGES: "0", MAX_ACCOUNT_IMAGE_BYTES: String(bytes + 100) };
  const second = await uploads.servers.open({ ...settings, ...bounds });
  const refused = await uploadTo(second.base, apiKey, await drawNext());
  expect([refused.status, refused.body.error.code]).toEqual([422, "too_many_images"]);
  expect(refused.body.error.details).toEqual({
    images: 8,
    max_images: null,
    bytes,
    max_bytes: bytes + 100,
    needed_bytes: expect.any(Number),
  });

  expect(refused.body.error.details.needed_bytes).toBeGreaterThan(100);
});
