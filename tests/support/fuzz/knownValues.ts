import type { Example, FuzzTarget } from "./fuzzTarget.ts";

type Service = Pick<FuzzTarget, "siteUrl" | "baseUrl" | "apiKey">;

/** Reads what is really there out of the service's own public answers: tokens, wallets, splitters, drafts. */
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
  };
}

const unique = (values: (string | null)[]): string[] => [...new Set(values.filter((value) => value !== null))];

/** What belongs together according to public answers; a caller that owns the stack knows more. */
export function getExamples(known: FuzzTarget["known"]): Record<string, Example[]> {
  const pairs = (known.address ?? []).flatMap((token) =>
    (known.wallet ?? []).slice(0, 4).map((wallet) => ({ token, wallet })),
  );
  const trades = pairs.flatMap((pair) =>
    ["buy", "sell"].map((side) => ({ body: { ...pair, side, amount_in: "1000000000000", slippage_bps: 100 } })),
  );
  const stages = ["collect", "settle", "release"];
  const wallet = known.wallet?.[0];
  return {
    "POST /intents": [
      { body: { recipients: [] } },
      { body: { recipients: [{ provider: "wallet", wallet, share_bps: 10_000 }] } },
      { body: { recipients: [{ provider: "social", handle: "tin.sailor", wallet, share_bps: 10_000 }], fee_bps: 100 } },
    ],
    "POST /splits/transactions": (known.intent_id ?? []).map((intent_id) => ({ body: { intent_id, wallet } })),
    "POST /trade/quote": trades,
    "POST /trade/transactions": trades,
    "POST /fees/claim-transactions": pairs.flatMap((pair) => stages.map((stage) => ({ body: { ...pair, stage } }))),
    "GET /fees/positions": pairs.map((query) => ({ query })),
    "POST /gas/quote": (known.token ?? [])
      .filter((token) => !known.address?.includes(token))
      .map((token) => ({ body: { wallet, token, gas_limit: 200_000 } })),
    "GET /qr.png": (known.wallet ?? []).map((text) => ({ query: { text } })),
  };
}
