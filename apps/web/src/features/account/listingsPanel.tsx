import type { Business, WebsiteProof } from "@slipway/protocol/businesses";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { readOptions } from "../../data/queries.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";
import { ConfirmButton } from "./confirmButton.tsx";
import { Rows } from "./rows.tsx";

/** The businesses that the account published. */
export function ListingsPanel() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const { data, error, isFetching, refetch } = useQuery(readOptions("listOwnBusinesses", undefined));
  const withdraw = useSignedInChange(
    ({ id, etag }: { id: string; etag: string }) => api.withdrawBusiness({ id }, { ifMatch: etag }),
    ["listOwnBusinesses", "getDirectory"],
  );
  const toProof = ({ website }: Business, proof: WebsiteProof | null) =>
    website === null ? text.proofs.noWebsite : text.proofs[proof?.status ?? "none"];
  if (error !== null && data === undefined)
    return <AccountError error={error} onRetry={() => void refetch()} busy={isFetching} />;
  return (
    <Panel
      title={text.sections.listings}
      flush
      aside={
        <Link to="/business/new" className={buttonClasses("primary", "sm")}>
          {text.listingNew}
        </Link>
      }
    >
      <div className="flex flex-col gap-3 px-4 pb-3">
        <p className="text-sm text-muted">{text.listingsHint}</p>
        {withdraw.error === null ? null : <ErrorNote error={withdraw.error} title={text.changeFailed} />}
      </div>
      <Rows
        label={text.sections.listings}
        rows={data?.items}
        getKey={({ business }) => business.id}
        empty={text.listingsEmpty}
        title={({ business }) => (
          <Link to="/business/$id" params={{ id: business.id }} dir="auto" className="hover:underline">
            {toDisplayText(business.name)}
          </Link>
        )}
        details={({ business, website_proof }) => (
          <>
            <span>{toProof(business, website_proof)}</span>
            <span>
              {text.changed} <Time value={business.updated_at} />
            </span>
          </>
        )}
        action={({ business, etag }) => (
          <>
            <Link to="/business/$id/edit" params={{ id: business.id }} className={buttonClasses("secondary", "sm")}>
              {text.listingEdit}
              <span className="sr-only"> {toDisplayText(business.name)}</span>
            </Link>
            <ConfirmButton
              label={text.listingWithdraw}
              of={toDisplayText(business.name)}
              title={text.withdrawTitle(toDisplayText(business.name))}
              body={text.withdrawBody}
              busy={withdraw.isPending && withdraw.variables.id === business.id}
              onConfirm={() => withdraw.mutate({ id: business.id, etag })}
            />
          </>
        )}
      />
      {withdraw.dialog}
    </Panel>
  );
}
