// Followers of one game, each with a real client that goes on where it was whenever it is cut.
//
// node follow.mjs KIND URL TOKEN GAME FOLLOWERS; prints, once the game is over, what each follower was told.
import { createClient as createEventStream } from 'graphql-sse';
import { createClient as createWebSocket } from 'graphql-ws';

const QUERY = `subscription ($game: ID!, $after: Int) {
  gameUpdates(gameId: $game, after: $after) { version events { version hash } }
}`;
const ALWAYS = 1_000_000;

const [kind, url, token, game, followers] = process.argv.slice(2);
const headers = token === '' ? {} : { Authorization: `Bearer ${token}` };
const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 20));

const clients = {
  ws: () =>
    createWebSocket({
      url,
      connectionParams: headers,
      retryAttempts: ALWAYS,
      retryWait: pause,
      shouldRetry: () => true,
    }),
  sse: () => createEventStream({ url, headers, retryAttempts: ALWAYS, retry: pause }),
};

async function follow() {
  const told = [];
  const asked = { query: QUERY, variables: { game, after: 0 } };
  const client = clients[kind]();
  for (;;) {
    try {
      await new Promise((complete, error) => {
        client.subscribe(asked, {
          next({ data, errors }) {
            if (errors) {
              error(errors);
              return;
            }
            const { version, events } = data.gameUpdates;
            told.push(...events.map((event) => [event.version, event.hash]));
            asked.variables.after = version; // the client asks with this when it connects anew
          },
          error,
          complete,
        });
      });
      return told;
    } catch (failure) {
      if (Array.isArray(failure)) throw new Error(JSON.stringify(failure)); // refused by the server
      await pause(); // the connection failed in a way after which the client does not try again by itself
    }
  }
}

const told = await Promise.all(Array.from({ length: Number(followers) }, follow));
process.stdout.write(JSON.stringify(told), () => process.exit(0));
