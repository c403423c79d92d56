import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { pageOptions } from "../data/queries.ts";
import { toDisplayText } from "../format/displayText.ts";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { Button, buttonClasses } from "../ui/button.tsx";
import { DataTable } from "../ui/dataTable.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Time } from "../ui/time.tsx";

/** The drafts of the account. */
export function DraftsPage() {
  const { launch: text } = useMessages();
  return (
    <div className="page max-w-3xl pb-6">
      <PageHead
        title={text.draftsTitle}
        actions={
          <Link to="/launch" className={buttonClasses("primary")}>
            {text.draftsNew}
          </Link>
        }
      />
      <SignInFirst action={text.draftsSignIn}>
        <Drafts />
      </SignInFirst>
    </div>
  );
}

/** Explains drafts and links to the launch form. */
function NoDrafts() {
  const { launch: text } = useMessages();
  return (
    <div className="flex flex-col items-center gap-4">
      <p className="max-w-md">{text.draftsEmpty}</p>
      <Link to="/launch" className={buttonClasses("primary")}>
        {text.draftsFirst}
      </Link>
    </div>
  );
}

function Drafts() {
  const { launch: text } = useMessages();
  const { api } = useServices();
  const client = useQueryClient();
  const drafts = useInfiniteQuery(pageOptions("listIntents", undefined));
  const remove = useMutation({
    mutationFn: (id: string) => api.deleteIntent({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: ["listIntents"] }),
  });
  const error = drafts.error === null ? null : <ErrorNote error={drafts.error} onRetry={() => void drafts.refetch()} />;
  if (error !== null && drafts.data === undefined) return error;
  return (
    <div className="flex flex-col gap-4">
      {error}
      {remove.error === null ? null : <ErrorNote error={remove.error} />}
      <div className="panel">
        <DataTable
          caption={text.draftsTitle}
          rows={drafts.data?.pages.flatMap(({ items }) => items)}
          getKey={({ id }) => id}
          skeletonRows={3}
          empty={<NoDrafts />}
          columns={[
            {
              key: "token",
              header: text.draftsColumns.token,
              render: ({ id, intent }) => (
                <Link
                  to="/launch/$draft"
                  params={{ draft: id }}
                  className="font-semibold wrap-anywhere hover:underline"
                >
                  <bdi>{toDisplayText(intent.name)}</bdi>{" "}
                  <bdi className="text-muted">{toDisplayText(intent.symbol)}</bdi>
                </Link>
              ),
            },
            {
              key: "created",
              header: text.draftsColumns.created,
              priority: "sm",
              render: ({ created_at }) => <Time value={created_at} />,
            },
            {
              key: "action",
              header: <span className="sr-only">{text.draftsColumns.action}</span>,
              numeric: true,
              render: ({ id, intent, launched_token: token }) => (
                <span className="inline-flex flex-wrap items-center justify-end gap-2">
                  {token === null ? (
                    <Link to="/launch/$draft" params={{ draft: id }} className={buttonClasses("secondary", "sm")}>
                      {text.draftsContinue}
                      <span className="sr-only"> {intent.symbol}</span>
                    </Link>
                  ) : (
                    <>
                      <span className="font-semibold text-buy">{text.draftsLaunched}</span>
                      <Link to="/t/$address" params={{ address: token }} className={buttonClasses("secondary", "sm")}>
                        {text.viewToken}
                        <span className="sr-only"> {intent.symbol}</span>
                      </Link>
                    </>
                  )}
                  <Button
                    size="sm"
                    variant="quiet"
                    busy={remove.isPending && remove.variables === id}
                    onClick={() => remove.mutate(id)}
                  >
                    {text.draftsDelete}
                    <span className="sr-only"> {intent.symbol}</span>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      </div>
      {drafts.hasNextPage ? (
        <Button busy={drafts.isFetchingNextPage} onClick={() => void drafts.fetchNextPage()}>
          {text.draftsMore}
        </Button>
      ) : null}
    </div>
  );
}
