import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** An answer as received over the wire. */
export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** A connection that sends only what the test sends. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Returns all received data until the server closes the connection. */
export async function untilClosed(socket: Socket): Promise<string> {
  let received = "";
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
  });
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return received;
}

/** Sends raw bytes and returns all received data until the server closes the connection. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = await openSocket(port);
  const answer = untilClosed(socket);
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  return await answer;
}

/** Statuses of answers that never have a body (RFC 9112, 6.3). */
const isWithoutBody = (status: number) => status < 200 || status === 204 || status === 304;

/** Parses the answers of a server; each answer that may have a body must declare its length. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) throw new Error(`half an answer: ${JSON.stringify(rest)}`);
    const [first, ...lines] = rest.slice(0, end).split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first!)?.[1]);
    const said = isWithoutBody(status) ? "0" : headers["content-length"];
    if (!/^\d+$/.test(said ?? "")) throw new Error(`no length: ${JSON.stringify(rest)}`);
    const length = Number(said);
    answers.push({
      status,
      headers,
      body: rest.slice(end + 4, end + 4 + length),
    });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}
