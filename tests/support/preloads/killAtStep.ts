import { Socket } from "node:net";

/**
 * The process kills itself at a step. Its parent sends the number of the statement to the database or of the request to the
 * chain, counted from then on, before which the process gets SIGKILL. Each of them is one write to the socket of a client.
 */
let remaining = Number.POSITIVE_INFINITY;
process.on("message", (steps: number) => {
  remaining = steps;
});
const step = (socket: Socket & { server?: unknown }) => {
  // A connection that a server accepted has the server as a property.
  if (!socket.server && --remaining === 0) process.kill(process.pid, "SIGKILL");
};

const { _write, _writev } = Socket.prototype;
Socket.prototype._write = function (...parameters) {
  step(this);
  _write.apply(this, parameters);
};
Socket.prototype._writev = function (...parameters) {
  step(this);
  _writev!.apply(this, parameters);
};
