import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { createTakeUpload } from "./readUpload.ts";

const boundary = "slipway-boundary";
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`;
const maxBytes = 4 * 1024 * 1024;
const file = { maxBytes, tooLarge: "image_too_large", contentTypes: ["image/png"], description: "A picture" } as const;

/** An upload whose bytes the test sends, of an account and an address of its own. */
function createUpload(number: number) {
  const body = new PassThrough({ highWaterMark: 2 * maxBytes });
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const request = Object.assign(body, { headers, socket: { destroy: () => body.destroy() } });
  const uploader = { accountId: `account ${number}`, clientAddress: `address ${number}` };
  return { body, upload: { request: request as unknown as IncomingMessage, file, uploader } };
}

it("C5-46 bounds the bytes of all uploads that arrive at the same time, and frees them when an upload ends", async () => {
  const takeUpload = createTakeUpload(0);
  // All uploads send the same bytes, so that the test needs no memory for each one.
  const bytes = Buffer.alloc(maxBytes);
  const refused: unknown[] = [];
  const uploads = Array.from({ length: 70 }, (_, number) => createUpload(number));
  const ended = uploads.map(({ upload }) =>
    takeUpload(upload, async () => undefined).catch((error: { code: string }) => void refused.push(error.code)),
  );
  for (const { body } of uploads) {
    body.write(head);
    body.write(bytes);
  }
  // 64 files of the maximum size have 256 MiB without their heads.
  await vi.waitFor(() => expect(refused).toEqual(Array(70 - 63).fill("overloaded")));
  for (const { body } of uploads) body.destroy();
  await Promise.all(ended);

  const { body, upload } = createUpload(70);
  const handled = takeUpload(upload, async ({ length }) => length);
  body.end(Buffer.concat([Buffer.from(head), Buffer.from("picture"), Buffer.from(`\r\n--${boundary}--\r\n`)]));
  expect(await handled).toBe(7);
});

it("C5-46 bounds the files that are handled at the same time by those that have arrived", async () => {
  const takeUpload = createTakeUpload(0);
  const release = Promise.withResolvers<void>();
  const whole = Buffer.from(`${head}picture\r\n--${boundary}--\r\n`);
  const arriving = Array.from({ length: 40 }, (_, number) => createUpload(number));
  let handled = 0;
  const results = arriving.map(({ upload }) =>
    takeUpload(upload, async () => {
      handled++;
      await release.promise;
      return "handled";
    }).catch((error: { code: string }) => error.code),
  );
  for (const { body } of arriving) body.end(whole);
  await vi.waitFor(() => expect(handled).toBe(32));
  release.resolve();
  const outcomes = await Promise.all(results);
  expect(outcomes.filter((outcome) => outcome === "handled").length).toBe(32);
  expect(outcomes.filter((outcome) => outcome === "overloaded").length).toBe(8);
});
