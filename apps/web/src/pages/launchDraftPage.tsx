import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useCallback } from "react";
import { readOptions } from "../data/queries.ts";
import { saveForm, toForm } from "../features/launch/formState.ts";
import { LaunchReview } from "../features/launch/launchReview.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { SignInFirst } from "../session/signInFirst.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { usePageTitle } from "../ui/usePageTitle.ts";

/** A stored draft: its review, and its launch. */
export function LaunchDraftPage() {
  const { launch: text } = useMessages();
  const { draft = "" } = useParams({ strict: false });
  return (
    <div className="page max-w-2xl py-6">
      <SignInFirst action={text.signInToOpen}>
        <Draft id={draft} />
      </SignInFirst>
    </div>
  );
}

function Draft({ id }: { id: string }) {
  const { launch: text } = useMessages();
  const navigate = useNavigate();
  const { data: draft, error, refetch } = useQuery(readOptions("getIntent", { id }));
  const symbol = draft?.intent.symbol ?? "";
  usePageTitle(symbol === "" ? text.title : text.reviewTitle(symbol));
  const open = useCallback(
    (address: string) => {
      saveForm(localStorage, null);
      void navigate({ to: "/t/$address", params: { address } });
    },
    [navigate],
  );
  if (error !== null && "code" in error && error.code === "not_found")
    return (
      <Notice tone="warning" title={text.draftGone}>
        {text.draftGoneHelp}
      </Notice>
    );
  if (error !== null) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (draft === undefined) return <Skeleton className="h-64 w-full" />;
  return (
    <>
      <h1 className="text-xl font-bold">{text.reviewTitle(symbol)}</h1>
      <p className="mt-1 mb-6 flex flex-wrap justify-between gap-2 text-muted">
        {text.reviewLead}
        <Link
          to="/launch"
          onClick={() => saveForm(localStorage, toForm(draft))}
          className="font-semibold text-accent underline underline-offset-4"
        >
          {text.change}
        </Link>
      </p>
      <LaunchReview draft={draft} onLaunched={open} />
    </>
  );
}
