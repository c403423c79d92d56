import type { AccountEventKind } from "@slipway/protocol/accounts";
import type { AlertRule } from "@slipway/protocol/alerts";
import type { Mail } from "../../../providers/mail/createMailTransport.ts";
import type { Secret } from "../../../secret.ts";
import { createTicket } from "../tickets.ts";
import type { MailClaim } from "./mailQueries.ts";

/** The origin of links, and the secret that signs them. */
export type MailLinks = { siteUrl: string; secret: Secret };

/** The contents of queued mails, by kind. */
type ConfirmContent = { rule: AlertRule } | { events: string };
type AlertContent = { rule: AlertRule; pair: string; reading: number | string; bar: number };
/** Events of a subject, one line each; `omitted` counts those without a line. */
type EventsContent = { events: string; lines: string[]; omitted: number };
type SecurityContent = { event: SecurityEvent; at: string };

/** An account event that the owner is notified of by mail. */
export type SecurityEvent = Exclude<AccountEventKind, "plan_changed" | "draft_deleted"> | "account_deleted";

/** A paragraph of a mail: text, or text with a link. */
type Paragraph = string | { text: string; link: string };

const metricNames: Record<AlertRule["metric"], string> = {
  var_95: "value at risk of one day at 95%",
  var_99: "value at risk of one day at 99%",
  volatility_percentile: "percentile of volatility in its year",
  risk_score: "risk score",
  drawdown: "drawdown",
  regime: "regime",
  signal: "signal",
};

const securityTexts: Record<SecurityEvent, string> = {
  key_created: "An API key was created.",
  key_revoked: "An API key was revoked.",
  wallet_linked: "A wallet was linked; it can sign in to the account.",
  wallet_unlinked: "A wallet was unlinked, and its sessions and API keys were ended.",
  connection_linked: "An account of another provider was linked.",
  connection_unlinked: "An account of another provider was unlinked.",
  session_revoked: "A session was ended.",
  signed_out_everywhere: "All sessions were ended.",
  account_exported: "The data of the account were exported.",
  payout_wallet_changed: "The published payout wallet was changed.",
  webhook_disabled: "A webhook was disabled, because its endpoint failed for three days or is gone.",
  account_deleted: "The account was deleted.",
};

/** Renders a queued mail. Two renderings of one mail are equal, including their links. */
export function renderMail(links: MailLinks, claim: MailClaim): Mail {
  const unsubscribe = claim.addressId === null ? null : createUnsubscribe(links, claim.addressId);
  const { subject, paragraphs } = createText(links, claim);
  const all =
    unsubscribe === null
      ? paragraphs
      : [...paragraphs, { text: "End all alerts of this account to this address", link: unsubscribe.page }];
  return {
    id: claim.id,
    to: claim.address,
    date: claim.createdAt,
    subject,
    text: `${all.map(toPlainText).join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>${all.map(toHtml).join("")}</body></html>`,
    headers: unsubscribe?.headers ?? {},
  };
}

function createText(links: MailLinks, claim: MailClaim): { subject: string; paragraphs: Paragraph[] } {
  const { siteUrl } = links;
  if (claim.kind === "security") {
    const { event, at } = claim.content as SecurityContent;
    const subject = "Your account was changed";
    if (event === "account_deleted") return { subject, paragraphs: [`${at}: ${securityTexts[event]}`] };
    const check: Paragraph = { text: "If this was not you, sign in and end unknown sessions and keys", link: siteUrl };
    return { subject, paragraphs: [`${at}: ${securityTexts[event]}`, check] };
  }
  if (claim.kind === "confirm") {
    const content = claim.content as ConfirmContent;
    const alert = "rule" in content ? describeRule(content.rule) : content.events;
    const issuedAt = Math.floor(claim.createdAt.getTime() / 1000);
    const ticket = createTicket(links.secret, { addressId: claim.addressId!, purpose: "confirm", issuedAt });
    return {
      subject: "Confirm your address for alerts",
      paragraphs: [
        // Omits the pair: the service accepts any pair, so the pair could contain a stranger's text.
        `Someone has set an alert for this address: ${alert}.`,
        { text: "Confirm the address within 24 hours", link: `${siteUrl}/alerts/confirm#${ticket}` },
        "If this was not you, ignore this mail. No alerts are sent unless you confirm.",
      ],
    };
  }
  const content = claim.content as AlertContent | EventsContent;
  if ("events" in content) {
    const { events, lines, omitted } = content;
    const rest = omitted === 0 ? [] : [`${omitted} more. The site and the API have all of them.`];
    return { subject: `Alert: ${events}`, paragraphs: [...lines, ...rest] };
  }
  const { pair, rule, reading, bar } = content;
  const alert = `${pair}: ${describeRule(rule)}`;
  return {
    subject: alert,
    paragraphs: [
      `${alert}: it is ${reading} since ${new Date(bar * 1000).toISOString()}.`,
      "This is an estimate from the history of prices, not advice.",
    ],
  };
}

const describeRule = ({ metric, op, value }: AlertRule) => `${metricNames[metric]} ${op} ${value}`;

/** Creates the unsubscribe page link and headers (RFC 2369, RFC 8058). */
function createUnsubscribe({ siteUrl, secret }: MailLinks, addressId: string) {
  const ticket = createTicket(secret, { addressId, purpose: "unsubscribe", issuedAt: 0 });
  return {
    page: `${siteUrl}/alerts/unsubscribe#${ticket}`,
    headers: {
      "List-Unsubscribe": `<${siteUrl}/api/alerts/unsubscribe/${ticket}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

const toPlainText = (paragraph: Paragraph) =>
  typeof paragraph === "string" ? paragraph : `${paragraph.text}:\n${paragraph.link}`;

const toHtml = (paragraph: Paragraph) =>
  typeof paragraph === "string"
    ? `<p>${escapeHtml(paragraph)}</p>`
    : `<p><a href="${escapeHtml(paragraph.link)}">${escapeHtml(paragraph.text)}</a></p>`;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character]!);
