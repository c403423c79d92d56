import { openingAbi } from "@slipway/protocol/contracts/opening";
import { openingFactoryAbi } from "@slipway/protocol/contracts/openingFactory";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import type { Abi } from "viem";
import { encodeLog, type GeneratedLog } from "./encodeLog.ts";
import type { ChainState, GeneratedTx } from "./generateTx.ts";
import type { Random } from "./random.ts";

type Made = Pick<GeneratedTx, "logs" | "needs" | "apply">;

/** Creates an opening, in some transactions with its first deposit, or an event of an opening. */
export function generateOpening(
  random: Random,
  state: ChainState,
  { opening_factory }: LaunchDeployment,
  people: readonly string[],
): Made {
  if (state.openings.length > 0 && random.chance(0.7)) {
    const opening = random.pick(state.openings);
    const apply = (target: ChainState) => target.openings.includes(opening);
    return { logs: [openingEvent(random, opening, people)], needs: [], apply };
  }
  const opening = random.hex(20);
  // A factory of another party has the same event.
  const factory = random.chance(0.2) ? random.hex(20) : opening_factory.address;
  const params = {
    name: random.pick(["Alpha", "Über", "a\u0000b", "\u202eevil"]),
    symbol: random.pick(["AAA", "B\ufffd"]),
    // The last one is longer than the texts of any launch.
    contractURI: random.pick(["", 'data:application/json,{"description":"d"}', "é".repeat(12_290)]),
    splitter: random.pick(people),
    salt: `0x${"0".repeat(64)}`,
    partner: random.pick(people),
    feeBps: 100,
  };
  const bounds = { minimum: BigInt(random.integer(1, 10 ** 9)), cap: 10n ** 10n, deadline: random.integer(1, 10 ** 9) };
  const created = { opening, creator: random.pick(people), paramsHash: random.hex(32), params, ...bounds };
  const logs = [encodeLog(openingFactoryAbi as Abi, factory, "OpeningCreated", created)];
  if (random.chance(0.4)) logs.push(openingEvent(random, opening, people));
  const apply = (target: ChainState) => {
    target.openings.push(opening);
    return true;
  };
  return { logs, needs: [], apply };
}

function openingEvent(random: Random, opening: string, people: readonly string[]): GeneratedLog {
  const account = random.pick(people);
  const amount = BigInt(random.integer(0, 10 ** 12));
  const token = random.hex(20);
  const encode = (name: string, args: Record<string, unknown>) => encodeLog(openingAbi as Abi, opening, name, args);
  const way = random.next();
  if (way < 0.6) return encode("Deposited", { account, amount, total: amount * 3n });
  if (way < 0.7) return encode("Opened", { token, spent: amount, bought: amount * 7n });
  if (way < 0.75) return encode("Closed", { token, received: amount * 5n });
  return encode("Claimed", { account, to: random.pick(people), tokens: amount, refund: amount / 3n });
}
