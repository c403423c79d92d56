import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressAssets } from "./build/compressAssets.ts";
import { buildFirstPaint } from "./build/firstPaint.ts";
import { preloadFont } from "./build/preloadFont.ts";

/** The running stack, which `npm run web` uses with hot module replacement. */
const target = process.env.SITE ?? "http://127.0.0.1:8787";
const proxied = ["/api", "/ws", "/docs", "/media", "/feeds", "/og"];

export default defineConfig({
  root: import.meta.dirname,
  resolve: {
    // The shim is for React 17; React has the function itself.
    alias: [
      { find: "use-sync-external-store/shim/with-selector", replacement: "use-sync-external-store/with-selector" },
      { find: /^use-sync-external-store\/shim$/, replacement: "react" },
    ],
  },
  plugins: [react(), tailwindcss(), preloadFont(), compressAssets(), buildFirstPaint()],
  build: {
    target: "es2023",
    manifest: true,
    // The polyfill would call fetch; the target browsers support module preloads.
    modulePreload: {
      polyfill: false,
      // Every page has these files before it imports another one.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === "js" ? files.filter((file) => !/\/(base|main|rolldown-runtime)-[^/]+\.js$/.test(file)) : files,
    },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Code that every page needs: one file compresses better than twenty and needs one request. Paged lists and
            // mutations load with the pages that use them.
            {
              name: "base",
              test: /node_modules\/(?!@tanstack\/[\w-]+\/.*([mM]utation|infiniteQueryObserver|useInfiniteQuery))(react|react-dom|scheduler|@tanstack\/(react-router|router-core|history|store|react-store|react-query|query-core))\/|apps\/web\/src\/(wallet\/(provider|network)\.|session\/services\.|format\/(figures|formats|locale|once|price|time|displayText)\.|data\/(api|queries|tokenQueries|isOlder|getImageUrl|awaitsPicture|exploreSearch)|features\/explore\/columnChoice|live\/pageEvents\.|ui\/(button|errorBoundary|errorNote|field|icon|importFile|lazyPart|notice|skeleton|price|percent|time|figure|dataTable|searchField|segments|avatar|usePageTitle|waterline)\.)|packages\/sdk\/src\/(apiError|createCall|createLazyClient)|packages\/protocol\/src\/startEndpoints/,
            },
            // Code that most other pages need, for the same reason. This group and the next ones contain only the named files,
            // not their dependencies, which pages would load without a need.
            {
              name: "parts",
              includeDependenciesRecursively: false,
              test: /apps\/web\/src\/(data\/linkNames\.|format\/(amount|links|share)\.|features\/gas\/gasHelp\.|pages\/notFoundPage\.|ui\/(address|amount|candleTable|copyButton|emptyState|externalLink|moreButton|moreRows|pageHead|panel|splitBar|tabs|tradeSide)\.)|packages\/protocol\/src\/searchLimits\.|node_modules\/@tanstack\/.*[iI]nfiniteQuery(Observer)?\./,
            },
            // Code of pages and parts with which a person changes something: fields, mutations, the sign-in.
            {
              name: "forms",
              includeDependenciesRecursively: false,
              test: /apps\/web\/src\/(features\/report\/reportButton\.|session\/(actionButton|lazySignInDialog|repeatAfterSignIn|signInFirst|signInRefused|signInStep|useAccount|useSignInThen|useSignedInChange|useSwitchNetwork)\.|ui\/(amountField|quoteBar|select|useFieldFaults)\.)|node_modules\/@tanstack\/.*[mM]utation\w*\./,
            },
            // Code of every transaction: steps, balances, amounts.
            {
              name: "signing",
              includeDependenciesRecursively: false,
              test: /apps\/web\/src\/(features\/trade\/estimateSwap\.|session\/(flowSteps|sponsorNote|useBalances|useFlow)\.|ui\/stepList\.|wallet\/(flow|runSteps|send)\.)|packages\/protocol\/src\/poolMath\./,
            },
            // The panels of a token's page.
            {
              name: "tokenPanels",
              includeDependenciesRecursively: false,
              test: /apps\/web\/src\/features\/token\/(aboutPanel|feesPanel|recipientsPanel|tradeFilters|tradeTape|trustPanel)\./,
            },
          ],
        },
      },
    },
  },
  server: {
    port: Number(process.env.WEB_PORT ?? 5173),
    strictPort: true,
    proxy: Object.fromEntries(proxied.map((path) => [path, { target, ws: path === "/api" || path === "/ws" }])),
  },
});
