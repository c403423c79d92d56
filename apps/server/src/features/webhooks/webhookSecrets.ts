import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import type { Ids } from "../../ids.ts";
import { Secret } from "../../secret.ts";

const secretBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const cipher = "aes-256-gcm";

/** Separates the key of these secrets from other uses of AUTH_SECRET. */
const keyPurpose = "slipway webhook secrets";

/** Encrypts the secrets of webhooks with a key derived from AUTH_SECRET (HKDF-SHA256, AES-256-GCM). */
export type WebhookSecrets = {
  /** Creates a secret, and its encrypted form to store. */
  create(webhookId: string): { secret: Secret; sealed: Buffer };
  /** Decrypts a stored secret; returns null if AUTH_SECRET has changed since, or the bytes belong to another webhook. */
  open(webhookId: string, sealed: Buffer): Secret | null;
};

/** Creates the encryption of webhook secrets. */
export function createWebhookSecrets(authSecret: Secret, ids: Pick<Ids, "bytes">): WebhookSecrets {
  const key = new Secret(
    `0x${Buffer.from(hkdfSync("sha256", toBytes(authSecret), Buffer.alloc(0), keyPurpose, 32)).toString("hex")}`,
  );
  return {
    create: (webhookId) => {
      const bytes = Buffer.from(ids.bytes(secretBytes));
      const nonce = Buffer.from(ids.bytes(nonceBytes));
      const encryption = createCipheriv(cipher, toBytes(key), nonce).setAAD(Buffer.from(webhookId));
      const encrypted = Buffer.concat([encryption.update(bytes), encryption.final()]);
      const sealed = Buffer.concat([nonce, encryption.getAuthTag(), encrypted]);
      return { secret: new Secret(`0x${bytes.toString("hex")}`), sealed };
    },
    open: (webhookId, sealed) => {
      try {
        const decryption = createDecipheriv(cipher, toBytes(key), sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(Buffer.from(webhookId))
          .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
        const encrypted = sealed.subarray(nonceBytes + tagBytes);
        const bytes = Buffer.concat([decryption.update(encrypted), decryption.final()]);
        return new Secret(`0x${bytes.toString("hex")}`);
      } catch {
        return null;
      }
    },
  };
}

const toBytes = (secret: Secret): Buffer => Buffer.from(secret.reveal().slice(2), "hex");

/** Formats a secret as Standard Webhooks defines it, for the one answer that shows it. */
export const toSecretText = (secret: Secret): string => `whsec_${toBytes(secret).toString("base64")}`;

/**
 * Signs a message: the headers of Standard Webhooks (https://www.standardwebhooks.com), with one signature of each
 * secret, so that a receiver can verify with either during a rotation.
 *
 * @param timestampSeconds - The time of the attempt in Unix seconds.
 */
export function signMessage(
  secrets: readonly Secret[],
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
): Record<string, string> {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", toBytes(secret)).update(signed).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures.join(" "),
  };
}
