import { streamMessage, streamQuery } from "@slipway/protocol/liveEvents";
import { clientMessage, liveCloseCodes, serverMessage } from "@slipway/protocol/liveMessages";
import { riskPairParams, riskRefreshSeconds, riskUpdate } from "@slipway/protocol/risk";
import { webhookMessage } from "@slipway/protocol/webhooks";
import { z } from "zod";
import type { Config } from "../../config.ts";
import { getSessionCookieName } from "../../providers/identity/signInSettings.ts";
import { apiPrefix } from "../../route.ts";
import { describeProperties } from "../openApi/describeProperties.ts";

type Json = Record<string, unknown>;

/** The summary of each message, by its `type` or `event`. */
const summaries: Record<string, string> = {
  subscribe_live: "Replaces the connection's subscription.",
  unsubscribe_live: "Unsubscribes from the named channels, or from all.",
  ping: "Asks for a pong.",
  subscribed: "The subscription of the connection now.",
  error: "A message of the client was refused; the connection stays as it was.",
  pong: "The answer to a ping.",
  heartbeat: "The connection is open, and everything up to `cursor` was sent.",
  ready: "The first message of a stream.",
  launch: "A new launch.",
  trade: "A trade.",
  candle: "A candle after a trade; a later message with the same `t` replaces it.",
  signal: "A trading signal.",
  retracted: "A chain reorg reverted blocks.",
  price: "A trade moved the price of a token across the price of a webhook.",
  fees: "A settlement paid the splitter of a recipient of fees.",
  risk: "The risk of a market was computed anew.",
  opening: "A change of an opening: its creation, a deposit, its launch or closing, or a claim.",
  test: "A test message that the account asked for.",
  snapshot: "Messages were skipped; load the data again over REST.",
  risk_update: `The latest risk of a pair, or the cards of all markets: on connection, then every ${riskRefreshSeconds} seconds.`,
};

const description = `Live streams of Slipway.

The WebSockets need an API key with the scope \`read\` as \`Authorization: Bearer\`, or the session of a page of this site, and an
active plan. Credentials in URLs are refused. \`/stream\` is public: Server-Sent Events with the same messages and cursors. Server-Sent
Events have their own fields: what \`/ws\` calls \`type\` and \`cursor\` is \`event\` and \`id\` there; \`data\` is the same.

Close codes: ${liveCloseCodes.goingAway}: the server is stopping, reconnect with the last cursor. ${liveCloseCodes.unsupported}: the
client sent a binary message. ${liveCloseCodes.policy}: the client sent too many messages, or too many invalid messages.
${liveCloseCodes.unauthorized}: the credential is no longer valid. ${liveCloseCodes.planRequired}: the plan has ended.`;

/** A union's members by the value of their field `type` or `event`. */
function getMembers(union: z.ZodType, field: "type" | "event"): [name: string, schema: z.ZodType][] {
  const { options } = union as unknown as { options?: z.ZodType[] };
  if (options !== undefined) return options.flatMap((option) => getMembers(option, field));
  const { shape } = union as unknown as { shape: Record<string, { value: string }> };
  return [[shape[field]!.value, union]];
}

/** Converts schemas to JSON Schema of draft 7, AsyncAPI's own; named ones move to the document's components. */
function createConverter() {
  const schemas: Json = {};
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== "object" || value === null) return value;
    const { $schema: _, $id: _id, definitions, ...others } = value as Json;
    // Only the keyword `id`: a property of that name is an object.
    if (typeof others.id === "string") delete others.id;
    for (const [name, schema] of Object.entries((definitions as Json | undefined) ?? {})) schemas[name] = move(schema);
    return Object.fromEntries(
      Object.entries(others).map(([key, inner]) =>
        key === "$ref" ? [key, String(inner).replace("#/definitions/", "#/components/schemas/")] : [key, move(inner)],
      ),
    );
  };
  const convert = (schema: z.ZodType, io: "input" | "output" = "input") =>
    move(z.toJSONSchema(schema, { target: "draft-7", io })) as Json;
  return { schemas, convert };
}

const ref = (path: string) => ({ $ref: `#/${path}` });

/** The replies to each message of a client. */
const replies: Record<string, string[]> = {
  live_subscribe_live: ["live_subscribed", "live_error"],
  live_unsubscribe_live: ["live_subscribed", "live_error"],
  live_ping: ["live_pong", "live_error"],
};

/** The channel of webhooks, whose address is that of the account's endpoint. */
const webhookChannel = {
  address: null,
  title: "Webhooks",
  description: "A POST to the endpoint of a webhook, signed by Standard Webhooks.",
};

