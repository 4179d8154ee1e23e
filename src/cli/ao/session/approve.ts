// `ao session approve` and `ao session deny`: answers to what an agent asks.

import { AoError } from '../../../contract/errors.ts'
import type { PermissionAnswer, PermissionRequest } from '../../../contract/permission.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { ACTS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openAo } from '../open-ao.ts'

const ARGS = {
  session: { about: 'Session id', required: true, completes: 'session' },
  request: { about: 'Id of the request, such as perm-1 (default: the only one)' },
} as const

/** A person may be quicker than the agent's screen. */
const DRAWN_WITHIN_MS = 3_000

const JSON_ANSWER = '{ sessionId, requestId, title, decision }'
const HOW =
  "In a terminal ao presses the agent's own keys: the option is chosen by its label, and only in the dialog that was read.\nMessages that were held because of the question are delivered afterwards."

export const sessionApproveCommand = defineCommand({
  name: 'session approve',
  about: 'Allow what an agent asks for',
  details: `Without an option it is allowed once. What it asks is in ao session show.\n${HOW}\nWith runtime acp, a request that is not answered in time is denied by agh (session.timeouts.permission, 5 minutes).`,
  args: ARGS,
  options: {
    allow: { short: 'y', about: 'Allow it (default)' },
    deny: { short: 'n', about: 'Refuse it, like ao session deny' },
    always: { about: 'Give similar requests the same answer from now on, if the agent offers it' },
    option: { value: 'id', about: 'Choose this option of the agent; in a terminal its number, from 1' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao session approve app-1 --option 2', about: 'Choose the second option of a dialog' }],
  json: JSON_ANSWER,
  tool: {
    name: 'answer_permission',
    title: 'Answer a question',
    description: 'Allow or refuse what an agent asks for. get_session shows the question.',
    hints: ACTS,
    input: {
      session: {},
      decision: { choices: { allow_once: 'allow', allow_always: 'always', deny: 'deny' }, required: true },
      request: {},
    },
    output: { requestId: 'text', decision: 'text' },
  },
  async run({ args, options }, io) {
    await answer(args, readAnswer(options), options.json, io)
  },
})

export const sessionDenyCommand = defineCommand({
  name: 'session deny',
  about: 'Refuse what an agent asks for',
  details: HOW,
  args: ARGS,
  options: {
    always: { about: 'Refuse similar requests from now on, if the agent offers it' },
    json: JSON_OPTION,
  },
  json: JSON_ANSWER,
  async run({ args, options }, io) {
    await answer(args, { decision: options.always ? 'reject-always' : 'reject-once' }, options.json, io)
  },
})

interface Approval {
  session: string
  request: string | undefined
}

async function answer(args: Approval, wanted: PermissionAnswer, asJson: boolean, io: Io): Promise<void> {
  const ao = await openAo(io)
  const session = await requireSession(ao.context, args.session)
  const pending = await ao.manager.pendingPermissions(session.id, { drawnWithinMs: DRAWN_WITHIN_MS })
  const request = chooseRequest(session.id, pending, args.request)
  const given = await ao.manager.answerPermission(session.id, {
    ...wanted,
    requestId: request.requestId,
    askedAt: request.askedAt,
    by: 'the command line',
  })
  if (asJson) return void io.json({ sessionId: session.id, ...given, title: request.title })
  const answered = ANSWERED[given.decision] ?? `answered with ${toOneLine(given.decision)}`
  io.print(`${io.style.bold(session.id)}: ${answered}  ${io.style.dim(toOneLine(request.title))}`)
}

/** Options that are none of these are named. */
const ANSWERED: Readonly<Record<string, string>> = {
  'allow-once': 'allowed once',
  'allow-always': 'allowed from now on',
  'reject-once': 'refused',
  'reject-always': 'refused from now on',
}

interface Options {
  allow: boolean
  deny: boolean
  always: boolean
  option: string | undefined
}

function readAnswer({ allow, deny, always, option }: Options): PermissionAnswer {
  if ([allow, deny, option !== undefined].filter(Boolean).length > 1) {
    throw new AoError('USAGE', '--allow, --deny and --option exclude each other', { hint: 'Give one of them' })
  }
  if (option !== undefined) return { optionId: option }
  return { decision: deny ? (always ? 'reject-always' : 'reject-once') : always ? 'allow-always' : 'allow-once' }
}

function chooseRequest(
  sessionId: string,
  pending: PermissionRequest[],
  wanted: string | undefined,
): Pick<PermissionRequest, 'requestId' | 'title'> & { askedAt?: string } {
  const fitting = wanted === undefined ? pending : pending.filter(({ requestId }) => requestId === wanted)
  if (fitting.length === 1) return fitting[0]!
  const waiting = pending.map(({ requestId, title }) => `${requestId} (${toOneLine(title)})`).join(', ')
  // One that is gone: the manager knows who answered it.
  if (wanted !== undefined) return { requestId: wanted, title: wanted }
  if (pending.length === 0) throw notFound(sessionId, `${sessionId} asks for nothing`)
  throw new AoError('USAGE', `${sessionId} asks for several things: ${waiting}`, {
    hint: `Name one: ao session approve ${sessionId} ${pending[0]!.requestId}`,
    details: { sessionId },
  })
}

function notFound(sessionId: string, message: string): AoError {
  return new AoError('PERMISSION_NOT_FOUND', message, {
    hint: `Attach to it with: ao session attach ${sessionId}`,
    details: { sessionId },
  })
}
