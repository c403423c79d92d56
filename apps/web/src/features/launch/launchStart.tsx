import type { DraftWithOptions } from "@slipway/protocol/launchOptions";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { FlowSteps } from "../../session/flowSteps.tsx";
import { useChain, useConnection, useServices } from "../../session/services.tsx";
import type { RunningFlow } from "../../session/useFlow.ts";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { MissingSignature, SignedNotice, useSenderKind, type Way, WayChoice } from "./creatorPanel.tsx";
import { createLaunchFlow } from "./launchFlow.ts";
import {
  askOffer,
  createCancellationFlow,
  createSignatureFlow,
  loadOffer,
  type Offer,
  saveOffer,
  toSigned,
} from "./launchSignature.ts";
import type { Vanity } from "./useVanity.ts";

type LaunchStartProps = {
  draft: DraftWithOptions;
  running: RunningFlow;
  /** Whether the running flow is the creator's signature or its cancellation, and not the launch. */
  isSigning: boolean;
  /** The search for the token's address, which ends before the launch. */
  vanity: Vanity;
};

/**
 * Starts the launch of a draft: the connected account launches as the creator, sends a launch that the creator signed,
 * or requests the creator's signature. A text above the button explains the next action.
 */
export function LaunchStart({ draft, running, isSigning, vanity: { suffix, state } }: LaunchStartProps) {
  const { launch: text } = useMessages();
  const services = useServices();
  const { api, storage } = services;
  const { address } = useConnection();
  const chain = useChain();
  const client = useQueryClient();
  const kind = useSenderKind();
  const [way, setWay] = useState<Way>("own");
  const [kept, setOffer] = useState<Offer | null>(() => loadOffer(storage, draft.id, new Date()));
  const { id, options } = draft;
  const vanity = suffix !== "" && state.status === "found" ? state.found : null;
  const isSearching = suffix !== "" && vanity === null;
  // A signature over another salt launches a token with another address.
  const offer = kept !== null && (vanity === null || kept.typed.message.params.salt === vanity.salt) ? kept : null;
  const creator = options?.creator?.toLowerCase() ?? null;
  const isCreator = creator === null || creator === address;

  const keep = (next: Offer | null) => {
    saveOffer(storage, id, next);
    setOffer(next);
  };
  const toParts = (of: DraftWithOptions, by: string) => ({
    ...services,
    draft: of,
    creator: by,
    contracts: chain!.contracts,
    vanity,
  });
  const ask = useMutation({
    mutationFn: () => askOffer(toParts(draft, creator ?? ""), new AbortController().signal),
    onSuccess: keep,
  });
  /** Stores the creator in the draft first: without a creator, the service returns nothing to sign. */
  const sign = useMutation({
    mutationFn: async (by: string) => {
      const named = creator === by ? draft : await api.putIntentOptions({ id, ...options, creator: by });
      client.setQueryData(readOptions("getIntent", { id }).queryKey, named);
      await running.start(createSignatureFlow({ ...toParts(named, by), onSigned: keep }));
    },
  });
  const signed = offer === null ? null : toSigned(offer);
  const cancel = () => {
    if (address === null || chain === null) return;
    const { contracts } = chain;
    void running.start(createCancellationFlow({ api, wallet: address, contracts, onCancelled: () => keep(null) }));
  };
  const launch = (wallet: string) => {
    const isSent = signed !== null && wallet !== signed.creator;
    void running.start(createLaunchFlow({ ...services, draft, wallet, signed: isSent ? signed : null, vanity }));
  };

  if (running.flow !== null && isSigning && running.state.phase !== "done")
    return (
      <section className="panel flex flex-col gap-4 p-4">
        <FlowSteps {...running} onRestart={running.clear} />
      </section>
    );
  if (running.flow !== null && !isSigning) return null;
  const canChoose = address !== null && isCreator && kind !== null && (kind.isContract || creator === address);
  const isMissing = address !== null && !isCreator && signed === null;
  if (isSearching)
    return (
      <ActionButton disabled onClick={() => {}}>
        {text.launchNow(draft.intent.symbol)}
      </ActionButton>
    );
  const isWaiting = signed !== null && isCreator && way === "signed";
  return (
    <>
      {canChoose ? <WayChoice {...{ kind, way }} onWay={setWay} /> : null}
      {offer !== null && signed !== null && (isWaiting || !isCreator) ? (
        <SignedNotice {...{ offer, isCreator }} onForget={() => keep(null)} onCancel={cancel} />
      ) : null}
      {isMissing ? (
        <MissingSignature
          {...{ creator, offer }}
          error={ask.error}
          isAsking={ask.isPending}
          onAsk={() => ask.mutate()}
          onSigned={(signature) => offer !== null && keep({ ...offer, signature })}
        />
      ) : null}
      {sign.error === null ? null : <ErrorNote error={sign.error} title={text.signLaunch} />}
      {isMissing || isWaiting ? null : canChoose && way === "signed" ? (
        <ActionButton busy={sign.isPending} onClick={() => sign.mutate(address)}>
          {text.signLaunch}
        </ActionButton>
      ) : (
        <ActionButton onClick={() => address !== null && launch(address)}>
          {text.launchNow(draft.intent.symbol)}
        </ActionButton>
      )}
    </>
  );
}