/** Describes the properties of all messages and schemas. */
function describeAll(messages: Record<string, Json>, schemas: Json): void {
  for (const [name, message] of Object.entries(messages))
    describeProperties(message, name.startsWith("risk_") ? "RiskMessage" : "LiveMessage");
  for (const [name, schema] of Object.entries(schemas)) describeProperties(schema, name);
}

/** Describes the live streams as an AsyncAPI 3.1 document, from the schemas of their messages. */
export function createAsyncApiDocument(config: Pick<Config, "SITE_URL">): Json {
  const { schemas, convert } = createConverter();
  const messages: Record<string, Json> = {};
  const add = (prefix: string, members: [string, z.ZodType][]): string[] => {
    for (const [name, schema] of members) {
      const payload = convert(schema);
      const known = messages[`${prefix}_${name}`]?.payload;
      const both =
        known === undefined ? payload : { anyOf: [...(((known as Json).anyOf as Json[]) ?? [known]), payload] };
      messages[`${prefix}_${name}`] = { name, summary: summaries[name], payload: both };
    }
    return [...new Set(members.map(([name]) => `${prefix}_${name}`))];
  };
  const received = add("live", getMembers(clientMessage, "type"));
  const sent = add("live", getMembers(serverMessage, "type"));
  const streamed = add("stream", getMembers(streamMessage, "event"));
  const risk = add("risk", getMembers(riskUpdate, "event"));

  const webhook = add("webhook", getMembers(webhookMessage, "type"));
  describeAll(messages, schemas);

  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, ref(`components/messages/${name}`)]));
  const listen = (channel: string, name: string) => ref(`channels/${channel}/messages/${name}`);
  const send = (channel: string, names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => [
        `send_${name}`,
        {
          action: "send",
          channel: ref(`channels/${channel}`),
          summary: messages[name]!.summary,
          messages: [listen(channel, name)],
        },
      ]),
    );
  const isReply = new Set(Object.values(replies).flat());
  const receive = received.map((name) => [
    `receive_${name}`,
    {
      action: "receive",
      channel: ref("channels/live"),
      summary: messages[name]!.summary,
      messages: [listen("live", name)],
      reply: { channel: ref("channels/live"), messages: replies[name]!.map((reply) => listen("live", reply)) },
    },
  ]);

  const credential = {
    type: "object",
    properties: {
      authorization: {
        type: "string",
        description: "`Bearer` and an API key; a page of this site sends its session cookie instead.",
      },
    },
  };
  const ws = (query?: Json) => ({
    ws: { method: "GET", headers: credential, ...(query && { query }), bindingVersion: "0.1.0" },
  });
  const site = config.SITE_URL === undefined ? null : new URL(config.SITE_URL);
  const isSecure = site?.protocol !== "http:";
  const host = site?.host ?? "localhost";
  const security = [ref("components/securitySchemes/bearer"), ref("components/securitySchemes/session")];
  const onSockets = { servers: [ref("servers/sockets")] };
  return {
    asyncapi: "3.1.0",
    info: { title: "Slipway live streams", version: "0.1.0", description, license: { name: "MIT" } },
    defaultContentType: "application/json",
    servers: {
      sockets: { host, protocol: isSecure ? "wss" : "ws", description: "This site's WebSockets", security },
      site: { host, protocol: isSecure ? "https" : "http", description: "This site" },
    },
    channels: {
      live: {
        address: "/ws",
        title: "Launches, trades, candles and signals",
        ...onSockets,
        messages: pick([...received, ...sent]),
        bindings: ws(),
      },
      risk: {
        address: "/ws/risk",
        title: "The risk of a pair, or of all markets",
        ...onSockets,
        messages: pick(risk),
        bindings: ws(convert(riskPairParams.partial())),
      },
      stream: {
        address: `${apiPrefix}/stream`,
        title: "Server-Sent Events",
        servers: [ref("servers/site")],
        description: "The `name` of a message is its `event`; its `id` is the cursor from which a client resumes.",
        messages: pick(streamed),
      },
      webhook: { ...webhookChannel, messages: pick(webhook) },
    },
    operations: {
      ...Object.fromEntries(receive),
      ...send(
        "live",
        sent.filter((name) => !isReply.has(name)),
      ),
      ...send("risk", risk),
      ...send("webhook", webhook),
      send_stream: {
        action: "send",
        channel: ref("channels/stream"),
        summary: "All committed messages, to each client.",
        messages: streamed.map((name) => listen("stream", name)),
        bindings: { http: { method: "GET", query: convert(streamQuery), bindingVersion: "0.3.0" } },
      },
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key with the scope `read`." },
        session: { type: "httpApiKey", in: "cookie", name: getSessionCookieName(config as Config) },
      },
    },
  };
}
