// The configuration file, for those who may do everything: what it says, a preview of changes, saving and undoing.
import { type EditContext, planEdit, revisionOf } from '../../config/edit/plan-edit.ts'
import { canUndo, type SaveContext, saveEdit, undoEdit } from '../../config/edit/save-edit.ts'
import { readConfig } from '../../config/find-config.ts'
import { parseYaml } from '../../config/validate-config.ts'
import { configAnswer, previewAnswer, previewBody, saveBody, savedAnswer } from '../../contract/dashboard/config.ts'
import { emptyBody } from '../../contract/dashboard/requests.ts'
import { SLOT_NAMES } from '../../contract/ids.ts'
import { formatKey } from '../../core/config/key-path.ts'
import { hideWritten } from '../../core/config/secret-path.ts'
import { runFiles } from '../../lifecycle/loop/run-state.ts'
import { BUILTIN_PLUGINS } from '../../plugins/builtin.ts'
import { checkPlugins } from '../../plugins/check-plugins.ts'
import type { DashboardContext } from '../server/context.ts'
import { route } from '../server/dashboard-route.ts'

export const CONFIG_ROUTES = [
  route({
    method: 'GET',
    path: '/api/config',
    summary: 'What the configuration file says, without its secrets',
    answer: configAnswer,
    async handle({ context }) {
      const { configPath } = context.config
      const { text } = readConfig(configPath)
      return {
        configPath,
        revision: revisionOf(text),
        content: (hideWritten(parseYaml(configPath, text).value) ?? {}) as Record<string, unknown>,
        plugins: Object.fromEntries(
          SLOT_NAMES.map((slot) => [slot, BUILTIN_PLUGINS.filter((one) => one.slot === slot).map(({ name }) => name)]),
        ),
        canUndo: canUndo(saveContext(context)),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/config/preview',
    summary: 'What changes of the configuration file would do; nothing is written',
    notIdempotent: true,
    body: previewBody,
    answer: previewAnswer,
    async handle({ context, body }) {
      const { revision, rows, problems, consents, warnings } = await planEdit(editContext(context), body.changes)
      return {
        revision,
        rows,
        problems,
        warnings,
        consents: consents.map(({ hash, kind, what }) => ({ hash, kind, what })),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/api/config',
    summary:
      'Change the configuration file, if it is still as it was read and everything that needs consent is agreed to',
    body: saveBody,
    answer: savedAnswer,
    async handle({ context, body }) {
      const { saved } = await saveEdit(saveContext(context), body)
      context.log.info(
        `the configuration was changed on the page: ${body.changes.map(({ path }) => formatKey(path)).join(', ')}`,
      )
      return { revision: saved }
    },
  }),
  route({
    method: 'POST',
    path: '/api/config/undo',
    summary: 'Undo the last change that ao made to the configuration file, if it was not changed since',
    body: emptyBody,
    answer: savedAnswer,
    async handle({ context }) {
      const undone = await undoEdit(saveContext(context))
      context.log.info('the last change of the configuration was undone on the page')
      return undone
    },
  }),
]

function editContext({ config, env, paths }: DashboardContext): EditContext {
  return { configPath: config.configPath, env, home: paths.home, checkPlugins }
}

function saveContext(context: DashboardContext): SaveContext {
  const files = runFiles(context.paths)
  return { ...editContext(context), lock: files.configLock, kept: files.configKept, now: context.clock.now() }
}
