import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { readOptions } from "../data/queries.ts";
import { toFields } from "../features/business/businessFields.ts";
import { BusinessForm } from "../features/business/businessForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";
import { SignInFirst } from "../session/signInFirst.tsx";
import { Button, buttonClasses } from "../ui/button.tsx";
import { EmptyState } from "../ui/emptyState.tsx";
import { ErrorNote } from "../ui/errorNote.tsx";
import { PageHead } from "../ui/pageHead.tsx";
import { Skeleton } from "../ui/skeleton.tsx";

const route = getRouteApi("/business/$id/edit");

/** The form of an existing listing. */
export function BusinessEditPage() {
  const { business: text } = useMessages();
  const { id } = route.useParams();
  return (
    <div className="page max-w-3xl pb-10">
      <PageHead title={text.editTitle} />
      <SignInFirst action={text.signInToEdit}>
        <EditForm key={id} id={id} />
      </SignInFirst>
    </div>
  );
}

function EditForm({ id }: { id: string }) {
  const { business: text } = useMessages();
  const { api } = useServices();
  const navigate = useNavigate();
  const { data, error, isFetching, refetch } = useQuery(readOptions("listOwnBusinesses", undefined));
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-screen w-full rounded-md" />
    ) : (
      <ErrorNote error={error} onRetry={() => void refetch()} busy={isFetching} />
    );
  const own = data.items.find(({ business }) => business.id === id);
  if (own === undefined)
    return (
      <EmptyState
        text={
          <>
            <strong className="block text-ink">{text.notYours}</strong>
            {text.notYoursBody}
          </>
        }
        action={
          <Link to="/account/{-$section}" params={{ section: "listings" }} className={buttonClasses()}>
            {text.toListings}
          </Link>
        }
      />
    );
  return (
    <BusinessForm
      start={toFields(own.business)}
      picture={own.business.image?.urls?.["256"]}
      store={(input) => api.replaceBusiness({ id, ...input }, { ifMatch: own.etag })}
      onStored={() => void navigate({ to: "/business/$id", params: { id } })}
      button={(send, busy) => (
        <Button variant="primary" size="lg" busy={busy} onClick={send}>
          {text.save}
        </Button>
      )}
    />
  );
}
