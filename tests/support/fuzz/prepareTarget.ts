import { randomBytes } from "node:crypto";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { generatePrivateKey } from "viem/accounts";
import { uploadSettings } from "../images/uploadTo.ts";
import { paymentEnvironment } from "../payments/paymentEnvironment.ts";
import { launchToken, prepareSignedLaunch, storeDraft, trade, wallets, wrap } from "../security/actors.ts";
import { startServerProcess } from "../security/serverProcess.ts";
import { askQuote, signedTopUp, startGasStack, topUp } from "../security/startGasStack.ts";
import type { Example, FuzzTarget } from "./fuzzTarget.ts";
import { getExamples, readKnownValues } from "./knownValues.ts";
import { openSession, signInMessage } from "./signIn.ts";

type Prepared = { target: FuzzTarget; stop: () => Promise<void> };

/** Returns the service at BASE_URL, with a key in API_KEY; otherwise a new one, with launches, trades and top-ups. */
export async function prepareTarget(env: NodeJS.ProcessEnv): Promise<Prepared> {
  if (env.BASE_URL === undefined) return await startTarget();
  if (!env.API_KEY) throw new Error("API_KEY must hold a key of the service that BASE_URL names.");
  const baseUrl = env.BASE_URL.replace(/\/+$/, "");
  const service = { siteUrl: new URL(baseUrl).origin, baseUrl, apiKey: env.API_KEY };
  const known = await readKnownValues(service);
  const unknown = { adminKey: null, walletKey: null, watchUrl: null };
  return { target: { ...service, ...unknown, known, examples: getExamples(known) }, stop: async () => undefined };
}

const oneEther = 10n ** 18n;

/** Providers that are configured but never called: no browser returns from them with a code. */
const providers = {
  CODE_HOST_CLIENT_ID: "fuzz",
  CODE_HOST_CLIENT_SECRET: "fuzz-secret",
  SOCIAL_CLIENT_ID: "fuzz",
  SOCIAL_CLIENT_SECRET: "fuzz-secret",
};

/** Alerts are configured, but no server accepts their mails. */
const mail = {
  SMTP_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "Slipway <slipway@localhost.localdomain>",
  ALERT_SECRET: "fuzz".repeat(16),
};

/** Payments without the reorg window of their tests. */
const { REORG_WINDOW_SECONDS: _, ...payments } = paymentEnvironment;

async function startTarget(): Promise<Prepared> {
  // Uses a heartbeat: the service rejects a chain without blocks for minutes, and ten thousand requests take longer.
  const gas = await startGasStack({}, { heartbeatMs: 1_000 });
  try {
    const { stack } = gas;
    const creator = wallets[0]!;
    const trader = wallets[1]!;
    await wrap(stack, trader, 10n * oneEther);
    const launches: Example[] = [];
    for (const symbol of ["ONE", "TWO"]) {
      const { intentId, splitter, token } = await launchToken(stack, creator, { symbol });
      await trade(stack, trader, { token, side: "buy", amount_in: `${oneEther / 10n}` });
      await trade(stack, trader, { token, side: "sell", amount_in: `${oneEther}` });
      launches.push({ body: { intent_id: intentId, wallet: creator.address, splitter } });
    }
    const { unsigned, signed } = await prepareSignedLaunch(stack, creator, trader);
    const batches: Example[] = [{ body: unsigned }, { body: signed }];
    const foreign = await storeDraft(stack, {}, await stack.createAccount("somebody else"));
    const topUps: Example[] = [];
    for (let index = 0; index < 6; index++) {
      const person = await gas.newWallet();
      const { body: quote } = await askQuote(gas.server, person, 100_000);
      topUps.push({ body: await signedTopUp(person, quote) });
    }
    const { body: sent } = await topUp(gas.server, topUps[0]!.body);
    const images = temporaryFolder();
    const watchPort = await getFreePort();
    const server = await startServerProcess(
      gas,
      (siteUrl) => ({
        WATCH_PORT: String(watchPort),
        SITE_URL: siteUrl,
        AUTH_SECRET: randomBytes(32).toString("hex"),
        ...uploadSettings,
        DATA_DIR: images.path,
        ...providers,
        ...mail,
        ...payments,
      }),
      "watchEventLoop",
    );
    const watchUrl = `http://127.0.0.1:${watchPort}`;
    // Its start delayed the event loop.
    await (await fetch(watchUrl)).text();
    const service = {
      siteUrl: server.siteUrl,
      baseUrl: `${server.siteUrl}/api/v1/launchpad`,
      apiKey: stack.account.key,
    };
    const admin = await stack.createAccount("admin", ["admin"]);
    const known = await readKnownValues(service);
    const examples = getExamples(known);
    const spareKeys: Example[] = [];
    const walletKey = generatePrivateKey();
    const cookie = (await openSession({ ...service, walletKey }))!;
    for (let index = 0; index < 3; index++) {
      const body = JSON.stringify({ name: "spare" });
      const headers = { cookie, origin: service.siteUrl, "content-type": "application/json" };
      const created = await fetch(`${service.siteUrl}/api/account/keys`, { method: "POST", headers, body });
      spareKeys.push({ path: { id: ((await created.json()) as { id: string }).id } });
    }
    const signIns = [await signInMessage(service, walletKey), await signInMessage(service, generatePrivateKey())];
    return {
      target: {
        ...service,
        adminKey: admin.key,
        walletKey,
        known: {
          ...known,
          wallet: [creator.address, trader.address, ...known.wallet!],
          intent_id: [...known.intent_id!, foreign],
          account_id: [stack.account.id, admin.id],
          hash: [sent.hash, ...known.hash!],
        },
        examples: {
          ...examples,
          "POST /launch/transactions": launches,
          "POST /launch/calls": [...examples["POST /launch/calls"]!, ...batches],
          "POST /gas/topup": topUps,
          "POST /images": [{}],
          "GET /gas/topups/{hash}": [{ path: { hash: sent.hash } }],
          "DELETE /api/account/keys/{id}": spareKeys,
          "POST /api/auth/siwe/verify": signIns.map(({ body, cookie }) => ({ body, headers: { cookie } })),
        },
        watchUrl,
      },
      stop: async () => {
        await server.stop();
        await gas.close();
        images.remove();
      },
    };
  } catch (error) {
    await gas.close();
    throw error;
  }
}
