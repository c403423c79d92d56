import { useMutation } from "@tanstack/react-query";
import { toDisplayText } from "../format/displayText.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "../ui/button.tsx";
import { WalletError } from "../wallet/provider.ts";
import { type WatchedToken, watchAsset } from "../wallet/watchAsset.ts";
import { useSender } from "./services.tsx";

/** A button that asks the connected wallet to list a token; nothing without a connected wallet. */
export function AddToWallet({ token }: { token: WatchedToken }) {
  const { wallet: text } = useMessages();
  const sender = useSender();
  const add = useMutation({
    mutationFn: async () => sender !== null && (await watchAsset(sender.provider, token)),
  });
  if (sender === null) return null;
  return (
    <>
      <Button size="sm" busy={add.isPending} onClick={() => add.mutate()}>
        {text.addToken(toDisplayText(token.symbol))}
      </Button>
      <p role="status" className="text-sm text-muted">
        {add.error === null
          ? add.data === true
            ? text.tokenAdded
            : add.data === false
              ? text.tokenNotAdded
              : null
          : explain(add.error, text)}
      </p>
    </>
  );
}

function explain(error: Error, text: ReturnType<typeof useMessages>["wallet"]): string {
  if (error instanceof WalletError && error.fault === "declined") return text.tokenNotAdded;
  if (error instanceof WalletError && error.fault === "busy") return text.busy;
  return text.cannotAddToken;
}
