import { TopUpBox } from "../features/gas/topUpBox.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { PageHead } from "../ui/pageHead.tsx";

/** Enough for a launch, which needs the most of all transactions. */
const gasLimit = 6_000_000n;

/** The exchange of the gas station by itself. */
export function GasPage() {
  const { gas: text } = useMessages();
  return (
    <div className="page max-w-xl pb-6">
      <PageHead title={text.title} lead={text.lead} />
      <TopUpBox gasLimit={gasLimit} isTitled={false} />
    </div>
  );
}
