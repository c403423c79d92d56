import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../secret.ts";

/** What a ticket can do, and nothing else. */
export type TicketPurpose = "confirm" | "unsubscribe";

/** A ticket's address of alerts, and when it was issued in Unix seconds. */
export type Ticket = { addressId: string; purpose: TicketPurpose; issuedAt: number };

const purposes: Record<TicketPurpose, number> = { confirm: 1, unsubscribe: 2 };
/** Of the layout: version, purpose, id, time of issue. */
const version = 1;
const payloadBytes = 22;
const signatureBytes = 32;

/** The service's secret may sign other things one day: what it signs here begins with this. */
const context = "slipway alert ticket\n";

const sign = (secret: Secret, payload: Uint8Array) =>
  createHmac("sha256", Buffer.from(secret.reveal().slice(2), "hex"))
    .update(context)
    .update(payload)
    .digest();

/** Creates the ticket of a mail's link: base64url of its payload and the HMAC-SHA256 of that. Equal input, equal ticket. */
export function createTicket(secret: Secret, { addressId, purpose, issuedAt }: Ticket): string {
  const payload = Buffer.alloc(payloadBytes);
  payload[0] = version;
  payload[1] = purposes[purpose];
  Buffer.from(addressId.replaceAll("-", ""), "hex").copy(payload, 2);
  payload.writeUInt32BE(issuedAt, 18);
  return Buffer.concat([payload, sign(secret, payload)]).toString("base64url");
}

/** Reads a ticket that this secret has signed for this purpose; null for anything else. */
export function readTicket(secret: Secret, text: string, purpose: TicketPurpose): Omit<Ticket, "purpose"> | null {
  const bytes = Buffer.from(text, "base64url");
  // One ticket has one spelling: the decoder ignores characters that are none.
  if (bytes.length !== payloadBytes + signatureBytes || bytes.toString("base64url") !== text) return null;
  const payload = bytes.subarray(0, payloadBytes);
  if (!timingSafeEqual(sign(secret, payload), bytes.subarray(payloadBytes))) return null;
  if (payload[0] !== version || payload[1] !== purposes[purpose]) return null;
  const hex = payload.toString("hex", 2, 18);
  const addressId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { addressId, issuedAt: payload.readUInt32BE(18) };
}
