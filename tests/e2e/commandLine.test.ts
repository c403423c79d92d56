import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "@slipway/dev/startStack";
import { swapCall } from "@slipway/protocol/swapCall";
import { createClient } from "@slipway/sdk/createClient";
import { Contract, encryptKeystoreJsonSync, parseEther, Wallet } from "ethers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchToken } from "../support/conformance/launchToken.ts";
import { openSigner, type Signer } from "../support/conformance/signer.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { getProgram } from "../support/getProgram.ts";
import { runProgram } from "../support/runProgram.ts";
import { startBuiltStack } from "../support/startBuiltStack.ts";
import { startRpcProxy } from "../support/startRpcProxy.ts";

type Hex = `0x${string}`;

const accounts = fileURLToPath(new URL("../../apps/server/src/accountsCommand.ts", import.meta.url));
const password = "a password of the test";
const image = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

describe("the command line on real contracts", () => {
  let stack: Stack;
  let creator: Signer;
  let folder: string;
  let token: string;
  let privateKey: string;
  let node: Awaited<ReturnType<typeof startRpcProxy>>;
  let program: string;
  /** Everything that any run printed, and everything that it sent to the node. */
  let [printed, sent] = ["", ""];

  /** Runs the program as a person does, in its own process. */
  async function run(args: string, { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {}) {
    const settings = {
      SLIPWAY_URL: stack.baseUrl,
      SLIPWAY_API_KEY: stack.apiKey,
      SLIPWAY_RPC_URL: node.url,
      SLIPWAY_MANIFEST: stack.manifestPath,
      SLIPWAY_KEYSTORE_PASSWORD: password,
    };
    const options = { cwd: folder, env: { ...settings, ...env }, input };
    const { code, stdout, stderr } = await runProgram(program, args.split(" "), options);
    printed += stdout + stderr;
    return { code, stdout, stderr };
  }

  /** Parses the output of `--json`. */
  const readLines = (stdout: string) =>
    stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  beforeAll(async () => {
    program = await getProgram("commandLine");
    stack = await startBuiltStack({ serverEnvironment: unlimited });
    node = await startRpcProxy(stack.rpcUrl, {
      before: (call) => {
        sent += JSON.stringify(call);
      },
    });
    folder = mkdtempSync(join(tmpdir(), "slipway-command-line-"));
    const [wallet] = stack.wallets;
    privateKey = wallet!.privateKey;
    creator = openSigner(stack.rpcUrl, stack.manifest.chain_id, privateKey);
    const account = { address: wallet!.address, privateKey };
    writeFileSync(join(folder, "keystore.json"), encryptKeystoreJsonSync(account, password, { scrypt: { N: 1_024 } }));
    const chain_id = stack.manifest.chain_id as 46630;
    const recipients = [{ provider: "wallet" as const, wallet: wallet!.address, share_bps: 10_000 }];
    const intent = { name: "Tin Boat", symbol: "TIN", image_uri: image, chain_id, recipients };
    ({ token } = await launchToken(createClient(stack), creator, intent));
    await creator.wrap(stack.manifest.wrapped_native.address, parseEther("1"));
  });
  afterAll(async () => {
    creator?.close();
    await node?.stop();
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("quotes, buys, sells and claims with an encrypted keystore", async () => {
    const quoted = await run(`quote ${token} buy 0.1 --json`);
    expect(readLines(quoted.stdout)).toMatchObject([{ amount_in: parseEther("0.1").toString(), slippage_bps: 100 }]);

    const bought = await run(`trade ${token} buy 0.1 --keystore keystore.json --json`, { input: "y\ny\n" });
    expect(readLines(bought.stdout)).toMatchObject([{ action: "approve" }, { action: "swap", state: "confirmed" }]);
    expect(bought.stderr).toContain("allows the router to take exactly 0.1 of wrapped_native");
    expect(bought.stderr).toMatch(/moves 0\.1 wrapped native from your wallet 0x\w{40} to 0x\w{40}/);
    expect(bought.stderr).toMatch(/fee at most 0\.\d+ native/);
    expect(bought.code).toBe(0);

    const native = await run(`trade ${token} buy 0.01 --native --keystore keystore.json --yes`);
    expect([native.code, native.stdout]).toEqual([0, expect.stringMatching(/^swap {2}confirmed {2}0x/)]);

    const sold = await run(`trade ${token} sell 1000 --keystore keystore.json --yes --json`);
    expect([sold.code, readLines(sold.stdout).map(({ action }) => action)]).toEqual([0, ["approve", "swap"]]);

    const before = await creator.provider.getBalance(creator.address);
    const soldForNative = await run(`trade ${token} sell 1000 --native --keystore keystore.json --yes --json`);
    expect(readLines(soldForNative.stdout).map(({ action }) => action)).toEqual(["approve", "swap"]);
    expect(await creator.provider.getBalance(creator.address)).not.toBe(before);

    const claimed = await run(`claim ${token} --keystore keystore.json --yes --json`);
    const actions = readLines(claimed.stdout).map(({ action }) => action);
    expect([claimed.code, actions]).toEqual([0, ["collect", "settle", "release"]]);
    const again = await run(`claim ${token} --yes`, { env: { SLIPWAY_PRIVATE_KEY: privateKey } });
    expect([again.code, again.stdout, again.stderr]).toEqual([0, "", "There is nothing to do.\n"]);
    const positions = await run(`positions ${token} ${creator.address} --json`);
    expect(readLines(positions.stdout).some(({ claimed: amount }) => BigInt(amount) > 0n)).toBe(true);
  });

  it("reads tokens, trades and candles without a key", async () => {
    const env = { SLIPWAY_API_KEY: "", SLIPWAY_RPC_URL: "", SLIPWAY_MANIFEST: "" };
    expect((await run("tokens --sort new", { env })).stdout).toMatch(/^symbol .*\nTIN +Tin Boat/);
    expect(readLines((await run(`token ${token} --json`, { env })).stdout)).toMatchObject([{ address: token }]);
    const indexed = async () => readLines((await run(`trades ${token} --json`, { env })).stdout);
    await expect.poll(async () => (await indexed()).map(({ side }) => side)).toEqual(["sell", "sell", "buy", "buy"]);
    const { stdout } = await run(`candles ${token} --interval 1m --csv`, { env });
    expect(stdout).toMatch(/^t,open,high,low,close,volume_usd,volume_quote,trades\n\d+,/);
  });

  it("watches from the cursor in a file, without a gap and without a repetition", async () => {
    for (const name of ["cursor", "other"]) writeFileSync(join(folder, name), "0");
    const first = readLines((await run("watch --cursor cursor --limit 2 --json")).stdout);
    expect(readFileSync(join(folder, "cursor"), "utf8").trim()).toBe(first.at(-1).cursor);
    const next = readLines((await run("watch --cursor cursor --limit 2 --json")).stdout);
    const both = readLines((await run("watch --cursor other --limit 4 --json")).stdout);
    expect([...first, ...next].map(({ cursor }) => cursor)).toEqual(both.map(({ cursor }) => cursor));
  });

  it("ends with the code of each outcome, and signs nothing then", async () => {
    const count = () => creator.wallet.getNonce();
    const before = await count();
    const order = `trade ${token} buy 0.2 --keystore keystore.json`;
    expect((await run(`trade ${token} hold 1`)).code).toBe(2);
    expect((await run(`trade ${token} buy 0 --yes`)).code).toBe(2);
    expect((await run(`trade ${token} buy 1 --yes`)).stderr).toContain("usage: usage: There is no key");
    const refused = await run(`trade ${token} buy 1000 --yes --keystore keystore.json`);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("refused: insufficient_balance: ")]);
    const tooLittle = await run(
      `trade ${token} buy 0.01 --native --minimum-out 1000000000 --yes --keystore keystore.json`,
    );
    expect([tooLittle.code, tooLittle.stderr]).toEqual([3, expect.stringContaining("refused: not_as_asked: ")]);
    for (const input of ["n\n", ""]) expect((await run(order, { input })).code).toBe(5);
    const dry = await run(`${order} --dry-run`);
    expect([dry.code, dry.stdout]).toEqual([0, ""]);
    expect(dry.stderr).toContain("Dry run: nothing was signed.");
    expect((await run("tokens --url http://127.0.0.1:9/api")).code).toBe(1);
    expect(await count()).toBe(before);
  });

  it("launches a draft, and proves the splitter of an interrupted launch with its own node", async () => {
    const client = createClient(stack);
    const wallet = creator.address;
    const recipients = [{ provider: "wallet" as const, wallet, share_bps: 10_000 }];
    const chain_id = stack.manifest.chain_id as 46630;
    const intent = { name: "Tin Raft", symbol: "RAFT", image_uri: image, chain_id, recipients };
    const { id } = await client.createIntent(intent);
    const launch = `launch ${id} --vanity b --keystore keystore.json --json`;
    const declined = await run(launch, { input: "y\nn\n" });
    expect([declined.code, readLines(declined.stdout)]).toMatchObject([5, [{ action: "deploy_splitter" }]]);
    expect(declined.stderr).toContain(`launches RAFT, Tin Raft\n`);
    expect(declined.stderr).toContain(`pays 100% of the fees to ${wallet}\n`);
    await expect.poll(async () => (await client.getIntentProgress({ id })).splitters.length).toBe(1);
    const launched = await run(launch, { input: "y\n" });
    expect(readLines(launched.stdout)).toMatchObject([
      { action: "launch" },
      { state: "launched", token: expect.stringMatching(/b$/i) },
    ]);
    expect(launched.code).toBe(0);
    await expect.poll(async () => (await client.getIntentProgress({ id })).launches.length).toBe(1);
    const again = await run(launch);
    expect(readLines(again.stdout)).toEqual([readLines(launched.stdout).at(-1)]);
    expect((await run("drafts --json")).stdout).toContain(id);
  });

  it("creates an opening, deposits into it, launches its token and claims", async () => {
    const client = createClient(stack);
    const wallet = creator.address;
    const recipients = [{ provider: "wallet" as const, wallet, share_bps: 10_000 }];
    const chain_id = stack.manifest.chain_id as 46630;
    const { id } = await client.createIntent({
      name: "Tin Ark",
      symbol: "ARK",
      image_uri: image,
      chain_id,
      recipients,
    });
    const deadline = new Date((Math.floor(Date.now() / 1_000) + 86_400) * 1_000).toISOString().replace(".000", "");
    const create = `opening create ${id} --minimum 1 --cap 2 --deadline ${deadline} --keystore keystore.json --json`;
    const created = await run(create, { input: "y\ny\n" });
    expect(created.stderr).toContain("opens with 1.0 to 2.0 native until ");
    const lines = readLines(created.stdout);
    expect([created.code, lines.map(({ action }) => action)]).toEqual([
      0,
      ["deploy_splitter", "create_opening", undefined],
    ]);
    const { opening } = lines.at(-1);
    expect(readLines((await run(create)).stdout)).toEqual([{ opening }]);

    const env = { SLIPWAY_API_KEY: "", SLIPWAY_RPC_URL: "", SLIPWAY_MANIFEST: "" };
    const show = async () =>
      readLines((await run(`opening show ${opening} --account ${wallet} --json`, { env })).stdout);
    await expect.poll(show).toMatchObject([{ status: "open", total: "0" }]);
    const early = await run(`opening open ${opening} --keystore keystore.json --yes`);
    expect([early.code, early.stderr]).toEqual([3, expect.stringContaining("refused: opening_not_ready: ")]);
    const deposited = await run(`opening deposit ${opening} 1.5 --keystore keystore.json`, { input: "y\n" });
    expect(deposited.stderr).toMatch(/moves 1\.5 native from your wallet 0x\w{40} to 0x\w{40}/);
    expect([deposited.code, deposited.stdout]).toEqual([
      0,
      expect.stringMatching(/^deposit_opening {2}confirmed {2}0x/),
    ]);
    await expect.poll(show).toMatchObject([{ status: "ready", account: { deposit: parseEther("1.5").toString() } }]);
    expect((await run("openings --status ready", { env })).stdout).toMatch(/^symbol .*\nARK +Tin Ark +ready +1\.5 /);

    const opened = await run(`opening open ${opening} --value 1.2 --draft ${id} --keystore keystore.json --json`, {
      input: "y\ny\n",
    });
    expect(opened.stderr).toMatch(/spends 1\.2 native of the deposits for \d+\.\d+ tokens/);
    const launched = readLines(opened.stdout).at(-1).token;
    expect([opened.code, readLines(opened.stdout)[0].action]).toEqual([0, "launch_opening"]);
    await expect.poll(show).toMatchObject([{ status: "opened", token: launched }]);
    // Claims start in the second after the launch.
    const claim = `opening claim ${opening} --keystore keystore.json --yes --json`;
    await expect.poll(async () => readLines((await run(claim)).stdout)).toMatchObject([{ action: "claim_opening" }]);
    await expect
      .poll(show)
      .toMatchObject([{ status: "done", account: { claimed_refund: parseEther("0.3").toString() } }]);
    const closed = await run(`opening close ${opening} --keystore keystore.json --yes`);
    expect([closed.code, closed.stderr]).toEqual([0, "There is nothing to do.\n"]);
  });

  it("exchanges a stablecoin for native by a signature of a wallet without native", async () => {
    const { gas_station_tokens, uniswap, eth_usd, wrapped_native } = stack.manifest;
    const [stablecoin] = gas_station_tokens;
    const user = Wallet.createRandom();
    const amountIn = parseEther("0.1");
    const abi = ["function approve(address, uint256) returns (bool)"];
    const weth = new Contract(wrapped_native.address, abi, creator.wallet);
    await (await weth.getFunction("approve").send(uniswap.router.address, amountIn)).wait();
    const data = swapCall(uniswap.router_kind, {
      tokenIn: wrapped_native.address as Hex,
      tokenOut: stablecoin!.address as Hex,
      fee: eth_usd!.fee,
      recipient: user.address as Hex,
      deadline: BigInt(Math.floor(Date.now() / 1_000) + 3_600),
      amounts: { exact: "input", amountIn, minimumOut: 1n },
    });
    await (await creator.wallet.sendTransaction({ to: uniswap.router.address, data })).wait();

    const env = { SLIPWAY_PRIVATE_KEY: user.privateKey };
    const topUp = `topup ${stablecoin!.symbol} --json`;
    const declined = await run(topUp, { env, input: "n\n" });
    expect([declined.code, declined.stderr]).toEqual([5, expect.stringMatching(/exchanges \d.* for 0\.\d+ native/)]);
    expect(await creator.provider.getBalance(user.address)).toBe(0n);
    const exchanged = await run(topUp, { env, input: "y\n" });
    expect([exchanged.code, readLines(exchanged.stdout)]).toMatchObject([
      0,
      [{ action: "top_up", state: "confirmed" }],
    ]);
    expect(await creator.provider.getBalance(user.address)).toBeGreaterThan(0n);
    expect((await run("topup UNKNOWN", { env })).code).toBe(2);
  });

  it("publishes a business from a file, and nothing twice", async () => {
    const business = { name: "Tin Café", description: "Coffee at the harbour.", category: "food-drink" };
    writeFileSync(join(folder, "business.json"), JSON.stringify(business));
    const [published] = readLines((await run("publish business.json --json")).stdout);
    const [again] = readLines((await run("publish business.json --json")).stdout);
    expect([published.id, again.id]).toEqual([expect.any(String), published.id]);
    writeFileSync(join(folder, "broken.json"), "{");
    expect((await run("publish broken.json")).code).toBe(2);
  });

  it("quotes gas, and lists API keys", async () => {
    const { symbol } = stack.manifest.gas_station_tokens[0]!;
    const quoted = await run(`gas ${creator.address} ${symbol} --json`);
    expect(readLines(quoted.stdout)).toMatchObject([{ needs_top_up: false, eth_amount: "0" }]);

    expect((await run("keys")).stderr).toMatch(/^refused: scope_required: /);
    const options = { env: { ...process.env, DATABASE_URL: stack.databaseUrl }, encoding: "utf8" } as const;
    const args = [accounts, "create", "--name", "Key list", "--scopes", "account", "--json"];
    const { api_key } = JSON.parse(spawnSync(process.execPath, args, options).stdout);
    const keys = await run("keys --json", { env: { SLIPWAY_API_KEY: api_key } });
    expect(readLines(keys.stdout)).toMatchObject([{ scopes: ["account"], prefix: expect.any(String) }]);
    expect(keys.stdout).not.toContain(api_key);
  });

  it("C10-91 refuses to sign for another deployment than that of the manifest", async () => {
    const other = { ...stack.manifest, deployed_at: "2020-01-01T00:00:00Z" };
    writeFileSync(join(folder, "other.json"), JSON.stringify(other));
    const { code, stderr } = await run(`trade ${token} buy 0.2 --yes --keystore keystore.json --manifest other.json`);
    expect([code, stderr]).toEqual([3, expect.stringContaining("refused: not_as_asked: ")]);
  });

  it("C10-92 neither prints nor sends the key or the password, and refuses a key file that others can read", async () => {
    const path = join(folder, "key");
    writeFileSync(path, privateKey, { mode: 0o644 });
    const open = await run(`claim ${token} --yes --key-file key`);
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("chmod 600")]);
    rmSync(path);
    writeFileSync(path, privateKey, { mode: 0o600 });
    expect((await run(`claim ${token} --yes --key-file key`)).code).toBe(0);
    const wrong = { SLIPWAY_KEYSTORE_PASSWORD: "wrong" };
    expect((await run(`claim ${token} --yes --keystore keystore.json`, { env: wrong })).code).toBe(2);
    const damaged = { SLIPWAY_PRIVATE_KEY: `${privateKey}00` };
    expect((await run(`claim ${token} --yes`, { env: damaged })).code).toBe(2);
    const noNode = { SLIPWAY_PRIVATE_KEY: privateKey, SLIPWAY_RPC_URL: "http://127.0.0.1:9" };
    expect((await run(`claim ${token} --yes`, { env: noNode })).code).toBe(1);
    expect(sent).toContain("eth_sendRawTransaction");
    for (const secret of [privateKey.slice(2), password, stack.apiKey]) {
      expect(printed).not.toContain(secret);
      expect(sent).not.toContain(secret);
    }
  });
});
