import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { useUploads } from "../support/images/useUploads.ts";

const minBytesPerSecond = 4_096;
const uploads = useUploads({ UPLOAD_MIN_BYTES_PER_SECOND: String(minBytesPerSecond) });

const boundary = "slipway-boundary";
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;
const form = (file: Buffer) => Buffer.concat([Buffer.from(head), file, Buffer.from(tail)]);

/** Begins an upload of `length` bytes from an address of this machine. */
function begin(localAddress: string, apiKey: string, length: number): ClientRequest {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": length,
  };
  const { port } = uploads.server;
  const options = { host: "127.0.0.1", port, path: "/api/v1/launchpad/images", localAddress, headers, agent: false };
  const sent = request({ ...options, method: "POST" }).on("error", () => undefined);
  onTestFinished(() => void sent.destroy());
  return sent;
}

async function getStatus(sent: ClientRequest): Promise<number> {
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

describe("C5-46 slow bodies of uploads", () => {
  it("take no places of the service: four addresses do not block all others, and each one is ended", async () => {
    const keys = await Promise.all([...Array(9)].map(async () => (await uploads.servers.newKey()).apiKey));
    // Four addresses with two accounts each, and four bodies of each account: 32 uploads that have begun.
    const slow = keys
      .slice(0, 8)
      .flatMap((key, n) => [...Array(4)].map(() => begin(`127.0.0.${2 + (n % 4)}`, key, 100_000)));
    const ended = slow.map(getStatus);
    for (const sent of slow) sent.write(head);
    await sleep(500);
    const picture = form(await draw().png().toBuffer());
    const other = begin("127.0.0.6", keys[8]!, picture.length);
    other.end(picture);
    expect(await getStatus(other)).toBe(200);
    // They send one byte after the other from now on.
    const drip = setInterval(() => {
      for (const sent of slow) if (!sent.destroyed) sent.write("x");
    }, 200);
    onTestFinished(() => clearInterval(drip));
    expect(await Promise.all(ended)).toEqual(slow.map(() => 408));
  });

  it("are served above the minimum rate, however long they take", async () => {
    const picture = await draw().png().toBuffer();
    // Decoders ignore bytes after the end of a picture.
    const body = form(Buffer.concat([picture, randomBytes(40 * minBytesPerSecond)]));
    const sent = begin("127.0.0.1", uploads.servers.apiKey, body.length);
    const status = getStatus(sent);
    // Four times the minimum, during three windows.
    for (let at = 0; at < body.length; at += minBytesPerSecond) {
      sent.write(body.subarray(at, at + minBytesPerSecond));
      await sleep(250);
    }
    sent.end();
    expect(await status).toBe(200);
  });
});
