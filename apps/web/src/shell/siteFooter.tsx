import { Link } from "@tanstack/react-router";
import { chooseLanguage, language } from "../format/locale.ts";
import { useMessages } from "../messages/useMessages.ts";

export function SiteFooter() {
  const { shell } = useMessages();
  const other = language === "en" ? "es" : "en";
  return (
    <footer className="mt-12 border-t border-line">
      <div className="page flex flex-wrap items-center gap-x-6 gap-y-2 py-6 text-sm text-muted">
        <p className="min-w-0 flex-1 basis-64">{shell.footer}</p>
        <nav aria-label={shell.footerNavigation} className="flex flex-wrap gap-x-6 gap-y-2">
          <Link to="/openings" className="underline underline-offset-4 hover:text-ink">
            {shell.openings}
          </Link>
          <Link to="/status" className="underline underline-offset-4 hover:text-ink">
            {shell.status}
          </Link>
          <a
            href={language === "en" ? "/guides" : `/guides/${language}`}
            className="underline underline-offset-4 hover:text-ink"
          >
            {shell.guides}
          </a>
          <a href="/docs" className="underline underline-offset-4 hover:text-ink">
            {shell.reference}
          </a>
          <button
            type="button"
            lang={other}
            onClick={() => chooseLanguage(other)}
            className="underline underline-offset-4 hover:text-ink"
          >
            {shell.otherLanguage}
          </button>
        </nav>
      </div>
    </footer>
  );
}
