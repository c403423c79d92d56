// Serves an embedded ClickHouse (chDB) with the part of ClickHouse's HTTP interface that the service uses: a statement
// as the body, or an insert as the parameter `query` with rows in RowBinary as the body.
// Arguments: the folder of the package chdb, and a folder for data.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, data] = process.argv.slice(2);
const { Session } = createRequire(join(packages, "package.json"))("chdb");
const session = new Session(join(data, "store"));
const uploads = mkdtempSync(join(data, "uploads-"));
let uploaded = 0;

/** The library takes a statement as text, so rows are inserted from a file. */
async function insert(statement, rows) {
  const [, table] = /^insert into (\w+\.\w+) format RowBinary$/.exec(statement) ?? [];
  if (table === undefined) throw new Error("Code: 62. Syntax error");
  const file = join(uploads, String(uploaded++));
  writeFileSync(file, rows);
  const structure = (await session.queryAsync(`describe table ${table}`, { format: "TSV" })).text();
  const columns = structure
    .trim()
    .split("\n")
    .map((line) => line.split("\t").slice(0, 2).join(" "));
  await session.queryAsync(`insert into ${table} select * from file('${file}', RowBinary, '${columns.join(", ")}')`);
  rmSync(file);
}

let queue = Promise.resolve();
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const parameters = new URL(request.url, "http://localhost").searchParams;
  const run = async () => {
    if (request.headers["x-clickhouse-key"] !== "secret") return [403, Buffer.from("Code: 516. Authentication failed")];
    try {
      const statement = parameters.get("query");
      if (statement !== null) {
        await insert(statement, body);
        return [200, Buffer.alloc(0)];
      }
      const result = await session.queryAsync(body.toString(), { format: parameters.get("default_format") ?? "TSV" });
      return [200, Buffer.from(result.bytes())];
    } catch (error) {
      process.stderr.write(`${error.message}\n`);
      return [500, Buffer.from(`Code: ${error.message}`)];
    }
  };
  const result = queue.then(run);
  queue = result.catch(() => undefined);
  const [status, bytes] = await result;
  response.writeHead(status).end(bytes);
});
server.listen(Number(process.env.CHDB_PORT ?? 0), "127.0.0.1", () =>
  process.stdout.write(`${server.address().port}\n`),
);
