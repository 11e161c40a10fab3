// boardgame.io's server with its in-memory storage, and a game with a state like ours in which seats choose in secret.
const { Server } = require("boardgame.io/server");
const { ActivePlayers } = require("boardgame.io/core");

const game = {
  name: "choosing",
  setup: () => ({
    round: 1,
    phase: 1,
    ageRank: [1, 0],
    ships: [0, 0, null, null, null, 36],
    stops: [true, true],
    hands: ["ABCDEF", "GHIJKL"].map((cards) => cards.split("")),
    stacks: ["MN", "OP", "QR", "ST", "UV", "WX"].map((cards) => ({ faceUp: cards[0], faceDown: cards[1], takenBy: null })),
    chosen: [null, null],
    choices: [0, 0],
  }),
  turn: { activePlayers: ActivePlayers.ALL },
  playerView: ({ G, playerID }) => {
    const own = (values) => values.map((value, seat) => (String(seat) === playerID ? value : null));
    return { ...G, hands: own(G.hands), chosen: own(G.chosen) };
  },
  moves: {
    choose: ({ G, playerID }, card, stop) => {
      if (!G.hands[playerID].includes(card)) return "INVALID_MOVE";
      G.chosen[playerID] = { card, stop };
      G.choices[playerID] += 1;
    },
  },
};

Server({ games: [game], origins: ["http://127.0.0.1"] })
  .run({ port: 0 })
  .then(({ appServer }) => console.log(`listening on ${appServer.address().port}`));
