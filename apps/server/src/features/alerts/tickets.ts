import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "../../secret.ts";

/** The only action that a ticket permits. */
export type TicketPurpose = "confirm" | "unsubscribe";

/** The contents of a ticket; `issuedAt` is in Unix seconds. */
export type Ticket = { addressId: string; purpose: TicketPurpose; issuedAt: number };

const purposes: Record<TicketPurpose, number> = { confirm: 1, unsubscribe: 2 };
/** Version of the layout: version, purpose, id, time of issue. */
const version = 1;
const payloadBytes = 22;
const signatureBytes = 32;

/** Prefix of the signed data, so that the same secret can sign other data later. */
const context = "slipway alert ticket\n";

const sign = (secret: Secret, payload: Uint8Array) =>
  createHmac("sha256", Buffer.from(secret.reveal().slice(2), "hex"))
    .update(context)
    .update(payload)
    .digest();

/** Creates the ticket of a mail link: base64url of the payload and its HMAC-SHA256. Equal inputs give equal tickets. */
export function createTicket(secret: Secret, { addressId, purpose, issuedAt }: Ticket): string {
  const payload = Buffer.alloc(payloadBytes);
  payload[0] = version;
  payload[1] = purposes[purpose];
  Buffer.from(addressId.replaceAll("-", ""), "hex").copy(payload, 2);
  payload.writeUInt32BE(issuedAt, 18);
  return Buffer.concat([payload, sign(secret, payload)]).toString("base64url");
}

/** Reads a ticket signed with this secret for this purpose; returns null for any other text. */
export function readTicket(secret: Secret, text: string, purpose: TicketPurpose): Omit<Ticket, "purpose"> | null {
  const bytes = Buffer.from(text, "base64url");
  // Refuses other spellings of a ticket, because the decoder ignores invalid characters.
  if (bytes.length !== payloadBytes + signatureBytes || bytes.toString("base64url") !== text) return null;
  const payload = bytes.subarray(0, payloadBytes);
  if (!timingSafeEqual(sign(secret, payload), bytes.subarray(payloadBytes))) return null;
  if (payload[0] !== version || payload[1] !== purposes[purpose]) return null;
  const hex = payload.toString("hex", 2, 18);
  const addressId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { addressId, issuedAt: payload.readUInt32BE(18) };
}
