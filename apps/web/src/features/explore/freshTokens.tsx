import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLiveMessages } from "../../live/liveContext.tsx";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";

/** Counts launches since the list was read. A button shows them, so that rows do not move on their own. */
export function FreshTokens() {
  const { explore } = useMessages();
  const client = useQueryClient();
  const [count, setCount] = useState(0);
  useLiveMessages((message) => {
    if (message.type === "launch") setCount((known) => known + 1);
  });
  const show = () => {
    setCount(0);
    void client.invalidateQueries({ queryKey: ["listTokens"] });
  };
  return (
    <div role="status">
      {count === 0 ? null : (
        <Button size="sm" variant="secondary" onClick={show} className="text-accent">
          {explore.fresh(count)} · {explore.freshAction}
        </Button>
      )}
    </div>
  );
}
