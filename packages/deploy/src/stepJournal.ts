import { z } from "zod";

const hex = z.templateLiteral(["0x", z.string().regex(/^[0-9a-fA-F]*$/)]);

/**
 * What is known of a step before it is sent. `attempts` are signed transactions of the same nonce, so that at most one
 * of them is ever mined; the last is the one to send. `address` is where a creation puts its contract.
 */
export const stepRecord = z.strictObject({
  nonce: z.int().nonnegative(),
  payload_hash: hex,
  address: hex.nullable(),
  attempts: z.array(z.strictObject({ tx_hash: hex, raw: hex, max_fee_per_gas: z.string().regex(/^\d+$/) })).min(1),
});

export type StepRecord = z.infer<typeof stepRecord>;

/** Where steps are written down before they are sent. `write` has reached the disk when it returns. */
export type StepJournal = {
  read(step: string): StepRecord | undefined;
  write(step: string, record: StepRecord): void;
  remove(step: string): void;
};

/** A journal that dies with the process: for local chains. */
export function createMemoryJournal(): StepJournal {
  const records = new Map<string, StepRecord>();
  return {
    read: (step) => records.get(step),
    write: (step, record) => void records.set(step, record),
    remove: (step) => void records.delete(step),
  };
}
