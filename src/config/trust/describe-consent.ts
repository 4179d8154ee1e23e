// The wording of what a configuration asks consent for, and the content that consent is bound to.
import type { ConsentKind } from '../../contract/config/consent.ts'
import type { FindingGroup } from './trust-item.ts'

export interface Wording {
  kind: ConsentKind
  project?: string | undefined
  at: readonly string[]
  what: string
  content: readonly string[]
}

/** `outside`: the real path, when it leads out of the repository. */
export function describeFinding(group: FindingGroup, outside?: string): Wording {
  const { kind, at } = group
  const project = at[0] === 'projects' ? at[1] : undefined
  const base = { kind, at, project }
  const where = project === undefined ? 'every project' : `project ${project}`
  const json = JSON.stringify(group.values)
  const [key = ''] = Object.keys(group.values)
  switch (kind) {
    case 'postCreate':
      return { ...base, ...hookCommands(where, key, group.values[key]) }
    case 'ci': {
      const content = JSON.stringify(group.values[key])
      return {
        ...base,
        what: `${where} runs as CI on the commits of its pull requests: ${content}`,
        content: [content],
      }
    }
    case 'agent-command':
      return { ...base, ...agentCommand(where, group) }
    case 'listen':
      return { ...base, what: `${listener(at)} ${shown(group.values)}`, content: [at.join('.'), json] }
    case 'send':
      return { ...base, what: `${sender(where, at)} ${shown(group.values)}`, content: [at.join('.'), json] }
    case 'place':
      return { ...base, what: `${at.join('.')} starts agents there: ${json}`, content: [at.join('.'), json] }
    case 'automatic':
      return { ...base, what: `${where} ${actsAlone(at)}: ${at.join('.')} ${json}`, content: [at.join('.'), json] }
    case 'outside':
      return { ...base, what: `${reader(where, key)} ${outside}`, content: [key, outside ?? ''] }
    default:
      return {
        ...base,
        what: `${[...at, key].join('.')} takes a value of your environment: ${JSON.stringify(group.values[key])}`,
        content: [[...at, key].join('.'), json],
      }
  }
}

function hookCommands(where: string, hook: string, value: unknown): Pick<Wording, 'what' | 'content'> {
  const commands = Array.isArray(value) ? value.map(String) : [String(value)]
  const lines = commands.map((command) => JSON.stringify(command)).join(', ')
  if (hook === 'postCreate') {
    // Without a name since the first version, so that existing consent stays valid. With one where the first command is the
    // name of a hook: consent to one hook never counts for the other.
    const isAmbiguous = commands[0] === 'postCreate' || commands[0] === 'preRemove'
    const content = isAmbiguous ? [hook, ...commands] : commands
    return { what: `${where} runs in every new worktree: ${lines}`, content }
  }
  return { what: `${where} runs before a worktree is removed: ${lines}`, content: [hook, ...commands] }
}

/** In this order since the first version: existing consent stays valid. */
const FIRST_KEYS = ['command', 'acpCommand', 'args', 'env', 'permissions']

function agentCommand(where: string, { at, values }: FindingGroup): Pick<Wording, 'what' | 'content'> {
  if ('forwardOutsiders' in values) {
    const what = `${where} passes comments of people outside the repository on to its agents`
    return { what, content: ['forwardOutsiders'] }
  }
  if ('fallback' in values) {
    const names = JSON.stringify(values.fallback)
    return {
      what: `${where} continues with other accounts when a limit stops an agent: ${names}`,
      content: ['fallback', names],
    }
  }
  if (at[0] === 'accounts') {
    return {
      what: `agents may be started with the accounts ${JSON.stringify(values)}`,
      content: ['accounts', JSON.stringify(values)],
    }
  }
  const keys = [...FIRST_KEYS, ...Object.keys(values).sort()].filter((key) => key in values)
  const content = JSON.stringify(Object.fromEntries(keys.map((key) => [key, values[key]])))
  const subject = started(at)
  return { what: `${where} starts its ${subject} with ${content}`, content: [subject, content] }
}

function started(at: readonly string[]): string {
  if (at.at(-1) !== 'agentConfig') return at.filter((key) => key !== 'config').slice(-1)[0] ?? 'agent'
  const owner = at.at(-2)
  return owner === 'worker' || owner === 'orchestrator' ? owner : 'agent'
}

function actsAlone(at: readonly string[]): string {
  if (at.at(-1) === 'backlog') return 'starts agents on issues by itself'
  return at.includes('reactions') ? 'merges or restarts agents by itself' : 'lands pull requests by itself'
}

function listener(at: readonly string[]): string {
  return at[0] === 'webhooks' ? `the dashboard takes webhooks of ${at[1]} signed with` : 'the dashboard listens with'
}

function sender(where: string, at: readonly string[]): string {
  if (at[0] === 'notifiers') return `the notifier ${at[1]} sends to`
  return `${where} reaches its ${at.filter((key) => key !== 'config').at(-1)} with`
}

function reader(where: string, key: string): string {
  if (key === 'path') return `${where} is a directory outside of the configuration's own:`
  if (key === 'agentRulesFile') return `${where} puts a file from outside of it into every prompt:`
  return `${where} puts its workspaces into`
}

const SECRET_KEY = /token|secret|password|passwd/i

/** A secret in the file itself is not repeated on screens and in logs; a variable's name is. */
function shown(values: Record<string, unknown>): string {
  return JSON.stringify(values, (key, value: unknown) =>
    SECRET_KEY.test(key) && typeof value === 'string' && !value.includes('${') ? `[${value.length} characters]` : value,
  )
}
