import { example, type OperationExamples } from "./example.ts";

const key = {
  id: "01a20215-2fa6-7bcc-bd77-824bfc88beaa",
  name: "trading bot",
  prefix: "slip_JL7K",
  scopes: ["read", "transactions"],
  created_at: "2026-11-22T07:07:52.612Z",
  last_used_at: null,
  expires_at: "2027-02-20T07:07:52.612Z",
};

const session = {
  id: "01a20215-2f71-7f68-8dba-5d5845d85fae",
  current: true,
  created_at: "2026-11-22T07:07:52.561Z",
  expires_at: "2026-11-29T07:07:52.561Z",
  address: "192.0.2.7",
  user_agent: "Mozilla/5.0",
};

/** The account's keys and sessions. */
export const credentialExamples: Record<string, OperationExamples> = {
  createApiKey: {
    request: example({ name: key.name, scopes: key.scopes, expires_in_days: 90 }),
    responses: { 201: example({ ...key, key: `slip_JL7K${"x".repeat(39)}` }) },
  },
  listApiKeys: { responses: { 200: example({ items: [key] }) } },
  revokeApiKey: { responses: { 200: example({ removed: true }) } },
  listSessions: { responses: { 200: example({ items: [session] }) } },
  endSessions: { responses: { 200: example({ ended: 2 }) } },
  endSession: { responses: { 200: example({ removed: true }) } },
};
