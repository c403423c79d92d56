import { Link } from "@tanstack/react-router";
import { useMessages } from "../messages/useMessages.ts";
import { SearchButton } from "./searchButton.tsx";
import { ThemeButton } from "./themeButton.tsx";
import { WalletButton } from "./walletButton.tsx";

const linkStyle =
  "flex min-h-10 items-center border-b-2 border-transparent px-2 text-sm sm:px-3 font-semibold whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink";

/** The site's name, its navigation (a separate row on a phone) and the wallet button. */
export function SiteHeader() {
  const { shell } = useMessages();
  return (
    <header className="border-b border-line bg-surface">
      <div className="page flex min-h-14 flex-wrap items-center gap-x-4 pt-2 md:pt-0">
        <Link to="/" className="flex items-center gap-2 text-base font-bold text-ink">
          <img src="/icon.svg" alt="" width={26} height={26} />
          <span className="max-sm:sr-only">{shell.site}</span>
        </Link>
        <nav
          aria-label={shell.navigation}
          className="order-last -mx-2 flex sm:-mx-3 flex-[1_0_100%] overflow-x-auto md:order-none md:mx-0 md:flex-1 md:self-stretch [&>a]:md:min-h-14"
        >
          <Link to="/" activeOptions={{ exact: true, includeSearch: false }} className={linkStyle}>
            {shell.explore}
          </Link>
          <Link to="/gallery" activeOptions={{ includeSearch: false }} className={linkStyle}>
            {shell.gallery}
          </Link>
          <Link to="/directory" activeOptions={{ includeSearch: false }} className={linkStyle}>
            {shell.directory}
          </Link>
          <Link to="/markets" activeOptions={{ includeSearch: false }} className={linkStyle}>
            {shell.markets}
          </Link>
          <Link to="/launch" className={linkStyle}>
            {shell.launchShort}
          </Link>
        </nav>
        <div className="ms-auto flex items-center gap-1 sm:gap-2">
          <SearchButton />
          <ThemeButton />
          <WalletButton />
        </div>
      </div>
    </header>
  );
}
