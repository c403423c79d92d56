import type { enPages } from "./enPages.ts";
import { account } from "./es/account.ts";
import { alerts } from "./es/alerts.ts";
import { business } from "./es/business.ts";
import { chart } from "./es/chart.ts";
import { directory } from "./es/directory.ts";
import { facts } from "./es/facts.ts";
import { fees } from "./es/fees.ts";
import { forecast } from "./es/forecast.ts";
import { gallery } from "./es/gallery.ts";
import { gas } from "./es/gas.ts";
import { launch } from "./es/launch.ts";
import { markets } from "./es/markets.ts";
import { notFound } from "./es/notFound.ts";
import { opening } from "./es/opening.ts";
import { picture } from "./es/picture.ts";
import { portfolio } from "./es/portfolio.ts";
import { report } from "./es/report.ts";
import { search } from "./es/search.ts";
import { share } from "./es/share.ts";
import { status } from "./es/status.ts";
import { token } from "./es/token.ts";
import { tokenLinks } from "./es/tokenLinks.ts";
import { tokenList } from "./es/tokenList.ts";
import { trade } from "./es/trade.ts";
import { wallet } from "./es/wallet.ts";

/** Texts of all pages except the first one, in Spanish. A missing text is a compile error. */
export const esPages: typeof enPages = {
  account,
  alerts,
  business,
  chart,
  directory,
  facts,
  fees,
  forecast,
  gallery,
  gas,
  launch,
  markets,
  notFound,
  opening,
  picture,
  portfolio,
  report,
  search,
  share,
  status,
  token,
  tokenLinks,
  tokenList,
  trade,
  wallet,
};
