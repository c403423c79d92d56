import { maxAlerts } from "@slipway/protocol/alerts";
import { example, type OperationExamples } from "./example.ts";

const id = "01a20215-2b6a-7e0c-8f5a-9d1c3b7e4a10";
const rule = { metric: "risk_score", op: "above", value: 80 };
const request = { email: "ada@example.com", pair: "BTC_USDT", rule };
const ticket = "AQIBogNy2Zd4cpQqUpm0kMv_AAAAAOH-fAm3IoafMOpbgnbWEkH-OJ_fFEC0Xy2MScDEHs7D";
const created = { id, status: "pending" };

/** Alerts by e-mail. */
export const alertExamples: Record<string, OperationExamples> = {
  createAlert: { request: example(request), responses: { 201: example(created), 200: example(created) } },
  listAlerts: {
    responses: {
      200: example({
        items: [
          {
            id,
            ...request,
            status: "fired",
            last_fired_at: "2026-11-22T09:00:04.000Z",
            created_at: "2026-11-22T07:07:42.000Z",
          },
        ],
        max: maxAlerts,
      }),
    },
  },
  deleteAlert: { responses: { 200: example({ removed: true }) } },
  confirmAlertAddress: { request: example({ ticket }), responses: { 200: example({ confirmed: true }) } },
  unsubscribeAlertAddress: { responses: { 200: example({ unsubscribed: true }) } },
};
