import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { draw } from "../support/images/pictures.ts";
import { readMemory } from "../support/images/processUse.ts";
import { useUploads } from "../support/images/useUploads.ts";
import { openSocket } from "../support/security/rawHttp.ts";

const uploads = useUploads();
const mebibyte = 1024 * 1024;
let sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

/**
 * A stored picture of 12 MiB, more than the operating system buffers of an answer: a GIF of 2 MiB can be stored as such
 * a picture, which takes seconds of computing.
 */
async function storePicture(): Promise<{ path: string; bytes: number }> {
  const { body } = await uploads.upload(await draw().png().toBuffer());
  const name = `${body.sha256}.webp`;
  const bytes = 12 * mebibyte;
  await writeFile(join(uploads.folder, "media", name.slice(0, 2), name), randomBytes(bytes));
  return { path: `/media/${name}`, bytes };
}

/** Requests a path over a separate connection, and reads only the first bytes of the answer. @returns its status */
async function askAndWait(path: string): Promise<number> {
  const socket = await openSocket(uploads.server.port);
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: site.example\r\n\r\n`);
  await once(socket, "readable");
  return Number(String(socket.read(12)).slice(9));
}

async function readFrom(localAddress: string, path: string): Promise<{ status: number; bytes: number }> {
  const sent = request(`${uploads.server.site}${path}`, { localAddress, agent: false }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  return { status: answer.statusCode!, bytes };
}

it("C4-53 answers that are asked for and not read take a bounded memory, and no other client's answers", async () => {
  const { path, bytes } = await storePicture();
  const before = readMemory(uploads.server.pid);
  const statuses: number[] = [];
  for (let n = 0; n < 40; n++) statuses.push(await askAndWait(path));
  const most = Math.floor((64 * mebibyte) / bytes);
  expect(statuses).toEqual([...Array(most).fill(200), ...Array(40 - most).fill(429)]);
  expect(readMemory(uploads.server.pid) - before).toBeLessThan(200 * mebibyte);
  expect(await readFrom("127.0.0.2", path)).toEqual({ status: 200, bytes });

  const refused = await fetch(`${uploads.server.site}${path}`);
  expect([
    refused.headers.get("cache-control"),
    refused.headers.get("etag"),
    refused.headers.get("retry-after"),
  ]).toEqual(["no-store", null, expect.stringMatching(/^\d+$/)]);
  expect((await refused.json()).error.code).toBe("rate_limited");
  // Small answers continue, and large answers as soon as the others are read or aborted.
  expect((await fetch(`${uploads.server.site}/healthz`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(async () => await readFrom("127.0.0.1", path)).toEqual({ status: 200, bytes });
});
