import { TopUpBox } from "../features/gas/topUpBox.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { usePageTitle } from "../ui/usePageTitle.ts";

/** Enough for a launch, which needs the most of all transactions. */
const gasLimit = 6_000_000n;

/** The exchange of the gas station by itself. */
export function GasPage() {
  const { gas: text } = useMessages();
  usePageTitle(text.title);
  return (
    <div className="page max-w-xl py-6">
      <h1 className="text-xl font-bold">{text.title}</h1>
      <p className="mt-1 mb-6 text-muted">{text.lead}</p>
      <TopUpBox gasLimit={gasLimit} />
    </div>
  );
}
