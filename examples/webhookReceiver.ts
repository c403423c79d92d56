// Receives the webhook of a wallet's fees, and keeps their total: genuine messages only, each once, without those that a chain
// reorg took back. Needs no key of the service; put it behind https, and create the webhook with the subject
// {"kind":"fees","wallet":"0x…"}.
// Run: WEBHOOK_SECRET=whsec_… PORT=8080 node examples/webhookReceiver.ts
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { WebhookMessage } from "@slipway/protocol/webhooks";

const { WEBHOOK_SECRET = "", PORT = "8080" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
/** Refuse larger bodies: anyone can send to this address. */
const maxBytes = 1_000_000;

/** Received fees by the id of their message: keep them in a database, with the id as its key. */
const received = new Map<string, { asset: string; amount: bigint }>();

/** Whether a request was signed with the secret within the last 5 minutes. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  // Two signatures during a rotation of the secret.
  return String(signatures)
    .split(" ")
    .some((signature) => {
      const sent = Buffer.from(signature.replace("v1,", ""), "base64");
      return sent.length === expected.length && timingSafeEqual(sent, expected);
    });
}

function handle(id: string, { type, data }: WebhookMessage): void {
  // The same id again is a repetition.
  if (type === "fees") received.set(id, { asset: data.asset, amount: BigInt(data.amount) });
  // Ids of earlier messages that are no longer true.
  if (type === "retracted" && "messages" in data) for (const message of data.messages) received.delete(message);
  // Messages were skipped: `GET /wallets/{address}/fees` has all releases.
  if (type === "snapshot") console.log("read again over REST");
  const totals = new Map<string, bigint>();
  for (const { asset, amount } of received.values()) totals.set(asset, (totals.get(asset) ?? 0n) + amount);
  for (const [asset, total] of totals) console.log(`fees in ${asset}: ${total}`);
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) return void response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
  // Answer within 5 seconds, and do slow work later.
  response.writeHead(204).end();
  handle(String(request.headers["webhook-id"]), JSON.parse(body.toString()) as WebhookMessage);
}

const server = createServer((request, response) => void receive(request, response));
server.listen(Number(PORT), () => console.log(`listening on ${PORT}`));
