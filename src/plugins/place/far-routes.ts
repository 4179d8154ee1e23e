// What home can ask of a host in a place: one row per route. The host's handlers and home's client are typed by these rows, and both
// check what arrives against them.
import type * as z from 'zod/mini'
import type { AnswerIn, AskIn, BodyIn, TableOf } from '../../http/route-client.ts'
import { routeShape as row } from '../../http/route-table.ts'
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

const FAR_ROUTES = [
  row({ method: 'GET', path: '/hello', summary: 'Who the host is, and what became of its agent', answer: hello }),
  row({
    method: 'POST',
    path: '/objects',
    summary: 'Objects for the remote that home plays',
    query: {
      tips: 'Commits that these objects complete',
      check: 'Whether they do is checked, because home left out what the place said it has',
      cache: 'Kept for later sessions of this repository',
    },
    stream: PACK,
    answer: objectsAnswer,
  }),
  row({
    method: 'POST',
    path: '/repository',
    summary: 'Commits of a repository that are there before home sends any',
    body: repositoryRequest,
    answer: repositoryAnswer,
  }),
  row({ method: 'POST', path: '/checkout', summary: 'Make the workspace', body: checkoutRequest, answer: ok }),
  row({ method: 'GET', path: '/remote', summary: 'Its branches', answer: remoteBranches }),
  row({ method: 'POST', path: '/remote', summary: 'Move its branches', body: remoteBranches, answer: ok }),
  row({ method: 'POST', path: '/files', summary: 'Files that git ignores', body: filesRequest, answer: ok }),
  row({ method: 'POST', path: '/stopped', summary: 'Stop the agent where it is', body: stoppedRequest, answer: ok }),
  row({
    method: 'POST',
    path: '/attachment',
    summary: 'A file that goes along with a message',
    body: attachmentRequest,
    answer: ok,
  }),
  row({ method: 'POST', path: '/message', summary: 'A message too long to type', body: messageRequest, answer: ok }),
  row({
    method: 'GET',
    path: '/recording',
    summary: 'The next piece of the recorded terminal, its part in `x-part`',
    query: { part: 'The last part that home has', bytes: 'How much of it' },
    stream: BYTES,
  }),
  row({
    method: 'GET',
    path: '/conversation',
    summary: "The agent's own files, stamped by `x-conversation`",
    query: { known: 'The stamp of what home has' },
    stream: BYTES,
  }),
  row({ method: 'POST', path: '/conversation', summary: 'A conversation to continue', stream: BYTES, answer: ok }),
  row({
    method: 'POST',
    path: '/commands',
    summary: "The project's own commands in the workspace",
    body: commandsRequest,
    answer: commandsAnswer,
  }),
  row({ method: 'POST', path: '/launch', summary: 'Start the agent', body: farLaunch, answer: farLaunched }),
  row({ method: 'POST', path: '/terminal', summary: "A connection to the agent's terminal", stream: BYTES }),
  row({ method: 'POST', path: '/pipes', summary: "A connection to the agent's pipes", stream: BYTES }),
  row({
    method: 'GET',
    path: '/output',
    summary: 'What an agent that has ended wrote to its pipes and nobody took, from `x-offset` on',
    stream: BYTES,
  }),
  row({
    method: 'GET',
    path: '/log',
    summary: 'Facts, and what the agent is doing',
    query: { after: 'The last number that home has handled' },
    stream: LINES,
  }),
  row({
    method: 'GET',
    path: '/work',
    summary: 'The work as objects, described in `x-work`',
    query: {
      have: 'Commits that home has',
      want: 'Further commits',
      limit: 'Bytes of untracked files; more stay there',
      only: '`commits`: nothing that is not committed, unless the agent has ended',
    },
    stream: PACK,
  }),
  row({ method: 'POST', path: '/gates', summary: 'A checkout for gates', body: gateCheckout, answer: ok }),
  row({ method: 'POST', path: '/gates/run', summary: 'One command in it', body: gateCommand, answer: gateEnd }),
  row({
    method: 'GET',
    path: '/gates/log',
    summary: 'The log of one command',
    query: { id: 'The run', n: 'The command' },
    stream: BYTES,
  }),
  row({ method: 'POST', path: '/gates/close', summary: 'End the run', body: gateId, answer: ok }),
  row({ method: 'POST', path: '/forward', summary: 'A command in the place that home answers', stream: LINES }),
  row({
    method: 'POST',
    path: '/ask',
    summary: 'Home answers such a command',
    query: { id: 'Which' },
    stream: LINES,
  }),
  row({
    method: 'POST',
    path: '/connection',
    summary: 'Home connected to a server of a model, or has a reason not to',
    query: { id: 'Which', refused: 'The reason' },
    stream: BYTES,
  }),
  row({ method: 'POST', path: '/stop', summary: 'Stop the agent', body: stopRequest, answer: stopAnswer }),
  row({ method: 'POST', path: '/end', summary: 'End the host', answer: ok }),
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
