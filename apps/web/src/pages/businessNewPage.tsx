import { useNavigate } from "@tanstack/react-router";
import { emptyFields } from "../features/business/businessFields.ts";
import { BusinessForm } from "../features/business/businessForm.tsx";
import { PublishButton } from "../features/business/publishButton.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";
import { PageHead } from "../ui/pageHead.tsx";

/** The form of a new listing. Only publishing requires an account. */
export function BusinessNewPage() {
  const { business: text } = useMessages();
  const { api } = useServices();
  const navigate = useNavigate();
  return (
    <div className="page max-w-3xl pb-10">
      <PageHead title={text.newTitle} lead={text.newLead} />
      <BusinessForm
        start={emptyFields}
        store={(input, idempotencyKey) => api.createBusiness(input, { idempotencyKey })}
        onStored={(id) => void navigate({ to: "/business/$id", params: { id } })}
        button={(send, busy) => <PublishButton send={send} busy={busy} />}
      />
    </div>
  );
}
