import type { Example, FuzzTarget } from "./fuzzTarget.ts";

type Service = Pick<FuzzTarget, "siteUrl" | "baseUrl" | "apiKey">;

/** Reads existing values from the service's public answers: tokens, wallets, splitters, drafts. */
export async function readKnownValues(service: Service): Promise<FuzzTarget["known"]> {
  const get = async (path: string): Promise<any> => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    if (!response.ok) throw new Error(`GET ${path} answers ${response.status}: ${await response.text()}`);
    return await response.json();
  };
  const [config, { items: tokens }, { items: drafts }] = await Promise.all([
    get("/config"),
    get("/tokens?limit=20"),
    get("/intents"),
  ]);
  const details = await Promise.all(tokens.map(({ address }: { address: string }) => get(`/tokens/${address}`)));
  const launched = details.map(({ address }) => address as string);
  const payees = details.flatMap(({ recipients }) => recipients.map(({ wallet }: { wallet: string }) => wallet));
  const makers = details.flatMap(({ trades }) => trades.map(({ maker }: { maker: string }) => maker));
  const creators = details.map(({ creator }) => creator as string | null);
  const stablecoins = config.gas_station.tokens.flatMap((token: any) => [token.address, token.symbol]);
  const wallets = unique([...makers, ...payees, ...creators]);
  return {
    address: launched,
    token: unique([...launched, ...stablecoins]),
    asset: unique([...launched, ...details.map(({ quote_token }) => quote_token)]),
    wallet: wallets,
    recipient: wallets,
    splitter: unique(details.map(({ splitter }) => splitter)),
    intent_id: drafts.map(({ id }: { id: string }) => id),
    hash: unique(details.flatMap(({ trades }) => trades.map(({ tx_hash }: { tx_hash: string }) => tx_hash))).slice(
      0,
      5,
    ),
    amount_in: ["1000000000000", "250000000000000000", "1"],
    image_uri: ["https://cdn.example/a.png", "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"],
    website: ["https://example.org/#top"],
    text: wallets,
    pair: ["BTC_USDT", "NONE_USDT"],
  };
}

const unique = (values: (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))];

/** Values that belong together, from public answers; a caller that owns the stack knows more. */
export function getExamples(known: FuzzTarget["known"]): Record<string, Example[]> {
  const pairs = (known.address ?? []).flatMap((token) =>
    (known.wallet ?? []).slice(0, 4).map((wallet) => ({ token, wallet })),
  );
  const trades = pairs.flatMap((pair) =>
    ["buy", "sell"].map((side) => ({ body: { ...pair, side, amount_in: "1000000000000", slippage_bps: 100 } })),
  );
  const stages = ["collect", "settle", "release"];
  const withoutOutput = { amount_out: undefined, maximum_in: undefined };
  const withoutInput = { amount_in: undefined, slippage_bps: undefined };
  const output = { amount_out: "1000000000000", maximum_in: "1000000000000000000" };
  const calls = trades.flatMap(({ body }) => {
    const isBuy = body.side === "buy";
    const ways = isBuy ? { receive: undefined, pay: "native" } : { pay: undefined, receive: "native" };
    const order = { ...body, permit: null, recipient: body.wallet, ...ways };
    return [{ body: { ...order, ...withoutOutput } }, { body: { ...order, ...withoutInput, ...output } }];
  });
  const wallet = known.wallet?.[0];
  const drafts = (known.intent_id ?? []).map((id) => ({ path: { id } }));
  const noDetails = {
    website: undefined,
    image_uri: undefined,
    email: undefined,
    phone: undefined,
    address: undefined,
    location: undefined,
    hours: undefined,
    tags: undefined,
    links: undefined,
  };
  return {
    "POST /intents": [
      { body: { recipients: [] } },
      { body: { recipients: [{ provider: "wallet", wallet, share_bps: 10_000 }] } },
      { body: { recipients: [{ provider: "social", handle: "tin.sailor", wallet, share_bps: 10_000 }], fee_bps: 100 } },
    ],
    "POST /businesses": [
      { body: { ...noDetails, name: "Tin Boat", description: "Bread.\nDaily.", category: "food-drink" } },
      { body: { ...noDetails, name: "Boat", description: "Sails.", links: { x: "https://x.com/tin" }, tags: ["tin"] } },
    ],
    "POST /reports": (known.address ?? []).map((id) => ({ body: { kind: "token", id, reason: "spam" } })),
    "POST /splits/transactions": (known.intent_id ?? []).map((intent_id) => ({ body: { intent_id, wallet } })),
    "GET /intents/{id}": drafts,
    "GET /intents/{id}/progress": drafts,
    "PUT /intents/{id}/options": drafts.map(({ path }) => ({
      path,
      body: {
        initial_buy: { amount_in: "1000000000000", slippage_bps: 100, recipient: wallet },
        partner: wallet,
        creator: wallet,
        banner_uri: "https://cdn.example/banner.png",
        links: { x: "https://x.com/tin", website2: "https://tin.example/" },
      },
    })),
    "POST /openings/transactions": (known.intent_id ?? []).map((intent_id) => ({
      body: { intent_id, wallet, minimum: "1000", cap: "2000", deadline: Math.floor(Date.now() / 1_000) + 86_400 },
    })),
    "POST /vestings/transactions": (known.intent_id ?? []).map((intent_id) => ({ body: { intent_id, wallet } })),
    "POST /vestings/release-transactions": (known.address ?? []).map((token) => ({ body: { token, wallet } })),
    "POST /launch/cancel/transactions": [{ body: { wallet } }],
    "POST /launch/preview": drafts.map(({ path }) => ({ body: { intent_id: path.id, wallet } })),
    "POST /launch/calls": (known.intent_id ?? []).map((intent_id) => ({
      body: { intent_id, wallet, splitter: null, authorization: null },
    })),
    "POST /trade/quote": trades,
    "POST /trade/transactions": trades,
    "POST /trade/calls": calls,
    "POST /fees/claim-transactions": pairs.flatMap((pair) => stages.map((stage) => ({ body: { ...pair, stage } }))),
    "GET /fees/positions": pairs.map((query) => ({ query })),
    "GET /fees/pending": (known.address ?? []).map((token) => ({ query: { token } })),
    "POST /fees/claim-calls": pairs.map(({ token, wallet }) => ({ body: { wallet, tokens: [token], unwrap: true } })),
    "POST /fees/payout-transactions": pairs.map((pair) => ({ body: { ...pair, payout: pair.wallet } })),
    "POST /gas/quote": (known.token ?? [])
      .filter((token) => !known.address?.includes(token))
      .map((token) => ({ body: { wallet, token, gas_limit: 200_000 } })),
    "GET /recipients": ["code_host", "social"].map((provider) => ({ query: { provider, handle: "octo" } })),
    "GET /qr.png": (known.wallet ?? []).map((text) => ({ query: { text } })),
  };
}
