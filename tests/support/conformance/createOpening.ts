import type { Intent } from "@slipway/protocol/intent";
import type { Client } from "@slipway/sdk/createClient";
import { hexlify, randomBytes } from "ethers";
import { indexed, until } from "./launchToken.ts";
import type { Signer } from "./signer.ts";

const minimum = 1_000_000_000_000_000n;

type Created = { intentId: string; address: string; splitter: string };

/** Creates an opening of a new draft. */
async function createOpening(client: Client, creator: Signer, intent: Intent): Promise<Created> {
  const { id } = await client.createIntent(intent);
  const wallet = creator.address;
  await creator.send(await client.prepareSplitter({ intent_id: id, wallet, method: "factory" }));
  const created = await client.prepareOpening({
    intent_id: id,
    wallet,
    minimum: minimum.toString(),
    cap: (2n * minimum).toString(),
    deadline: Math.floor(Date.now() / 1_000) + 20 * 86_400,
  });
  await creator.send(created);
  const { opening, splitter } = created.expected!;
  const isIndexed = async () =>
    (await client.listOpenings({ creator: wallet })).items.some(({ address }) => address === opening);
  await until(isIndexed, `${opening} to be indexed`);
  return { intentId: id, address: opening!, splitter: splitter! };
}

/** Creates an opening with a deposit that reaches its minimum. */
export async function createReadyOpening(
  client: Client,
  creator: Signer,
  depositor: Signer,
  intent: Intent,
): Promise<Created> {
  const created = await createOpening(client, creator, intent);
  const { address } = created;
  const deposit = { address, wallet: depositor.address, amount: minimum.toString() };
  await depositor.send(await client.prepareOpeningDeposit(deposit));
  await until(async () => (await client.getOpening({ address })).status === "ready", `${address} to be ready`);
  return created;
}

/** Creates an opening, and launches its token without it. */
export async function createBypassedOpening(
  client: Client,
  creator: Signer,
  intent: Intent,
): Promise<Created & { token: string }> {
  const created = await createOpening(client, creator, intent);
  const launch = await client.prepareLaunch({
    intent_id: created.intentId,
    wallet: creator.address,
    splitter: created.splitter,
    salt: hexlify(randomBytes(32)),
  });
  await creator.send(launch);
  const token = launch.expected!.token!;
  await indexed(client, token);
  return { ...created, token };
}
