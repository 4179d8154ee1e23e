// Variables that ao reads for its own use: secrets of notifiers, webhooks, the dashboard, trackers and forges. The
// configuration names them as `${NAME}`; an agent has no use for them.
import type { ConfigFile } from '../../contract/config.ts'
import { variableNames } from '../text/expand-env.ts'

export interface HeldVariables {
  /** For notifications, webhooks and access to ao itself: no agent needs them. */
  byLoop: ReadonlySet<string>
  /** For trackers and forges: an orchestrator's own `ao` needs them, a worker does not. */
  byForge: ReadonlySet<string>
}

/**
 * Read without being named in the configuration. Those of GitHub and GitLab are not listed: agents' `gh` and `glab` need
 * them.
 */
const BY_ITSELF = ['LINEAR_API_KEY', 'JIRA_API_TOKEN']

export function heldVariables(source: ConfigFile | undefined): HeldVariables {
  const { notifiers, webhooks, dashboard, plugins, projects } = source ?? {}
  const ofProjects = Object.values(projects ?? {}).map(({ tracker, scm }) => [tracker, scm])
  return {
    byLoop: new Set(namesIn([notifiers, webhooks, dashboard, plugins?.notifier])),
    byForge: new Set([...BY_ITSELF, ...namesIn([plugins?.tracker, plugins?.scm, ofProjects])]),
  }
}

/** Is the configuration value at this path used only by ao itself? */
export function isHeldByAo(path: ReadonlyArray<string | number>): boolean {
  const [first, second, third] = path
  if (first === 'plugins') return second === 'notifier' || second === 'tracker' || second === 'scm'
  if (first === 'projects') return third === 'tracker' || third === 'scm'
  return first === 'notifiers' || first === 'webhooks' || first === 'dashboard' || first === 'accounts'
}

function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return variableNames(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(namesIn)
}
