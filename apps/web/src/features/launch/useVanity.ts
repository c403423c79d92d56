import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import type { VanitySalt } from "@slipway/protocol/vanitySearch";
import { useEffect, useState } from "react";
import { useChain, useConnection, useServices } from "../../session/services.tsx";
import { importFile } from "../../ui/importFile.ts";
import type { VanityProgress } from "./searchInWorker.ts";
import { loadVanitySuffix, saveVanitySuffix } from "./vanitySuffix.ts";

export type VanityState =
  | { status: "waiting" }
  | { status: "searching"; progress: VanityProgress | null }
  | { status: "found"; found: VanitySalt }
  | { status: "cancelled" }
  | { status: "failed"; error: unknown };

export type Vanity = {
  /** The wanted last hex digits of the token's address; empty without any. */
  suffix: string;
  state: VanityState;
  cancel(): void;
  searchAgain(): void;
  /** Launches with any address. */
  forget(): void;
};

/**
 * Searches the address of a draft's token as soon as its creator is known, and again after every change of the draft or
 * of the creator.
 *
 * @param isIdle - False while a flow runs: it has its own salt.
 */
export function useVanity({ id, intent, options }: DraftWithOptions, isIdle: boolean): Vanity {
  const { api, storage } = useServices();
  const { address } = useConnection();
  const contracts = useChain()?.contracts ?? null;
  const [suffix, setSuffix] = useState(() => loadVanitySuffix(storage, id));
  const [state, setState] = useState<VanityState>({ status: "waiting" });
  const [search, setSearch] = useState<AbortController | null>(null);
  const [run, setRun] = useState(0);
  const creator = options?.creator?.toLowerCase() ?? address;
  // The initial buy and the sender do not change the address.
  const terms = JSON.stringify([intent, options?.links, options?.banner_uri, options?.partner, creator]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the terms and the run are reasons to search again
  useEffect(() => {
    if (suffix === "" || !isIdle || creator === null || address === null || contracts === null) return;
    const aborter = new AbortController();
    const { signal } = aborter;
    const show = (next: VanityState) => {
      if (!signal.aborted) setState(next);
    };
    setSearch(aborter);
    show({ status: "searching", progress: null });
    const order = { api, draftId: id, creator, wallet: address, contracts, suffix };
    const find = async () => {
      const { findVanity } = await importFile(() => import("./findVanity.ts"));
      return await findVanity(order, (progress) => show({ status: "searching", progress }), signal);
    };
    find().then(
      (found) => show({ status: "found", found }),
      (error: unknown) => show({ status: "failed", error }),
    );
    return () => aborter.abort();
  }, [suffix, isIdle, creator, address, contracts, terms, run]);
  return {
    suffix,
    state,
    cancel: () => {
      search?.abort();
      setState({ status: "cancelled" });
    },
    searchAgain: () => setRun((count) => count + 1),
    forget: () => {
      saveVanitySuffix(storage, id, "");
      setSuffix("");
    },
  };
}
