import { TicketForm } from "../features/alerts/ticketForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";

/** The page of a mail link that confirms an address. */
export function AlertConfirmPage() {
  const { alerts: text } = useMessages();
  const { api } = useServices();
  return (
    <TicketForm
      title={text.confirmTitle}
      body={text.confirmBody}
      button={text.confirm}
      done={text.confirmed}
      refused={text.confirmRefused}
      post={(ticket) => api.confirmAlertAddress({ ticket })}
    />
  );
}
