// A project's own keys override the defaults, and the user's file speaks in defaults. So what it says about permissions and
// variables is a limit for projects: a repository may ask for less, not for more.
import { PERMISSION_MODES } from '../../contract/config/agent-keys.ts'
import { asObject, isObject } from '../text/json-fields.ts'
import type { Content, Keys } from './key-path.ts'

/** The repository's content with the limits of the user's applied; `overruled` gets the keys that were limited. */
export function limitProjects(user: Content, repository: Content, overruled: Keys[]): Content {
  const defaults = asObject(user.defaults)
  const strictest = asObject(asObject(defaults.worker).agentConfig).permissions
  const allowed = asObject(defaults.environment).allow
  const limits: Limits = {
    strictest: typeof strictest === 'string' ? strictest : null,
    allowed: Array.isArray(allowed) ? allowed.map(String) : null,
  }
  const limit = (owner: unknown, path: Keys) => limitOwner(owner, path, limits, overruled)
  return changed(repository, {
    defaults: (own) => limit(own, ['defaults']),
    projects: (own) => each(own, (project, id) => limit(project, ['projects', id])),
  })
}

interface Limits {
  strictest: string | null
  allowed: readonly string[] | null
}

/** `defaults` or a project. The orchestrator's role is left alone: it never asks, whatever is configured. */
function limitOwner(owner: unknown, path: Keys, { strictest, allowed }: Limits, overruled: Keys[]): unknown {
  const agentConfig = (at: Keys) => (own: unknown) =>
    changed(own, {
      permissions(word) {
        if (strictest === null || typeof word !== 'string' || !isLaxer(word, strictest)) return word
        overruled.push([...at, 'permissions'])
        return strictest
      },
    })
  const allow = (own: unknown) => {
    if (allowed === null || !Array.isArray(own)) return own
    const left = own.filter((name) => allowed.some((pattern) => covers(pattern, String(name))))
    if (left.length < own.length) overruled.push([...path, 'environment', 'allow'])
    return left
  }
  return changed(owner, {
    agentConfig: agentConfig([...path, 'agentConfig']),
    worker: (own) => changed(own, { agentConfig: agentConfig([...path, 'worker', 'agentConfig']) }),
    reviewer: (own) => changed(own, { agentConfig: agentConfig([...path, 'reviewer', 'agentConfig']) }),
    environment: (own) => changed(own, { allow }),
  })
}

/** The same with some of its values changed, where it has them. */
function changed<T>(value: T, changes: Record<string, (inner: unknown) => unknown>): T {
  return each(value, (inner, key) => (Object.hasOwn(changes, key) ? changes[key]!(inner) : inner))
}

function each<T>(value: T, action: (inner: unknown, key: string) => unknown): T {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, action(inner, key)])) as T
}

function isLaxer(word: string, strictest: string): boolean {
  return rank(word) < rank(strictest)
}

/** From never asking to always asking; an unknown word counts as never. */
function rank(word: string): number {
  return Math.max(0, (PERMISSION_MODES as readonly string[]).indexOf(word))
}

function covers(pattern: string, name: string): boolean {
  return pattern === name || (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)))
}
