import { useEffect, useState } from "react";
import { loadPageTexts } from "../messages/messages.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Icon } from "../ui/icon.tsx";
import { lazyPart } from "../ui/lazyPart.tsx";

const SearchDialog = lazyPart(
  () => import("./searchDialog.tsx"),
  (module) => module.SearchDialog,
  loadPageTexts,
);

/** Opens the search over the whole site. The key `/` does the same from anywhere except a field or a dialog. */
export function SearchButton() {
  const { shell } = useMessages();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]")) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-label={shell.search}
        aria-keyshortcuts="/"
        title={shell.search}
        onClick={() => setOpen(true)}
        className="flex size-10 items-center justify-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
      >
        <Icon name="search" size={18} />
      </button>
      {isOpen ? <SearchDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}
