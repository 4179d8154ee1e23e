// Commands that change a session: start, settings, stop, resume, cancel, approve, wake, repair; and a child of one.
import { resolve } from 'node:path'
import { DECISIONS, type Decision, PERMISSION_MODES } from '../../contract/agh/words.ts'
import { AoError } from '../../contract/errors.ts'
import { aghCommand, readTime, readWorkspace, SESSION_ARGUMENT } from './agh-command.ts'
import { sessionLines } from './lines.ts'

/** Coordinators and spawned sessions are created in their own ways. */
const TYPES = ['user', 'dream', 'system'] as const

const SETTING_OPTIONS = {
  mode: { value: 'name', about: 'A mode that the agent offers' },
  model: { value: 'name', about: 'A model that the agent offers' },
  set: { value: 'id=value', about: 'Another option of the agent', repeatable: true },
} as const

export const sessionNewCommand = aghCommand({
  name: 'session new',
  about: 'Start a session of an agent in a workspace',
  args: {},
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent; the configured default otherwise' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace' },
    cwd: { value: 'path', about: 'A directory as workspace; the current one by default' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    type: { value: 'word', about: `${TYPES.join(', ')} (user)`, completes: TYPES },
    permissions: { value: 'mode', about: PERMISSION_MODES.join(', '), completes: PERMISSION_MODES },
    'add-dir': { value: 'path', about: 'Another directory that the agent may work in', repeatable: true },
    ...SETTING_OPTIONS,
  },
  async run({ options, io, agh, show }) {
    const { workspace, cwd } = readWorkspace(options, 'session new')
    const directories = options['add-dir'].map((path) => resolve(io.cwd, path))
    const body = {
      agent_name: options.agent,
      name: options.name,
      type: oneOf('--type', options.type, TYPES),
      permissions: oneOf('--permissions', options.permissions, PERMISSION_MODES),
      additional_directories: directories.length === 0 ? undefined : directories,
      ...readSettings(options),
      ...(workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }),
    }
    const answer = await agh.call('POST /api/sessions', { body })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const spawnCommand = aghCommand({
  name: 'spawn',
  about: 'Inside a session: start a child session in the same workspace',
  args: {},
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent; that of the parent otherwise' },
    ttl: { value: 'time', about: 'How long it may live, such as 30m (1h)' },
    role: { value: 'word', about: 'What it is for (worker)' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    permissions: { value: 'mode', about: 'Not more than the parent has', completes: PERMISSION_MODES },
  },
  async run({ options, io, agh, show }) {
    const token = io.env.AGH_SESSION_TOKEN
    if (!token) {
      throw new AoError('USAGE', 'agh spawn works inside a session only: AGH_SESSION_TOKEN is not set', {
        hint: 'Start a session with: agh session new',
      })
    }
    const body = {
      ttl_seconds: Math.ceil(readTime('--ttl', options.ttl ?? '1h') / 1_000),
      agent_name: options.agent,
      role: options.role,
      name: options.name,
      permissions: oneOf('--permissions', options.permissions, PERMISSION_MODES),
    }
    const answer = await agh.call('POST /api/agent/spawn', { body, headers: { 'x-agh-session-token': token } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionSetCommand = aghCommand({
  name: 'session set',
  about: 'Choose a mode, a model or other options of the agent',
  details: 'What it offers is in `offers` of: agh session inspect <session>. The choice holds after a resume too.',
  args: { session: SESSION_ARGUMENT },
  options: SETTING_OPTIONS,
  async run({ args, options, io, agh, show }) {
    const body = readSettings(options)
    const answer = await agh.call('PATCH /api/sessions/:id', { params: { id: args.session }, body })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionStopCommand = aghCommand({
  name: 'session stop',
  about: 'Stop a session; its history stays',
  args: { session: SESSION_ARGUMENT },
  options: {
    detail: { value: 'text', about: 'Why; max_iterations, loop_detected and budget_exceeded become the stop reason' },
  },
  async run({ args, options, io, agh, show }) {
    const ask = { params: { id: args.session }, body: { detail: options.detail } }
    const answer = await agh.call('POST /api/sessions/:id/stop', ask)
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionResumeCommand = aghCommand({
  name: 'session resume',
  about: 'Bring a stopped session back under its id',
  args: { session: SESSION_ARGUMENT },
  options: { fresh: { about: 'Begin a new conversation with a recap, for an agent that has lost the old one' } },
  async run({ args, options, io, agh, show }) {
    const ask = { params: { id: args.session }, query: options.fresh ? { fresh: 'true' } : {} }
    const answer = await agh.call('POST /api/sessions/:id/resume', ask)
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionCancelCommand = aghCommand({
  name: 'session cancel',
  about: 'Ask the agent to end the running turn; the session stays',
  args: { session: SESSION_ARGUMENT },
  options: {},
  async run({ args, io, agh, show }) {
    const answer = await agh.call('POST /api/sessions/:id/prompt/cancel', { params: { id: args.session } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionApproveCommand = aghCommand({
  name: 'session approve',
  about: 'Answer a permission request of the agent',
  args: { session: SESSION_ARGUMENT },
  options: {
    'request-id': { value: 'id', about: 'Which one; not needed when only one waits' },
    decision: { short: 'd', value: 'word', about: DECISIONS.join(', '), completes: DECISIONS },
  },
  async run({ args, options, agh, show }) {
    const decision: Decision = oneOf('--decision', options.decision, DECISIONS) ?? 'allow-once'
    const body = { decision, request_id: options['request-id'] }
    const answer = await agh.call('POST /api/sessions/:id/approve', { params: { id: args.session }, body })
    show(answer, () => [`${answer.request_id}: ${answer.decision}`])
  },
})

export const sessionWakeCommand = aghCommand({
  name: 'session wake',
  about: "Wake an idle session with its agent's HEARTBEAT.md, if it is eligible",
  details: 'The exit code is 0 when it was woken (or would be), else 5.',
  args: { session: SESSION_ARGUMENT },
  options: { 'dry-run': { about: 'Only say what would be done' } },
  async run({ args, options, agh, show }) {
    const ask = { params: { id: args.session }, query: { dry_run: options['dry-run'] } }
    const answer = await agh.call('POST /api/sessions/:id/wake', ask)
    const { result, reason } = answer.wake
    show(answer, () => [result === 'sent' ? (options['dry-run'] ? 'would be woken' : 'woken') : `not woken: ${reason}`])
    return result === 'sent' ? 0 : 5
  },
})

export const sessionRepairCommand = aghCommand({
  name: 'session repair',
  about: 'End what a crash left open in the history',
  details: 'The exit code is 5 when it cannot be repaired, as while it is running.',
  args: { session: SESSION_ARGUMENT },
  options: { 'dry-run': { about: 'Only say what would be done' } },
  async run({ args, options, agh, show }) {
    const ask = { params: { id: args.session }, query: { dry_run: options['dry-run'] } }
    const answer = await agh.call('POST /api/sessions/:id/repair', ask)
    const { issues, actions, persisted } = answer.repair
    show(answer, () => [
      ...issues.map(({ severity, code, detail }) => `${severity}  ${code}: ${detail}`),
      ...actions.map(({ code, turn_id, tool_call_id }) =>
        `${persisted ? 'did' : 'would'}  ${code} ${turn_id} ${tool_call_id ?? ''}`.trimEnd(),
      ),
    ])
    return issues.some(({ severity }) => severity === 'error') ? 5 : 0
  },
})

function oneOf<T extends string>(option: string, word: string | undefined, words: readonly T[]): T | undefined {
  const found = words.find((one) => one === word)
  if (word === undefined || found !== undefined) return found
  throw new AoError('USAGE', `${option} takes one of ${words.join(', ')}, not ${word}`, {
    hint: `Write: ${option} ${words[0]}`,
  })
}

function readSettings(options: { mode: string | undefined; model: string | undefined; set: string[] }) {
  const { mode, model, set } = options
  return { mode, model, options: set.length === 0 ? undefined : Object.fromEntries(set.map(readPair)) }
}

function readPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new AoError('USAGE', `--set takes id=value, not ${text}`, { hint: 'Write: --set effort=high' })
}
