import type { Hex } from "./provider.ts";
import type { Sent, TransactionToSend } from "./send.ts";

/** What this browser has sent and not yet seen the end of. */
export type JournalEntry = Sent & {
  /** What the flow is about, e.g. `trade:0x…` or `launch:draft id`. */
  flow: string;
  /** The step of the flow. */
  step: string;
  chainId: number;
  /** The flow's own request, to go on after a reload. */
  request: unknown;
  transaction: TransactionToSend;
  /** Milliseconds since 1970. */
  sentAt: number;
};

export type Journal = {
  /** The open entries of a flow, oldest first. */
  list(flow: string): JournalEntry[];
  /** Adds an entry, or replaces that of the same hash. */
  put(entry: JournalEntry): void;
  remove(hash: Hex): void;
};

const storageKey = "slipway.journal";
/** Older ones are dropped first. */
const maxEntries = 20;

/** Creates it over `localStorage`. What cannot be read is empty; what cannot be stored is forgotten with the page. */
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
    put: (entry) => write([...read().filter(({ hash }) => hash !== entry.hash), entry]),
    remove: (hash) => {
      const entries = read();
      if (entries.some((entry) => entry.hash === hash)) write(entries.filter((entry) => entry.hash !== hash));
    },
  };
}

function isEntry(value: unknown): value is JournalEntry {
  const entry = value as Partial<JournalEntry> | null;
  return (
    typeof entry === "object" &&
    entry !== null &&
    typeof entry.hash === "string" &&
    /^0x[0-9a-f]{64}$/.test(entry.hash) &&
    typeof entry.from === "string" &&
    (entry.nonce === null || Number.isSafeInteger(entry.nonce)) &&
    Number.isSafeInteger(entry.block) &&
    Number.isSafeInteger(entry.chainId) &&
    typeof entry.flow === "string" &&
    typeof entry.step === "string" &&
    typeof entry.transaction === "object" &&
    entry.transaction !== null
  );
}
