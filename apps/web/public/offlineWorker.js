// The service worker of the installed app. It answers only opened pages that the network does not answer, and stores
// nothing: no response of the API, no code, no page. An old page must not ask for signatures.
const texts = {
  en: ["You are offline", "Slipway needs a connection: prices and transactions would be out of date.", "Try again"],
  es: [
    "No hay conexión",
    "Slipway necesita conexión: los precios y las transacciones no estarían al día.",
    "Reintentar",
  ],
};

const style = `body{margin:0;min-height:100vh;display:grid;place-items:center;background:#f4f6f4;color:#0f1f28;font:16px/1.5 system-ui,sans-serif}
main{max-width:26rem;padding:24px;text-align:center}h1{font-size:24px;margin:0 0 8px}
a{display:inline-block;margin-top:8px;padding:10px 20px;border-radius:6px;background:#0a6b70;color:#fff;font-weight:600;text-decoration:none}
@media (prefers-color-scheme:dark){body{background:#0b1418;color:#e6eeee}a{background:#4fc3c0;color:#04191b}}`;

function createOfflinePage() {
  const language = navigator.language.startsWith("es") ? "es" : "en";
  const [title, body, retry] = texts[language];
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${title}</title><style>${style}</style></head>
<body><main><h1>${title}</h1><p>${body}</p><p><a href="">${retry}</a></p></main></body></html>`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none';style-src 'unsafe-inline'",
  };
  return new Response(html, { status: 503, headers });
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  // Every other request goes to the network as without a worker.
  if (event.request.mode !== "navigate") return;
  event.respondWith(fetch(event.request).catch(createOfflinePage));
});
