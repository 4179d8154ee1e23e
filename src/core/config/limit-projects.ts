// A project's own keys override the defaults, and the user's file speaks in defaults. So what it says about permissions and
// variables is a limit for projects: a repository may ask for less, not for more.
import { PERMISSION_MODES } from '../../contract/config.ts'
import type { Content, Keys } from './merge-layers.ts'

/** The repository's content with the limits of the user's applied; `overruled` gets the keys that were limited. */
export function limitProjects(user: Content, repository: Content, overruled: Keys[]): Content {
  const defaults = keysAt(repository.defaults)
  const userDefaults = keysAt(user.defaults)
  const strictest = textAt(keysAt(keysAt(userDefaults.worker).agentConfig).permissions)
  const allowed = listAt(keysAt(userDefaults.environment).allow)
  if (strictest === null && allowed === null) return repository
  const limit = (owner: Content, path: Keys) => {
    const one = strictest === null ? owner : limitPermissions(owner, strictest, { path, overruled })
    return allowed === null ? one : limitVariables(one, allowed, { path, overruled })
  }
  const projects = Object.entries(keysAt(repository.projects)).map(([id, project]) => [
    id,
    limit(keysAt(project), ['projects', id]),
  ])
  return {
    ...repository,
    ...(repository.defaults === undefined ? {} : { defaults: limit(defaults, ['defaults']) }),
    ...(repository.projects === undefined ? {} : { projects: Object.fromEntries(projects) }),
  }
}

interface Limited {
  path: Keys
  overruled: Keys[]
}

/** The orchestrator is left alone: it never asks, whatever is configured. */
function limitPermissions(owner: Content, strictest: string, { path, overruled }: Limited): Content {
  const limitConfig = (config: unknown, at: Keys) => {
    const own = keysAt(config)
    const word = textAt(own.permissions)
    if (word === null || !isLaxer(word, strictest)) return config
    overruled.push([...at, 'permissions'])
    return { ...own, permissions: strictest }
  }
  const worker = keysAt(owner.worker)
  return {
    ...owner,
    ...('agentConfig' in owner ? { agentConfig: limitConfig(owner.agentConfig, [...path, 'agentConfig']) } : {}),
    ...('agentConfig' in worker
      ? { worker: { ...worker, agentConfig: limitConfig(worker.agentConfig, [...path, 'worker', 'agentConfig']) } }
      : {}),
  }
}

function limitVariables(owner: Content, allowed: readonly string[], { path, overruled }: Limited): Content {
  const environment = keysAt(owner.environment)
  const own = listAt(environment.allow)
  if (own === null) return owner
  const allow = own.filter((name) => allowed.some((pattern) => covers(pattern, name)))
  if (allow.length === own.length) return owner
  overruled.push([...path, 'environment', 'allow'])
  return { ...owner, environment: { ...environment, allow } }
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

function keysAt(value: unknown): Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : {}
}

function textAt(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function listAt(value: unknown): readonly string[] | null {
  return Array.isArray(value) ? value.map(String) : null
}
