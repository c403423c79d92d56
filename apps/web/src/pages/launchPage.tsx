import { useNavigate } from "@tanstack/react-router";
import { LaunchForm } from "../features/launch/launchForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { usePageTitle } from "../ui/usePageTitle.ts";

/** A new launch. */
export function LaunchPage() {
  const { launch: text } = useMessages();
  const navigate = useNavigate();
  usePageTitle(text.title);
  return (
    <div className="page max-w-2xl py-6">
      <h1 className="text-xl font-bold">{text.title}</h1>
      <p className="mt-1 mb-6 text-muted">{text.lead}</p>
      <LaunchForm onStored={(draft) => void navigate({ to: "/launch/$draft", params: { draft } })} />
    </div>
  );
}
