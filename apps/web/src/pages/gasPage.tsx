import { TopUpBox } from "../features/gas/topUpBox.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { PageHead } from "../ui/pageHead.tsx";

/** Enough gas for a launch, the most expensive transaction. */
const gasLimit = 6_000_000n;

/** The gas station as a page of its own. */
export function GasPage() {
  const { gas: text } = useMessages();
  return (
    <div className="page max-w-xl pb-6">
      <PageHead title={text.title} lead={text.lead} />
      <TopUpBox gasLimit={gasLimit} isTitled={false} />
    </div>
  );
}
