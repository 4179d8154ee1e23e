// Which repository `gh` is answered for in a place: the project's own, as home's configuration and remote name it.
import type { ProjectConfig } from '../../../contract/config.ts'
import { decideForge } from '../../../core/forge/decide-forge.ts'
import { startingLabels } from '../../../core/task/decide-trigger.ts'
import { tryGit } from '../../../git/git.ts'
import type { GhForge } from './line-files.ts'

const PART = /^[A-Za-z0-9_.-]{1,100}$/

/** null: gh has nothing to do with it. */
export async function forgeOfSession(
  project: ProjectConfig,
  environment: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<GhForge | null> {
  const { id, path, repo, scm } = project
  // As the facade names them (gh/which-repo.ts).
  if (environment.AO_GH_FACADE) {
    return { repository: { host: 'localhost', owner: 'projects', name: id }, isLocal: true }
  }
  const named = typeof scm === 'string' ? { plugin: scm } : scm
  const origin = await tryGit(path, ['remote', 'get-url', 'origin'], { env, read: true })
  const remote = origin.ok ? decideForge(origin.stdout.trim(), env) : null
  if (named === undefined ? remote?.forge?.plugin !== 'github' : named.plugin !== 'github') return null
  const [owner = '', name = '', ...rest] = (repo ?? remote?.repo ?? '').split('/')
  if (!PART.test(owner) || !PART.test(name) || rest.length > 0) return null
  const host = hostOf(named) ?? (remote?.forge?.plugin === 'github' ? remote.host : null) ?? 'github.com'
  return {
    repository: { host: host.toLowerCase(), owner, name },
    isLocal: false,
    startingLabels: startingLabels(project),
  }
}

function hostOf(options: { plugin: string; host?: unknown; apiUrl?: unknown } | undefined): string | null {
  if (typeof options?.host === 'string') return options.host
  if (typeof options?.apiUrl !== 'string' || !URL.canParse(options.apiUrl)) return null
  return new URL(options.apiUrl).host.replace(/^api\./, '')
}
