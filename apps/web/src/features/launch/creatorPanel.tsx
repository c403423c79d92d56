import { type ReactNode, useEffect, useId, useState } from "react";
import { timeLocale } from "../../format/locale.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ActionButton } from "../../session/actionButton.tsx";
import { useConnection, useSender, useServices } from "../../session/services.tsx";
import { useOpenConnect } from "../../session/servicesProvider.tsx";
import { Address } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Field, Input, TextArea } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { readsAtomic } from "../../wallet/batch.ts";
import { ask } from "../../wallet/provider.ts";
import { isSignature, type Offer } from "./launchSignature.ts";

/** The kind of the connected account. `isContract`: it has its own code and no key that can create contracts. */
type SenderKind = { address: string; isContract: boolean; isAtomic: boolean };

/** The code prefix of an account that delegates to code (EIP-7702). Its key still sends transactions. */
const delegationPrefix = "0xef0100";

/** Reads the kind of the connected account from the wallet; null until the wallet answers, or if it fails. */
export function useSenderKind(): SenderKind | null {
  const sender = useSender();
  const { timing, batches } = useServices();
  const [kind, setKind] = useState<SenderKind | null>(null);
  useEffect(() => {
    setKind(null);
    if (sender === null) return;
    let isCurrent = true;
    const read = async () => {
      const { address, provider } = sender;
      const code = String(await ask(provider, "eth_getCode", [address, "latest"])).toLowerCase();
      const isContract = code !== "0x" && !code.startsWith(delegationPrefix);
      const isAtomic = isContract && !batches.areRefused() && (await readsAtomic(sender, timing));
      if (isCurrent) setKind({ address, isContract, isAtomic });
    };
    read().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [sender, timing, batches]);
  return kind;
}

export type Way = "own" | "signed";

/** The choice how the creator launches: from its own wallet, or by a signature. */
export function WayChoice({ kind, way, onWay }: { kind: SenderKind; way: Way; onWay: (way: Way) => void }) {
  const { launch: text } = useMessages();
  const name = useId();
  const ways = [
    { value: "own", label: text.wayOwn, hint: kind.isAtomic ? text.wayBatch : text.waySteps },
    { value: "signed", label: text.waySigned, hint: text.waySignedHint },
  ] as const;
  return (
    <section className="panel flex flex-col gap-3 p-4">
      <h2 className="text-base font-bold">{kind.isContract ? text.contractTitle : text.creatorTitle}</h2>
      <p className="text-sm">{kind.isContract ? text.contractLead : text.creatorLead}</p>
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="sr-only">{text.ways}</legend>
        {ways.map(({ value, label, hint }) => (
          <label
            key={value}
            className="flex cursor-pointer gap-3 rounded-sm border border-line p-3 has-checked:border-accent has-checked:bg-sunken"
          >
            <input
              type="radio"
              name={name}
              value={value}
              checked={way === value}
              onChange={() => onWay(value)}
              aria-describedby={`${name}-${value}`}
              className="mt-0.5 size-4 shrink-0 accent-current"
            />
            <span className="min-w-0 text-sm">
              <span className="block font-semibold">{label}</span>
              <span id={`${name}-${value}`} className="block text-muted">
                {hint}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}

/** A button that disconnects the wallet and opens the wallet choice. */
function ConnectOther({ children }: { children: ReactNode }) {
  const { connection } = useConnection();
  const openConnect = useOpenConnect();
  const change = () => {
    connection.disconnect();
    openConnect();
  };
  return (
    <Button variant="primary" size="sm" onClick={change}>
      {children}
    </Button>
  );
}

type SignedProps = { offer: Offer; isCreator: boolean; onForget: () => void; onCancel: () => void };

/** Shows that the creator has signed and another account can send the launch. */
export function SignedNotice({ offer, isCreator, onForget, onCancel }: SignedProps) {
  const { launch: text } = useMessages();
  const until = new Date(Number(offer.typed.message.deadline) * 1_000).toLocaleString(timeLocale, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return (
    <Notice
      live
      tone="success"
      title={text.signedTitle}
      actions={
        <>
          {isCreator ? <ConnectOther>{text.connectOther}</ConnectOther> : null}
          {isCreator ? (
            <Button size="sm" onClick={onCancel}>
              {text.cancelSigned}
            </Button>
          ) : (
            <Button size="sm" onClick={onForget}>
              {text.signAgain}
            </Button>
          )}
        </>
      }
    >
      {isCreator ? `${text.signedBody(until)} ${text.cancelSignedHint}` : text.signedSend(until)}
    </Notice>
  );
}

type MissingProps = {
  creator: string;
  offer: Offer | null;
  error: unknown;
  isAsking: boolean;
  onAsk: () => void;
  onSigned: (signature: string) => void;
};

/** The ways to get the creator's signature, if the creator is not the connected wallet. */
export function MissingSignature({ creator, offer, error, isAsking, onAsk, onSigned }: MissingProps) {
  const { launch: text } = useMessages();
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const content = offer === null ? "" : JSON.stringify(offer.typed, null, 2);
  const take = () => {
    setWrong(!isSignature(typed));
    if (isSignature(typed)) onSigned(typed.trim());
  };
  return (
    <section className="panel flex flex-col gap-3 p-4">
      <h2 className="text-base font-bold">{text.creatorSigns}</h2>
      <p className="text-sm">{text.creatorSignsBody}</p>
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <span className="text-muted">{text.creatorIs}</span> <Address value={creator} copy />
      </p>
      <div>
        <ConnectOther>{text.connectOther}</ConnectOther>
      </div>
      <details open={offer !== null || undefined}>
        <summary className="min-h-8 rounded-sm text-sm font-semibold">{text.signElsewhere}</summary>
        <div className="flex flex-col gap-3 pt-2">
          <p className="text-sm text-muted">{text.signElsewhereHint}</p>
          {error === null || error === undefined ? null : <ErrorNote error={error} onRetry={onAsk} />}
          {offer === null ? (
            <ActionButton variant="secondary" busy={isAsking} onClick={onAsk}>
              {text.prepareTyped}
            </ActionButton>
          ) : (
            <>
              <Field label={text.typed}>
                {(control) => <TextArea {...control} readOnly rows={6} value={content} spellCheck={false} />}
              </Field>
              <span className="self-end">
                <CopyButton text={content} label={text.typed} />
              </span>
              <Field label={text.signature} hint={text.signatureHint} error={isWrong ? text.signatureError : null}>
                {(control) => (
                  <Input
                    {...control}
                    value={typed}
                    placeholder="0x"
                    spellCheck={false}
                    autoComplete="off"
                    onChange={(event) => setTyped(event.target.value)}
                  />
                )}
              </Field>
              <div>
                <Button size="sm" variant="primary" onClick={take}>
                  {text.useSignature}
                </Button>
              </div>
            </>
          )}
        </div>
      </details>
    </section>
  );
}
