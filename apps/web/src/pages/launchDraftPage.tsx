import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useRef, useState } from "react";
import { readOptions } from "../data/queries.ts";
import { renderGasHelp } from "../features/gas/gasHelp.tsx";
import { DraftCard } from "../features/launch/draftCard.tsx";
import { saveForm, toForm } from "../features/launch/formState.ts";
import { LaunchReview } from "../features/launch/launchReview.tsx";
import { OpeningReview } from "../features/launch/openingReview.tsx";
import { loadOpeningTerms, saveOpeningTerms } from "../features/launch/openingTerms.ts";
import { loadVanitySuffix } from "../features/launch/vanitySuffix.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useConnection, useServices } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { buttonClasses } from "../ui/button.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

const route = getRouteApi("/launch/$draft");

/** A stored draft: its review and its launch. */
export function LaunchDraftPage() {
  const { launch: text } = useMessages();
  const { draft } = route.useParams();
  return (
    <div className="page max-w-2xl pb-6">
      <SignInFirst action={text.signInToOpen} head={<PageHead title={text.title} />}>
        <Draft id={draft} />
      </SignInFirst>
    </div>
  );
}

function Draft({ id }: { id: string }) {
  const { launch: text } = useMessages();
  const navigate = useNavigate();
  const { address } = useConnection();
  const { journal, storage } = useServices();
  const { data: draft, error, refetch } = useQuery(readOptions("getIntent", { id }));
  // Decided once, so that a launch of this page goes on to its token.
  const wasLaunched = useRef<boolean | null>(null);
  if (draft !== undefined && wasLaunched.current === null)
    wasLaunched.current = draft.launched_token !== null && journal.list(`launch:${id}`).length === 0;
  const launched = wasLaunched.current ? (draft?.launched_token ?? null) : null;
  const symbol = draft?.intent.symbol ?? "";
  const open = useCallback(
    (address: string) => {
      saveForm(storage, null);
      void navigate({ to: "/t/$address", params: { address }, state: { isLaunched: true } });
    },
    [navigate, storage],
  );
  const [terms, setTerms] = useState(() => loadOpeningTerms(storage, id));
  const openOpening = useCallback(
    (address: string) => {
      saveForm(storage, null);
      void navigate({ to: "/opening/$address", params: { address } });
    },
    [navigate, storage],
  );
  const forgetOpening = () => {
    saveOpeningTerms(storage, id, null);
    setTerms(null);
  };
  return (
    <>
      <PageHead
        title={symbol === "" ? text.title : launched === null ? text.reviewTitle(symbol) : text.launchedTitle(symbol)}
        lead={draft && (launched === null ? text.reviewLead : text.launchedLead)}
        actions={
          draft === undefined ? null : launched !== null ? (
            <Link to="/t/$address" params={{ address: launched }} className={buttonClasses("primary")}>
              {text.viewToken}
            </Link>
          ) : (
            <Link
              to="/launch"
              onClick={() => saveForm(storage, toForm(draft, loadVanitySuffix(storage, id)))}
              className="font-semibold text-accent underline underline-offset-4"
            >
              {text.change}
            </Link>
          )
        }
      />
      {draft !== undefined && launched !== null ? (
        <DraftCard draft={draft} own={address} />
      ) : draft !== undefined ? (
        terms === null ? (
          <LaunchReview draft={draft} onLaunched={open} renderGasHelp={renderGasHelp} />
        ) : (
          <OpeningReview draft={draft} terms={terms} onCreated={openOpening} onForget={forgetOpening} />
        )
      ) : error === null ? (
        <Skeleton className="h-64 w-full" />
      ) : "code" in error && error.code === "not_found" ? (
        <Notice tone="warning" title={text.draftGone}>
          {text.draftGoneHelp}
        </Notice>
      ) : (
        <ErrorNote error={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}
