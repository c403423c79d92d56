// Prints what Spectral and the parser of AsyncAPI report of the documents in this folder; exit code 1 if anything.
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";
import spectralCore from "@stoplight/spectral-core";
import parsers from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";

const { Spectral, Document } = spectralCore;
let problems = 0;
const report = (file, { code, path, message }) => {
  problems++;
  console.log(`${file} ${code} ${path.join("/")}: ${message}`);
};

for (const file of ["openapi.json", "openapi-admin.json"]) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, "recommended"]] });
  const results = await spectral.run(new Document(readFileSync(file, "utf8"), parsers.Json, file));
  for (const result of results) report(file, result);
}
const { document, diagnostics } = await new Parser().parse(readFileSync("asyncapi.json", "utf8"));
for (const diagnostic of diagnostics) report("asyncapi.json", diagnostic);
if (document === undefined) problems++;
process.exitCode = problems === 0 ? 0 : 1;
