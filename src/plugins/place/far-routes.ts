// What home can ask of a host in a place: one row per route. The host's handlers and home's client are typed by these rows, and both
// check what arrives against them.
import type * as z from 'zod/mini'
import type { AnswerIn, AskIn, BodyIn, TableOf } from '../../http/route-client.ts'
import type { Method, TypedShape } from '../../http/route-table.ts'
import {
  attachmentRequest,
  checkoutRequest,
  commandsAnswer,
  commandsRequest,
  farLaunch,
  farLaunched,
  filesRequest,
  gateCheckout,
  gateCommand,
  gateEnd,
  gateId,
  hello,
  messageRequest,
  objectsAnswer,
  ok,
  remoteBranches,
  repositoryAnswer,
  repositoryRequest,
  stopAnswer,
  stoppedRequest,
  stopRequest,
} from './far-contract.ts'

const PACK = 'application/x-git-packed-objects'
const BYTES = 'application/octet-stream'
const LINES = 'application/jsonl'

function row<
  const M extends Method,
  const P extends string,
  const Q extends string = never,
  B extends z.ZodMiniType = z.ZodMiniType<undefined, undefined>,
  A extends z.ZodMiniType = z.ZodMiniType<unknown>,
>(
  name: `${M} ${P}`,
  summary: string,
  shape: Omit<TypedShape<M, P, Q, B, A>, 'method' | 'path' | 'summary'>,
): TypedShape<M, P, Q, B, A> {
  const [method, path] = name.split(' ') as [M, P]
  return { method, path, summary, ...shape }
}

const FAR_ROUTES = [
  row('GET /hello', 'Who the host is, and what became of its agent', { answer: hello }),
  row('POST /objects', 'Objects for the remote that home plays', {
    query: {
      tips: 'Commits that these objects complete',
      check: 'Whether they do is checked, because home left out what the place said it has',
      cache: 'Kept for later sessions of this repository',
    },
    stream: PACK,
    answer: objectsAnswer,
  }),
  row('POST /repository', 'Commits of a repository that are there before home sends any', {
    body: repositoryRequest,
    answer: repositoryAnswer,
  }),
  row('POST /checkout', 'Make the workspace', { body: checkoutRequest, answer: ok }),
  row('GET /remote', 'Its branches', { answer: remoteBranches }),
  row('POST /remote', 'Move its branches', { body: remoteBranches, answer: ok }),
  row('POST /files', 'Files that git ignores', { body: filesRequest, answer: ok }),
  row('POST /stopped', 'Stop the agent where it is', { body: stoppedRequest, answer: ok }),
  row('POST /attachment', 'A file that goes along with a message', { body: attachmentRequest, answer: ok }),
  row('POST /message', 'A message too long to type', { body: messageRequest, answer: ok }),
  row('GET /recording', 'The next piece of the recorded terminal, its part in `x-part`', {
    query: { part: 'The last part that home has', bytes: 'How much of it' },
    stream: BYTES,
  }),
  row('GET /conversation', "The agent's own files, stamped by `x-conversation`", {
    query: { known: 'The stamp of what home has' },
    stream: BYTES,
  }),
  row('POST /conversation', 'A conversation to continue', { stream: BYTES, answer: ok }),
  row('POST /commands', "The project's own commands in the workspace", {
    body: commandsRequest,
    answer: commandsAnswer,
  }),
  row('POST /launch', 'Start the agent', { body: farLaunch, answer: farLaunched }),
  row('POST /terminal', "A connection to the agent's terminal", { stream: BYTES }),
  row('POST /pipes', "A connection to the agent's pipes", { stream: BYTES }),
  row('GET /output', 'Output of an ended agent that was never read, from `x-offset` on', {
    stream: BYTES,
  }),
  row('GET /log', 'Facts, and what the agent is doing', {
    query: { after: 'The last number that home has handled' },
    stream: LINES,
  }),
  row('GET /work', 'The work as objects, described in `x-work`', {
    query: {
      have: 'Commits that home has',
      want: 'Further commits',
      limit: 'Bytes of untracked files; more stay there',
      only: '`commits`: nothing that is not committed, unless the agent has ended',
    },
    stream: PACK,
  }),
  row('POST /gates', 'A checkout for gates', { body: gateCheckout, answer: ok }),
  row('POST /gates/run', 'One command in it', { body: gateCommand, answer: gateEnd }),
  row('GET /gates/log', 'The log of one command', { query: { id: 'The run', n: 'The command' }, stream: BYTES }),
  row('POST /gates/close', 'End the run', { body: gateId, answer: ok }),
  row('POST /forward', 'A command in the place that home answers', { stream: LINES }),
  row('POST /ask', 'Home answers such a command', { query: { id: 'Which' }, stream: LINES }),
  row('POST /connection', 'Home connected to a server of a model, or has a reason not to', {
    query: { id: 'Which', refused: 'The reason' },
    stream: BYTES,
  }),
  row('POST /stop', 'Stop the agent', { body: stopRequest, answer: stopAnswer }),
  row('POST /end', 'End the host', { answer: ok }),
]

type Table = TableOf<(typeof FAR_ROUTES)[number]>
export type FarRoute = keyof Table
export type FarAsk<N extends FarRoute> = AskIn<Table, N>
export type FarAnswer<N extends FarRoute> = AnswerIn<Table, N>
export type FarBody<N extends FarRoute> = BodyIn<Table, N>

interface Schemas {
  body?: z.ZodMiniType
  answer?: z.ZodMiniType
}

export const FAR_SCHEMAS: ReadonlyMap<string, Schemas> = new Map(
  FAR_ROUTES.map((one) => [`${one.method} ${one.path}`, one as Schemas]),
)
