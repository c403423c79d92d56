import { useQuery } from "@tanstack/react-query";
import { useMessages } from "../messages/useMessages.ts";
import { Notice } from "../ui/notice.tsx";
import { readsSponsored } from "../wallet/batch.ts";
import { useConnection, useSender, useServices } from "./services.tsx";

/**
 * Shows before a flow starts that the operator's paymaster can pay the network fee of a batch: if the deployment has a
 * paymaster and the connected wallet supports paymasters on this chain. Otherwise shows nothing.
 */
export function SponsorNote() {
  const { wallet: text } = useMessages();
  const { timing, batches } = useServices();
  const sender = useSender();
  const { walletId, chainId } = useConnection();
  const { data } = useQuery({
    queryKey: ["sponsored", walletId, sender?.address, sender?.chain, chainId],
    queryFn: () => (sender === null ? false : readsSponsored(sender, timing)),
    enabled: sender?.chain.paymasterUrl != null && !batches.areRefused(),
    // Not cached: the settings of the wallet can change.
    gcTime: 0,
    staleTime: 0,
  });
  return data === true ? <Notice live>{text.sponsored}</Notice> : null;
}
