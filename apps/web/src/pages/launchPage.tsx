import { useNavigate } from "@tanstack/react-router";
import { LaunchForm } from "../features/launch/launchForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { PageHead } from "../ui/pageHead.tsx";

/** A new launch. */
export function LaunchPage() {
  const { launch: text } = useMessages();
  const navigate = useNavigate();
  return (
    <div className="page max-w-2xl pb-6">
      <PageHead title={text.title} lead={text.lead} />
      <LaunchForm onStored={(draft) => void navigate({ to: "/launch/$draft", params: { draft } })} />
    </div>
  );
}
