// Clients that move as fast as they are answered, each in a match of its own: node clients.cjs '{"port", "clients", "seconds"}'
const { io } = require("socket.io-client");

const { port, clients, seconds } = JSON.parse(process.argv[2]);
const seat = "0";
let moves = 0;
let moving = false;

// One seat of one match; gives what makes its first move.
function sitting(nth) {
  const match = `match-${process.pid}-${nth}`;
  const socket = io(`http://127.0.0.1:${port}/choosing`, { transports: ["websocket"], forceNew: true });
  const move = (version) => {
    const choice = { type: "choose", args: ["ABCDEF"[version % 6], "NEVER"], playerID: seat };
    socket.emit("update", { type: "MAKE_MOVE", payload: choice }, version, match, seat);
  };
  socket.on("update", (_match, state) => {
    if (!moving) return;
    moves += 1;
    move(state._stateID);
  });
  return new Promise((ready) => {
    socket.once("sync", (_match, { state }) => ready(() => move(state._stateID)));
    socket.once("connect", () => socket.emit("sync", match, seat, undefined, 2));
  });
}

Promise.all(Array.from({ length: clients }, (_, nth) => sitting(nth))).then((starts) => {
  moving = true;
  const [began, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
  for (const start of starts) start();
  setTimeout(() => {
    const used = process.cpuUsage(cpu);
    const elapsed = Number(process.hrtime.bigint() - began) / 1e9;
    console.log(JSON.stringify({ turns: moves, seconds: elapsed, client_cpu: (used.user + used.system) / 1e6 }));
    process.exit(0);
  }, seconds * 1000);
});
