import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";

type NoTokensProps = { text: string; isFiltered: boolean; onClear: () => void };

/** Why the list has no tokens, and the next step. */
export function NoTokens({ text, isFiltered, onClear }: NoTokensProps): ReactNode {
  const { explore, shell, tokenList } = useMessages();
  if (text === "" && isFiltered) return tokenList.noFiltered;
  return (
    <div className="flex flex-col items-center gap-4">
      <p>{text === "" ? explore.newestEmpty : tokenList.noMatch(text)}</p>
      {text === "" ? (
        <Link to="/launch" className={buttonClasses("primary")}>
          {shell.launch}
        </Link>
      ) : (
        <Button onClick={onClear}>{tokenList.clear}</Button>
      )}
    </div>
  );
}
