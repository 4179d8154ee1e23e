// `ao session approve`: answers what an agent asks.
import { AoError } from '../../../contract/errors.ts'
import type { PermissionAnswer, PermissionRequest } from '../../../contract/permission.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openAo } from '../open-ao.ts'
import { requireSession } from '../require-session.ts'

export const sessionApproveCommand = defineCommand({
  name: 'session approve',
  about: 'Answer a permission request of an agent (runtime acp)',
  details:
    'Without an option it is allowed once. Which requests wait is in ao session show.\nOne that nobody answers in time is answered with no by agh (session.timeouts.permission, 5 minutes).',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    request: { about: 'Which request, such as perm-1; not needed when only one waits' },
  },
  options: {
    allow: { short: 'y', about: 'Allow it; the default' },
    deny: { short: 'n', about: 'Refuse it' },
    always: { about: 'And every later one like it, where the agent offers that' },
    option: { value: 'id', about: "Exactly this one of the agent's options" },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao session approve app-1', about: 'Allow what it asks' },
    { line: 'ao session approve app-1 perm-2 --deny', about: 'Refuse one of several' },
  ],
  json: '{ sessionId, requestId, title, decision }',
  async run({ args, options }, io) {
    const answer = readAnswer(options)
    const ao = await openAo(io)
    const session = await requireSession(ao, args.session)
    const asked = chooseRequest(session.id, await ao.manager.pendingPermissions(session.id), args.request)
    const given = await ao.manager.answerPermission(session.id, { ...answer, requestId: asked.requestId })
    const result = { sessionId: session.id, ...given, title: asked.title }
    if (options.json) return void io.json(result)
    io.print(
      `${given.requestId} of ${io.style.bold(session.id)}: ${given.decision}  ${io.style.dim(toOneLine(asked.title))}`,
    )
  },
})

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

function chooseRequest(sessionId: string, pending: PermissionRequest[], wanted: string | undefined): PermissionRequest {
  const fitting = wanted === undefined ? pending : pending.filter(({ requestId }) => requestId === wanted)
  if (fitting.length === 1) return fitting[0]!
  const waiting = pending.map(({ requestId, title }) => `${requestId} (${toOneLine(title)})`).join(', ')
  if (wanted !== undefined && pending.length > 0) {
    throw notFound(sessionId, `No request ${wanted} of ${sessionId} waits; there is ${waiting}`)
  }
  if (pending.length === 0) throw notFound(sessionId, `${sessionId} asks for nothing`)
  throw new AoError('USAGE', `${sessionId} asks for several things: ${waiting}`, {
    hint: `Name one: ao session approve ${sessionId} ${pending[0]!.requestId}`,
    details: { sessionId },
  })
}

function notFound(sessionId: string, message: string): AoError {
  return new AoError('PERMISSION_NOT_FOUND', message, {
    hint: `Inspect it with: ao session show ${sessionId}`,
    details: { sessionId },
  })
}
