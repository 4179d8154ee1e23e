// `ao config set`, `unset` and `undo`: one key of the file, with the checks and the consent of the file.
import type { ConfigChange } from '../../../config/edit/edit-text.ts'
import type { EditPlan } from '../../../config/edit/plan-edit.ts'
import type { SaveContext } from '../../../config/edit/save-edit.ts'
import { findConfig, readConfig } from '../../../config/find-config.ts'
import { AoError } from '../../../contract/errors.ts'
import { formatKey, type KeyPath, parseKey } from '../../../core/config/key-path.ts'
import type { DiffRow } from '../../../core/text/diff-lines.ts'
import { checkPlugins } from '../../../plugins/check-plugins.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { agree } from './agree.ts'
import { configEditFiles } from './edit-files.ts'

const KEY = { about: 'Such as projects.app.defaultBranch', required: true } as const
const OPTIONS = {
  yes: { short: 'y', about: 'Consent to what the change needs' },
  'dry-run': { about: 'Only show what would change' },
  json: JSON_OPTION,
} as const
const JSON_ANSWER = '{ configPath, changed, saved, rows: [{ kind, text }], agreed: [what], warnings: [text] }'

export const configSetCommand = defineCommand({
  name: 'config set',
  about: 'Set one key of the configuration file; comments and order stay',
  details:
    'The value is read as YAML: true, 3, [a, b], or text. What needs your consent is asked for first. Undo it with: ao config undo',
  args: { key: KEY, value: { about: 'The new value', required: true } },
  options: OPTIONS,
  examples: [{ line: 'ao config set reactions.ci-failed.retries 3', about: 'For all projects' }],
  json: JSON_ANSWER,
  async run({ args, options }, io) {
    const path = readKey(args.key)
    const context = openContext(io)
    return change(context, await chooseValue(context, path, args.value), options, io)
  },
})

export const configUnsetCommand = defineCommand({
  name: 'config unset',
  about: 'Remove one key from the configuration file; its default is in force again',
  args: { key: KEY },
  options: OPTIONS,
  json: JSON_ANSWER,
  async run({ args, options }, io) {
    return change(openContext(io), { path: readKey(args.key) }, options, io)
  },
})

export const configUndoCommand = defineCommand({
  name: 'config undo',
  about: 'Undo the last change that ao made to the configuration file',
  details:
    'Changes made with ao config set, unset or on the page, the newest first, and only while the file has not been changed since.',
  options: { json: JSON_OPTION },
  json: '{ configPath, undone: true }',
  async run({ options }, io) {
    const context = openContext(io)
    const { undoEdit } = await import('../../../config/edit/save-edit.ts')
    await undoEdit(context)
    if (options.json) return void io.json({ configPath: context.configPath, undone: true })
    io.print(`${context.configPath} is as it was before the last change`)
  },
})

function openContext({ configPath: path, cwd, env, home, clock }: Io): SaveContext {
  const { path: configPath } = readConfig(findConfig({ path, cwd, env, home }).path)
  return { configPath, env, home, checkPlugins, ...configEditFiles({ home, env })(configPath), now: clock.now() }
}

function readKey(text: string): KeyPath {
  const path = parseKey(text)
  if (path !== null) return path
  throw new AoError('USAGE', `${text} is not a key of the configuration`, {
    hint: 'See the keys with: ao config show --origin',
  })
}

/** As YAML reads it, unless only the text itself is valid there: a name such as 007 or yes. */
async function chooseValue(context: SaveContext, path: KeyPath, text: string): Promise<ConfigChange> {
  const [{ planEdit }, { parseValue }] = await Promise.all([
    import('../../../config/edit/plan-edit.ts'),
    import('../../../config/validate-config.ts'),
  ])
  const literal: ConfigChange = { path, value: text }
  const value = parseValue(text)
  if (typeof value === 'string' || value === null) return literal
  const key = formatKey(path)
  const isRefused = async (change: ConfigChange) =>
    (await planEdit(context, [change])).problems.some((problem) => problem.key.startsWith(key))
  const asYaml = { path, value }
  return (await isRefused(asYaml)) && !(await isRefused(literal)) ? literal : asYaml
}

interface How {
  yes: boolean
  'dry-run': boolean
  json: boolean
}

async function change(context: SaveContext, one: ConfigChange, how: How, io: Io): Promise<undefined> {
  const [{ planEdit }, { refuseProblems, saveEdit }] = await Promise.all([
    import('../../../config/edit/plan-edit.ts'),
    import('../../../config/edit/save-edit.ts'),
  ])
  const plan = await planEdit(context, [one])
  const { configPath } = context
  refuseProblems(configPath, plan.problems)
  const { revision, consents } = plan
  const isSame = plan.after === plan.before
  if (!how.json) show(plan, configPath, isSame, io)
  const isSaved = !how['dry-run'] && !isSame
  if (isSaved) {
    if (consents.length > 0)
      await agree(
        { configPath, items: consents, yes: how.yes, hint: 'Read it, then run the same command with --yes' },
        io,
      )
    await saveEdit(context, { changes: [one], revision, agreed: consents.map(({ hash }) => hash) })
  }
  const { rows, warnings } = plan
  if (how.json)
    io.json({ configPath, changed: !isSame, saved: isSaved, rows, agreed: consents.map(({ what }) => what), warnings })
  else if (isSaved) io.note(io.noteStyle.dim('  undo it with: ao config undo'))
  return
}

function show({ rows, warnings }: EditPlan, configPath: string, isSame: boolean, io: Io): void {
  if (isSame) return void io.print(`${configPath} already says so`)
  io.print(io.style.bold(configPath))
  for (const row of rows) io.print(paint(row, io))
  for (const warning of warnings) io.note(`${io.noteStyle.yellow('warning:')} ${warning}`)
}

function paint({ kind, text }: DiffRow, { style }: Io): string {
  switch (kind) {
    case 'added':
      return style.green(`+ ${text}`)
    case 'removed':
      return style.red(`- ${text}`)
    case 'skipped':
      return style.dim(`  … ${text} lines`)
    default:
      return `  ${text}`
  }
}
