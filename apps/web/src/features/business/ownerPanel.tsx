import type { WebsiteProof } from "@slipway/protocol/businesses";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices, useSession } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice, type NoticeTone } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";

/** Milliseconds between reads while a website check is pending. */
const pendingMs = 15_000;
const tones: Readonly<Record<WebsiteProof["status"], NoticeTone>> = {
  pending: "info",
  verified: "success",
  failed: "warning",
};

/** The owner's part of a listing's page: the edit link and the website proof. */
export function OwnerPanel({ id }: { id: string }) {
  const { business: text } = useMessages();
  const { status } = useSession();
  const { api } = useServices();
  const { data } = useQuery({
    ...readOptions("listOwnBusinesses", undefined),
    enabled: status === "signed_in",
    refetchInterval: ({ state }) => {
      const proof = state.data?.items.find(({ business }) => business.id === id)?.website_proof;
      return proof?.status === "pending" ? pendingMs : false;
    },
  });
  const prove = useSignedInChange(() => api.proveWebsite({ id }), ["listOwnBusinesses", "getBusiness"]);
  const own = status === "signed_in" ? data?.items.find(({ business }) => business.id === id) : undefined;
  if (own === undefined) return null;
  const { website } = own.business;
  const proof = own.website_proof;
  return (
    <Panel
      title={text.owner}
      aside={
        <Link to="/business/$id/edit" params={{ id }} className={buttonClasses("secondary", "sm")}>
          {text.edit}
        </Link>
      }
    >
      <div className="flex flex-col items-start gap-3 text-sm">
        <h3 className="font-semibold">{text.proof}</h3>
        <p className="text-muted">
          {website === null ? text.proofNoWebsite : text.proofHint(toDisplayText(URL.parse(website)?.host ?? website))}
        </p>
        {proof === null ? null : (
          <>
            <dl className="w-full divide-y divide-line rounded-sm border border-line bg-sunken px-3">
              <Copied name={text.code} value={proof.code} />
              <Copied name={text.fileUrl} value={proof.file_url} />
              {proof.dns_name === null ? null : <Copied name={text.dnsName} value={proof.dns_name} />}
            </dl>
            <Notice live tone={tones[proof.status]} className="w-full">
              {text.proofStatus[proof.status]}
              {proof.reason === null ? null : (
                <span className="block">
                  {text.proofReason(text.proofReasons[proof.reason] ?? toDisplayText(proof.reason))}
                </span>
              )}
            </Notice>
          </>
        )}
        {prove.error === null ? null : <ErrorNote error={prove.error} className="w-full" />}
        {website === null ? null : (
          <Button busy={prove.isPending} onClick={() => prove.mutate(undefined)}>
            {proof === null ? text.getCode : text.checkAgain}
          </Button>
        )}
      </div>
      {prove.dialog}
    </Panel>
  );
}

const Copied = ({ name, value }: { name: string; value: string }) => (
  <div className="grid items-center gap-x-3 py-1.5 sm:grid-cols-[10rem_minmax(0,1fr)]">
    <dt className="text-muted">{name}</dt>
    <dd className="flex min-w-0 items-center justify-between gap-3">
      <code className="min-w-0 break-all">{toDisplayText(value)}</code>
      <CopyButton text={value} label={name} />
    </dd>
  </div>
);
