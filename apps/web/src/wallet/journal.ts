import type { Hex } from "./provider.ts";
import type { Sent, TransactionToSend } from "./send.ts";

/** A transaction or batch that this browser sent and whose outcome is still unknown. */
export type JournalEntry = Omit<Sent, "hash"> & {
  /** Null for a batch. */
  hash: Hex | null;
  /** The wallet's batch id (EIP-5792); absent for a transaction. */
  batch?: string;
  /** The flow's name, e.g. `trade:0x…` or `launch:draft id`. */
  flow: string;
  /** The step's name. */
  step: string;
  chainId: number;
  /** The flow's request, with which it continues after a reload. */
  request: unknown;
  /** Null for a batch. */
  transaction: TransactionToSend | null;
  /** Milliseconds since 1970. */
  sentAt: number;
};

export type Journal = {
  /** Returns the open entries of a flow, oldest first. */
  list(flow: string): JournalEntry[];
  /** Adds an entry, or replaces the entry of the same transaction or batch. */
  put(entry: JournalEntry): void;
  /** Removes the entry of a transaction hash or a batch id. */
  remove(id: string): void;
  /** Removes the entries of these wallets (lower case). Their transactions are no longer tracked here. */
  forget(wallets: readonly string[]): void;
};

const storageKey = "slipway.journal";
/** The oldest entries are dropped first. */
const maxEntries = 20;

const getId = ({ hash, batch }: JournalEntry) => batch ?? hash;

/**
 * Creates a journal over `localStorage`. Unreadable entries count as none; without storage, entries end with the page.
 */
export function createJournal(storage: Pick<Storage, "getItem" | "setItem">): Journal {
  let fallback: JournalEntry[] | null = null;
  const read = (): JournalEntry[] => {
    if (fallback !== null) return fallback;
    try {
      const stored: unknown = JSON.parse(storage.getItem(storageKey) ?? "[]");
      return Array.isArray(stored) ? stored.filter(isEntry) : [];
    } catch {
      return [];
    }
  };
  const write = (entries: JournalEntry[]) => {
    const latest = entries.slice(-maxEntries);
    try {
      storage.setItem(storageKey, JSON.stringify(latest));
      fallback = null;
    } catch {
      fallback = latest;
    }
  };
  return {
    list: (flow) => read().filter((entry) => entry.flow === flow),
    put: (entry) => write([...read().filter((one) => getId(one) !== getId(entry)), entry]),
    remove: (id) => {
      const entries = read();
      if (entries.some((entry) => getId(entry) === id)) write(entries.filter((entry) => getId(entry) !== id));
    },
    forget: (wallets) => {
      const entries = read();
      const left = entries.filter(({ from }) => !wallets.includes(from.toLowerCase()));
      if (left.length < entries.length) write(left);
    },
  };
}

function isEntry(value: unknown): value is JournalEntry {
  const entry = value as Partial<JournalEntry> | null;
  return (
    typeof entry === "object" &&
    entry !== null &&
    isSent(entry) &&
    typeof entry.from === "string" &&
    (entry.nonce === null || Number.isSafeInteger(entry.nonce)) &&
    Number.isSafeInteger(entry.block) &&
    Number.isSafeInteger(entry.chainId) &&
    typeof entry.flow === "string" &&
    typeof entry.step === "string"
  );
}

/** Whether an entry has a transaction with its hash, or a batch id. */
function isSent({ hash, batch, transaction }: Partial<JournalEntry>): boolean {
  if (hash === null) return typeof batch === "string" && batch !== "";
  return /^0x[0-9a-f]{64}$/.test(String(hash)) && typeof transaction === "object" && transaction !== null;
}
