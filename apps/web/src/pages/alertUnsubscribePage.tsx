import { TicketForm } from "../features/alerts/ticketForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { useServices } from "../session/services.tsx";

/** The page of a mail link that ends the alerts to an address. */
export function AlertUnsubscribePage() {
  const { alerts: text } = useMessages();
  const { api } = useServices();
  return (
    <TicketForm
      title={text.unsubscribeTitle}
      body={text.unsubscribeBody}
      button={text.unsubscribe}
      done={text.unsubscribed}
      refused={text.unsubscribeRefused}
      post={(ticket) => api.unsubscribeAlertAddress({ ticket })}
    />
  );
}
