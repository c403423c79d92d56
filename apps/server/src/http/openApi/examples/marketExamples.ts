import { example, type OperationExamples, sample } from "./example.ts";

const pictureUrl = "https://slipway.example/media/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const image = {
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ...{ width: 1_024, height: 768, animated: false, blurhash: "LEHV6nWB2yk8pyo0adR*.7kCMdnj" },
  dominant_color: "#7a8b9c",
  urls: {
    64: `${pictureUrl}/64.webp`,
    256: `${pictureUrl}/256.webp`,
    512: `${pictureUrl}/512.webp`,
    1024: `${pictureUrl}/1024.webp`,
  },
  alt: "Tin Boat (TIN)",
};

const token = {
  address: sample.token,
  chain_id: sample.chainId,
  name: "Tin Boat",
  symbol: "TIN",
  decimals: 18,
  image_url: image.urls[256],
  image,
  pool: sample.pool,
  quote_token: sample.weth,
  fee_bps: 100,
  fee_policy: { total_bps: 100, protocol_bps: 10, collaborators_bps: 90 },
  creator: sample.creator,
  launched_at: sample.launchedAt,
  block_number: 19,
  tx_hash: sample.launchTx,
  source: "own",
  featured: false,
  price_usd: 0.000005761178962561514,
  price_eth: 1.9203929875205047e-9,
  market_cap_usd: 5_761.178962561515,
  fdv_usd: 5_761.178962561515,
  liquidity_usd: 5_682.678124407161,
  volume_24h_usd: 600,
  price_change_24h_pct: 28.17778722077908,
  buys_24h: 1,
  sells_24h: 0,
  traders_24h: 1,
  holders: 1,
  warnings: [],
};

/** A trade of the sample token. */
export const trade = {
  id: `${sample.tradeTx}:2`,
  tx_hash: sample.tradeTx,
  log_index: 2,
  block_number: 22,
  block_timestamp: "2026-11-22T07:07:45.000Z",
  side: "buy",
  maker: sample.trader,
  recipient: sample.trader,
  token_amount: "116729725378179990568834539",
  quote_amount: "200000000000000000",
  price_eth: 1.713359637847529e-9,
  price_usd: 0.0000051400789135425875,
  volume_usd: 600,
};

const window = { price_change_pct: 28.17778722077908, volume_usd: 600, buys: 1, sells: 0 };

const tokenDetail = {
  ...token,
  description: "A boat of tin.",
  website: "https://tinboat.example/",
  total_supply: "1000000000000000000000000000",
  splitter: sample.splitter,
  recipients: [
    { wallet: sample.creator, share_bps: 6_000, provider: "wallet", handle: null, verified: false },
    { wallet: sample.collaborator, share_bps: 4_000, provider: "social", handle: "tin", verified: false },
  ],
  trades: [trade],
  liquidity_lock: { locker: sample.locker, percent_locked: 100, withdrawable: false },
  pool_state: {
    sqrt_price_x96: "3471959411425970936365925",
    tick: -200_718,
    liquidity: "38706924980797090535873",
    tick_lower: -203_200,
    tick_upper: 887_200,
    pool_protocol_fee: 0,
    lp_fee_bps_effective: 100,
  },
  windows: { m5: window, h1: window, h6: window, h24: window },
  security: { mintable: false, pausable: false, owner: null, permit: true, source_verified: null },
  top10_holders_pct: 11.672972537818,
  links: { explorer: null },
  as_of: sample.asOf,
};

const candle = {
  ...{ t: 1_795_330_800, o: 0.0000044946781244071605, h: 0.000005761178962561514, l: 0.0000044946781244071605 },
  ...{ c: 0.000005761178962561514, v: 600, vq: 0.2, n: 1 },
};

const analytics = {
  launches_total: 1,
  launches_24h: 1,
  trades_covered: 1,
  trades_24h: 1,
  traders_24h: 1,
  volume_usd_24h: 600,
  volume_usd_total: 600,
  fees_usd_24h: 6,
  fees_collaborators_usd: 5.4,
  fees_protocol_usd: 0.6,
  coverage: {
    from_block: 6,
    to_block: 25,
    head_block: 25,
    lag_seconds: 0,
    complete: true,
    message: "Complete: the totals cover every launch and trade from block 6 to block 25, the chain's head.",
  },
  as_of: sample.asOf,
};

const stream = [
  'retry: 1200\nid: 41\nevent: ready\ndata: {"cursor":"41"}\n',
  `id: 42\nevent: trade\ndata: ${JSON.stringify({ token: sample.token, trade })}\n`,
  "",
].join("\n");

const gallery = {
  items: [
    {
      token: {
        ...{ address: token.address, name: token.name, symbol: token.symbol, price_usd: token.price_usd },
        ...{ market_cap_usd: token.market_cap_usd, volume_24h_usd: 600, launched_at: token.launched_at },
      },
      image,
    },
  ],
  next_cursor: null,
  total: 1,
  as_of: sample.asOf,
};

const tokenList = {
  name: "Slipway",
  timestamp: sample.launchedAt,
  version: { major: 1, minor: 1, patch: 0 },
  tokens: [
    { chainId: sample.chainId, address: sample.weth, decimals: 18, name: "Wrapped Ether", symbol: "WETH" },
    {
      ...{ chainId: sample.chainId, address: sample.token, decimals: 18, name: token.name, symbol: token.symbol },
      logoURI: image.urls[256],
    },
  ],
};

const contractDocument = {
  name: token.name,
  symbol: token.symbol,
  description: "A boat of tin.",
  image: sample.image,
  external_link: "https://tinboat.example/",
};

/** Tokens, trades, candles, totals, the feeds and the stream. */
export const marketExamples: Record<string, OperationExamples> = {
  listTokens: { responses: { 200: example({ items: [token], total: 1, quote: "usd", as_of: sample.asOf }) } },
  getTokenList: { responses: { 200: example(tokenList) } },
  getContractDocument: { responses: { 200: example(contractDocument) } },
  getGallery: {
    responses: {
      200: {
        newest: { summary: "The newest pictures", value: gallery },
        random: { summary: "With `sort=random`", value: { ...gallery, seed: 2_718_281_828 } },
      },
    },
  },
  getToken: { responses: { 200: example(tokenDetail) } },
  listTokenTrades: {
    responses: {
      200: {
        latest: { summary: "The latest trades", value: { items: [trade] } },
        page: { summary: "With before, maker or side", value: { items: [trade], next_before: null } },
      },
    },
  },
  listTokenCandles: {
    responses: {
      200: example({ interval: "1h", items: [candle], price_usd_available: true, quote: "usd", next_before: null }),
    },
  },
  getAnalytics: { responses: { 200: example(analytics) } },
  streamLive: { responses: { 200: example(stream) } },
};
