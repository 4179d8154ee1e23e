// Variables that ao reads for its own use: secrets of notifiers, webhooks, the dashboard, trackers and forges. The
// configuration names them as `${NAME}`; an agent has no use for them.
import type { ConfigFile } from '../../contract/config.ts'
import { variableNames } from '../text/expand-env.ts'

export interface HeldVariables {
  /** To tell people, to be told by forges, to be reached: no agent needs them. */
  byLoop: ReadonlySet<string>
  /** To reach trackers and forges: an orchestrator's own `ao` needs them, a worker does not. */
  byForge: ReadonlySet<string>
}

/** Read without being named in the configuration. GitHub's and GitLab's are not here: agents' `gh` and `glab` need them. */
const BY_ITSELF = ['LINEAR_API_KEY']

export function heldVariables(source: ConfigFile | undefined): HeldVariables {
  const { notifiers, webhooks, dashboard, plugins, projects } = source ?? {}
  const ofProjects = Object.values(projects ?? {}).map(({ tracker, scm }) => [tracker, scm])
  return {
    byLoop: new Set(namesIn([notifiers, webhooks, dashboard, plugins?.notifier])),
    byForge: new Set([...BY_ITSELF, ...namesIn([plugins?.tracker, plugins?.scm, ofProjects])]),
  }
}

/** Is this value of the configuration, by its path, one that only ao itself uses? */
export function isHeldByAo(path: ReadonlyArray<string | number>): boolean {
  const [first, second, third] = path
  if (first === 'plugins') return second === 'notifier' || second === 'tracker' || second === 'scm'
  if (first === 'projects') return third === 'tracker' || third === 'scm'
  return first === 'notifiers' || first === 'webhooks' || first === 'dashboard'
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return variableNames(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(namesIn)
}
