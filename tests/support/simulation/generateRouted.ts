import { type Abi, parseAbi } from "viem";
import { encodeLog, erc20Abi, type GeneratedLog } from "./encodeLog.ts";
import type { ChainState, SimulatedToken } from "./generateTx.ts";
import type { Random } from "./random.ts";
import { referenceEntryPoints } from "./referenceAccount.ts";

const entryPointAbi = parseAbi([
  "event BeforeExecution()",
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
]) as Abi;

type Move = { token: string; from: string; to: string; value: bigint };
type Routed = { logs: GeneratedLog[]; needs: string[]; apply(state: ChainState): boolean };
/** Encodes the Swap log of a change of the pool's balance of the token; negative for a buy. */
type EncodeSwap = (token: SimulatedToken, recipient: string, change: bigint) => GeneratedLog;

/**
 * Generates a transaction of a router, a bundler or a contract wallet: swaps, transfers and marks of EntryPoints in any
 * order, of one or two launch tokens. Some swaps do not match their transfers, and some marks are forged.
 *
 * @param nobody - Addresses that hold tokens without being a holder.
 */
export function generateRouted(
  random: Random,
  tokens: readonly SimulatedToken[],
  people: readonly string[],
  nobody: readonly string[],
  encodeSwap: EncodeSwap,
): Routed {
  const own = random.chance(0.7) ? [random.pick(tokens)] : [random.pick(tokens), random.pick(tokens)];
  const accounts = people.slice(0, random.integer(2, 6));
  const balances = new Map(own.map((token) => [token.address, { ...token.balances }]));
  const moves: Move[] = [];
  const logs: GeneratedLog[] = [];
  const move = (token: SimulatedToken, from: string, to: string, value: bigint) => {
    const held = balances.get(token.address)!;
    held[from] = (held[from] ?? 0n) - value;
    held[to] = (held[to] ?? 0n) + value;
    moves.push({ token: token.address, from, to, value });
    logs.push(encodeLog(erc20Abi, token.address, "Transfer", { from, to, value }));
  };
  const part = (held: bigint) => (random.chance(0.5) ? held : held / BigInt(random.integer(1, 4)));
  const buy = (token: SimulatedToken) => {
    const pool = balances.get(token.address)![token.pool] ?? 0n;
    const amount = BigInt(random.integer(1, 1_000));
    if (pool < amount) return;
    const to = random.pick(accounts);
    move(token, token.pool, to, amount);
    logs.push(encodeSwap(token, to, random.chance(0.9) ? -amount : -amount - 1n));
  };
  const sell = (token: SimulatedToken) => {
    let paid = 0n;
    for (let i = random.integer(1, 2); i > 0; i--) {
      const payer = random.pick(accounts);
      const amount = part(balances.get(token.address)![payer] ?? 0n);
      if (amount === 0n) continue;
      move(token, payer, token.pool, amount);
      paid += amount;
    }
    if (paid > 0n)
      logs.push(encodeSwap(token, random.pick(accounts), random.pick([paid, paid, paid, paid / 2n + 1n, paid + 1n])));
  };
  const pass = (token: SimulatedToken) => {
    const from = random.pick(accounts);
    const to = random.pick([...accounts, ...accounts, token.pool, token.locker, ...nobody]);
    move(token, from, to, part(balances.get(token.address)![from] ?? 0n));
  };
  const mark = () => {
    const emitter = random.chance(0.9) ? random.pick(referenceEntryPoints) : random.hex(20);
    const result = { nonce: 1n, success: true, actualGasCost: 1n, actualGasUsed: 1n };
    const ended = { userOpHash: random.hex(32), sender: random.pick(people), paymaster: random.hex(20), ...result };
    logs.push(
      random.chance(0.3)
        ? encodeLog(entryPointAbi, emitter, "BeforeExecution", {})
        : encodeLog(entryPointAbi, emitter, "UserOperationEvent", ended),
    );
  };
  const withMarks = random.chance(0.5);
  for (let i = random.integer(1, 14); i > 0; i--) {
    const token = random.pick(own);
    random.pick([buy, buy, sell, sell, pass, pass, ...(withMarks ? [mark, mark, mark] : [])])(token);
  }
  return {
    logs,
    needs: own.map(({ address }) => address),
    apply: (state) => {
      const found = new Map(state.tokens.map((token) => [token.address, token]));
      // All moves succeed, or the transaction has no effect.
      const after = new Map(own.map(({ address }) => [address, { ...found.get(address)?.balances }]));
      for (const { token, from, to, value } of moves) {
        const held = after.get(token)!;
        if ((held[from] ?? 0n) < value) return false;
        held[from] = (held[from] ?? 0n) - value;
        held[to] = (held[to] ?? 0n) + value;
      }
      for (const [address, held] of after) {
        const token = found.get(address);
        if (token === undefined) return false;
        token.balances = held;
      }
      return true;
    },
  };
}
