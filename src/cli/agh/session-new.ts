// Commands that start a session, or change how its agent works: new, spawn, resume, set.
import { resolve } from 'node:path'
import { PERMISSION_MODES } from '../../contract/agh/session-terms.ts'
import { AoError } from '../../contract/errors.ts'
import { ACT, rights } from '../../core/boundary/rights.ts'
import { readTime } from '../../core/text/read-time.ts'
import type { Io } from '../print/io.ts'
import { aghCommand, oneOf, readWorkspace, SESSION_ARGUMENT } from './agh-command.ts'
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
  insideInstead: 'Start a child of this session with: agh spawn --ttl 30m',
  about: 'Start a session of an agent in a workspace',
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent (default: the configured one)', completes: 'agent' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace', completes: 'workspace' },
    cwd: { value: 'path', about: 'Directory to use as workspace (default: the current one)' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    type: { value: 'word', about: `${TYPES.join(', ')} (default user)`, completes: TYPES },
    permissions: {
      value: 'mode',
      about: `${PERMISSION_MODES.join(', ')} (default: the configured mode)`,
      completes: PERMISSION_MODES,
    },
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
      environment: callersEnvironment(io),
      ...readSettings(options),
      ...(workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }),
    }
    const answer = await agh.call('POST /api/sessions', { body })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const spawnCommand = aghCommand({
  name: 'spawn',
  inside: rights('no', 'no', 'yes'),
  about: 'Inside a session: start a child session in the same workspace',
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent (default: that of the parent)', completes: 'agent' },
    ttl: { value: 'time', about: 'Lifetime, such as 30m (default 1h)' },
    role: { value: 'word', about: 'Its role (default worker)' },
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
    const answer = await agh.call('POST /api/agent/spawn', { body })
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

export const sessionResumeCommand = aghCommand({
  name: 'session resume',
  inside: ACT,
  about: 'Bring a stopped session back under its id',
  args: { session: SESSION_ARGUMENT },
  options: { fresh: { about: 'Begin a new conversation with a recap, for an agent that has lost the old one' } },
  async run({ args, options, io, agh, show }) {
    const answer = await agh.call('POST /api/sessions/:id/resume', {
      params: { id: args.session },
      query: { fresh: options.fresh || undefined },
      body: { environment: callersEnvironment(io) },
    })
    show(answer, () => sessionLines(io, answer.session))
  },
})

function readSettings(options: { mode: string | undefined; model: string | undefined; set: string[] }) {
  const { mode, model, set } = options
  return { mode, model, options: set.length === 0 ? undefined : Object.fromEntries(set.map(readPair)) }
}

function readPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new AoError('USAGE', `--set takes id=value, not ${text}`, { hint: 'Write: --set effort=high' })
}

/** `environment.allow` and the agent's definition decide what the daemon takes from it. */
export function callersEnvironment(io: Io): Record<string, string> {
  return Object.fromEntries(
    Object.entries(io.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
