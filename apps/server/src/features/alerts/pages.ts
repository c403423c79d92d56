import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";

/** A page with inline script and style, and the content security policy that allows only their hashes. */
export type Page = { html: string; policy: string };

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
button{font:inherit;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:#2347b8;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #89a4ff;outline-offset:2px}button[disabled]{background:#5c5f66;cursor:default}`;

/**
 * Creates a script that reads the ticket from the URL fragment, which browsers do not send to servers, and posts the
 * ticket only when the button is pressed.
 */
const createScript = (request: string, texts: { done: string; refused: string }) => `"use strict";
const ticket = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
const [button, state] = [document.querySelector("button"), document.querySelector("[role=status]")];
const show = (text) => { state.textContent = text; };
const refused = ${JSON.stringify(texts.refused)};
if (/^[A-Za-z0-9_-]+$/.test(ticket)) button.disabled = false;
else show(refused);
button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const answer = await fetch(${request});
    if (answer.ok) return show(${JSON.stringify(texts.done)});
    if (answer.status < 500 && answer.status !== 429) return show(refused);
  } catch {}
  show("Service unavailable. Try again later.");
  button.disabled = false;
});
`;

const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function createPage(title: string, description: string, button: string, script: string): Page {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${description}</p><p><button type="button" disabled>${button}</button></p><p role="status"></p>
<noscript><p>This page needs JavaScript.</p></noscript></main><script>${script}</script></body></html>
`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join(";");
  return { html, policy };
}

/** The pages that the links in mails open, by path. */
export const alertPages: Record<string, Page> = {
  "/alerts/confirm": createPage(
    "Confirm your email address",
    "Confirm to receive the alerts created for this address. If you didn't create any, close this page and you won't get more emails.",
    "Confirm",
    createScript(
      '"/api/alerts/confirm", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ ticket }) }',
      {
        done: "Email address confirmed.",
        refused: "This link is invalid or has expired. Create the alert again.",
      },
    ),
  ),
  "/alerts/unsubscribe": createPage(
    "Unsubscribe from alerts",
    "Unsubscribe to stop all alerts from this account to your address.",
    "Unsubscribe",
    createScript(
      '"/api/alerts/unsubscribe/" + ticket, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "List-Unsubscribe=One-Click" }',
      { done: "You're unsubscribed from these alerts.", refused: "This link is invalid." },
    ),
  ),
};

/** Serves the pages, each with its own policy and without referrers. */
export function serveAlertPages(app: FastifyInstance): void {
  for (const [path, { html, policy }] of Object.entries(alertPages)) {
    app.get(path, async (_request, reply) =>
      reply
        .header("content-security-policy", policy)
        .header("referrer-policy", "no-referrer")
        .header("cache-control", "no-store")
        .type("text/html; charset=utf-8")
        .send(html),
    );
  }
}
