import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { maxWaitMs } from "@slipway/server/compute/createImageDecoder";
import { expect, it } from "vitest";
import { draw, drawNoise } from "../support/images/pictures.ts";
import { useUploads } from "../support/images/useUploads.ts";

const uploads = useUploads({ IMAGE_PROCESSES: "1" });

/** Uploads a picture from an address of this machine. @returns The status of the response. */
async function uploadFrom(localAddress: string, apiKey: string, file: Uint8Array): Promise<number> {
  const form = new FormData();
  form.set("file", new Blob([file as Uint8Array<ArrayBuffer>]), "picture");
  const body = new Response(form);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": body.headers.get("content-type")! };
  const sent = request(`${uploads.server.base}/images`, { method: "POST", localAddress, headers });
  sent.end(Buffer.from(await body.arrayBuffer()));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode!;
}

it("C5-49 the upload of a client waits for one picture, not for all pictures that another address sent before", async () => {
  const small = await draw(8, 8).png().toBuffer();
  const { apiKey } = await uploads.servers.newKey();
  expect(await uploadFrom("127.0.0.2", apiKey, small)).toBe(200);
  const heavy = await drawNoise(700, 700).png().toBuffer();
  const senders = await Promise.all([...Array(2)].map(async () => await uploads.servers.newKey()));
  /** Uploads the small picture; again only after the maximum wait, which one picture can take on a busy machine. */
  const uploadSmall = async (): Promise<number> => {
    const startedAt = performance.now();
    const status = await uploadFrom("127.0.0.2", apiKey, small);
    return status === 503 && performance.now() - startedAt >= maxWaitMs ? await uploadSmall() : status;
  };
  let decoded = 0;
  const sent = [...Array(8).keys()].map(async (number) => {
    const status = await uploadFrom("127.0.0.3", senders[number % 2]!.apiKey, heavy);
    if (status === 200) decoded++;
    return status;
  });
  // All others are waiting when the first of these pictures is stored.
  await Promise.race(sent);
  expect(await uploadSmall()).toBe(200);
  expect(decoded).toBeLessThan(5);
  // A picture that waits too long on a busy machine is refused.
  for (const status of await Promise.all(sent)) expect([200, 503]).toContain(status);
});
