// The configuration in effect, with where each value comes from, and the test of a notifier. Changes: config-routes.ts.

import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import { type ProjectConfig, pluginName } from '../../contract/config.ts'
import { pauseAnswer } from '../../contract/dashboard/answers.ts'
import {
  notifierTestAnswer,
  repositoriesAnswer,
  type SettingsAnswer,
  settingsAnswer,
} from '../../contract/dashboard/pages.ts'
import { errorText } from '../../contract/errors.ts'
import { resolveRules, ruleSources } from '../../core/reactions/resolve-rules.ts'
import { resolveLaunch, resolveWorkspace } from '../../core/session/plan-launch.ts'
import { listNotifiers, tryNotifier } from '../../lifecycle/notify/try-notifier.ts'
import { notifierProblem } from '../../lifecycle/notify/unheard.ts'
import { readObservability } from '../../store/observability/summary.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

export const SETTINGS_ROUTES = [
  route({
    method: 'POST',
    path: '/api/pause',
    summary: 'Stop every agent where it is; nothing starts a turn until it is resumed',
    answer: pauseAnswer,
    handle: async ({ context, caller }) => {
      const { notStopped } = await context.manager.pauseFleet({ by: caller.name })
      return { problems: notStopped.map(({ sessionId, why }) => `${sessionId} was not stopped: ${why}`) }
    },
  }),
  route({
    method: 'POST',
    path: '/api/resume',
    summary: 'Let everything go on that was paused',
    answer: pauseAnswer,
    handle: async ({ context }) => {
      const failed = (await context.manager.resumeFleet())?.failed ?? []
      return { problems: failed.map(({ sessionId, why }) => `${sessionId}: ${why}`) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/repositories',
    summary: 'All repositories that this server shows, with how many sessions need you',
    answer: repositoriesAnswer,
    handle: async ({ context }) => ({ repositories: await context.repositories() }),
  }),
  route({
    method: 'GET',
    path: '/api/settings',
    summary: 'Projects, reactions with their effective values, notifiers',
    answer: settingsAnswer,
    handle: async ({ context }) => {
      const { health } = readObservability(context.paths)
      return {
        configPath: context.config.configPath,
        version: context.version,
        dataDir: context.paths.dataDir,
        projects: Object.values(context.config.projects).map((project) => describeProject(context, project)),
        notifiers: listNotifiers(context.config).map((notifier) => ({
          ...notifier,
          isWritten: Object.hasOwn(context.config.notifiers ?? {}, notifier.name),
          problem: notifierProblem(health, notifier.name),
        })),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/notifiers/:name/test',
    summary: 'Send one test notification',
    answer: notifierTestAnswer,
    async handle({ context, params }) {
      try {
        await tryNotifier(context, params.name)
        return { ok: true, message: `A test was delivered through ${params.name}` }
      } catch (error) {
        // The answer to the request, not a failure of the request itself.
        return { ok: false, message: errorText(error) }
      }
    },
  }),
]

function describeProject({ config }: DashboardContext, project: ProjectConfig): SettingsAnswer['projects'][number] {
  const { agent, runtime } = resolveLaunch(config, project, 'worker')
  const rules = resolveRules(config, project)
  const sources = ruleSources(config, project)
  return {
    id: project.id,
    name: project.name,
    path: project.path,
    repo: project.repo ?? null,
    defaultBranch: project.defaultBranch,
    agent,
    runtime,
    workspace: resolveWorkspace(config, project),
    tracker: project.tracker === undefined ? null : pluginName(project.tracker),
    scm: project.scm === undefined ? null : pluginName(project.scm),
    reactions: REACTION_KEYS.map((key) => ({ key, rule: rules[key], from: sources[key] })),
  }
}
