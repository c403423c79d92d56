import { Link } from "@tanstack/react-router";
import { useMessages } from "../messages/useMessages.ts";

export function SiteFooter() {
  const { shell } = useMessages();
  return (
    <footer className="mt-12 border-t border-line">
      <div className="page flex flex-wrap items-center gap-x-6 gap-y-2 py-6 text-sm text-muted">
        <p className="min-w-0 flex-1 basis-64">{shell.footer}</p>
        <nav aria-label={shell.footerNavigation} className="flex gap-6">
          <Link to="/status" className="underline underline-offset-4 hover:text-ink">
            {shell.status}
          </Link>
          <a href="/guides" className="underline underline-offset-4 hover:text-ink">
            {shell.guides}
          </a>
          <a href="/docs" className="underline underline-offset-4 hover:text-ink">
            {shell.reference}
          </a>
        </nav>
      </div>
    </footer>
  );
}
