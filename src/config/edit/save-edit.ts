// Writes a change of the configuration, and undoes the last one. Only over the very text that the change was made for,
// atomically, and the text before is kept first.
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { withLock } from '../../lib/lock.ts'
import { readIfThere, readPlainText } from '../../lib/plain-file.ts'
import { readConfig } from '../find-config.ts'
import { refuseUntrusted, trust } from '../trust/trust.ts'
import type { ConfigChange } from './edit-text.ts'
import { type EditContext, type EditPlan, planEdit, revisionOf } from './plan-edit.ts'

export interface SaveContext extends EditContext {
  /** Shared by everybody who changes this file. */
  lock: string
  /** Where texts before changes are kept. */
  kept: string
  now: Date
}

export interface SaveRequest {
  changes: readonly ConfigChange[]
  /** Of the text that the person has seen. */
  revision: string
  /** Hashes of the items that the person consents to. */
  agreed: readonly string[]
}

interface Kept {
  text: string
  /** What it became. */
  becomes: string
}

const MOST_KEPT = 20

/** Throws CONFIG_CHANGED, CONFIG_INVALID or CONFIG_UNTRUSTED; then nothing was changed. Returns the new revision. */
export function saveEdit(
  context: SaveContext,
  { changes, revision, agreed }: SaveRequest,
): Promise<EditPlan & { saved: string }> {
  return alone(context, async () => {
    const plan = await planEdit(context, changes)
    if (plan.revision !== revision) throw hasChanged(context.configPath)
    refuseProblems(context.configPath, plan.problems)
    refuseUntrusted(
      context.configPath,
      plan.consents.filter(({ hash }) => !agreed.includes(hash)),
    )
    const saved = revisionOf(plan.after)
    if (plan.after === plan.before) return { ...plan, saved }
    keep(context, [...readKept(context), { text: plan.before, becomes: saved }])
    // Before the file says so: a loop that reads it at once finds the consent.
    await trust(plan.consents, context)
    // An editor takes no lock.
    if (readConfig(context.configPath).text !== plan.before) throw hasChanged(context.configPath)
    writeConfig(context.configPath, plan.after)
    return { ...plan, saved }
  })
}

/** Replaces the whole file, or a link to one, with a text of ao's own; `undoEdit` brings the text before back. */
export function replaceConfig(context: Pick<SaveContext, 'configPath' | 'lock' | 'kept'>, text: string): Promise<void> {
  return alone(context, async () => {
    const before = readIfThere(context.configPath)
    if (before !== null) keep(context, [...readKept(context), { text: before, becomes: revisionOf(text) }])
    const mode = statSync(context.configPath, { throwIfNoEntry: false })?.mode ?? 0o644
    writeFileAtomic(context.configPath, text, { mode: mode & 0o777, isForeign: true })
  })
}

/** Only if the file is still as the last change left it. Returns the revision that is in force again. */
export function undoEdit(
  context: Omit<SaveContext, 'checkPlugins' | 'now' | 'env' | 'home'>,
): Promise<{ revision: string }> {
  return alone(context, async () => {
    const all = readKept(context)
    const now = revisionOf(readConfig(context.configPath).text)
    const index = all.findLastIndex(({ becomes }) => becomes === now)
    if (index === -1) {
      throw new AoError(
        'CONFIG_CHANGED',
        `${context.configPath} was not changed by ao last, so there is nothing to undo`,
        {
          hint: 'See what it says with: ao config show',
        },
      )
    }
    const { text } = all[index]!
    writeConfig(context.configPath, text)
    keep(context, all.slice(0, index))
    return { revision: revisionOf(text) }
  })
}

/** Whether `undoEdit` would find something. */
export function canUndo(context: Pick<SaveContext, 'configPath' | 'kept'>): boolean {
  const now = revisionOf(readConfig(context.configPath).text)
  return readKept(context).some(({ becomes }) => becomes === now)
}

function alone<T>({ lock }: Pick<SaveContext, 'lock'>, action: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  return withLock(lock, action)
}

/** Throws CONFIG_INVALID when there are any. */
export function refuseProblems(configPath: string, problems: EditPlan['problems']): void {
  if (problems.length === 0) return
  const lines = problems.map(({ key, message, suggestion }) => {
    const meant = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
    return `\n  ${key === '' ? '' : `${key}: `}${message}${meant}`
  })
  throw new AoError(
    'CONFIG_INVALID',
    `${configPath} was not changed, because it would not be valid:${lines.join('')}`,
    {
      hint: 'See what a key may hold with: ao config schema',
      details: { file: configPath, problems, total: problems.length },
    },
  )
}

function hasChanged(configPath: string): AoError {
  return new AoError('CONFIG_CHANGED', `${configPath} has changed in the meantime; nothing was written`)
}

function readKept({ kept }: Pick<SaveContext, 'kept'>): Kept[] {
  try {
    const all = JSON.parse(readPlainText(kept, { noFollow: true })) as Kept[]
    return Array.isArray(all) ? all.filter((one) => typeof one?.text === 'string') : []
  } catch {
    // Nothing was changed yet, or the file is damaged: then there is nothing to undo.
    return []
  }
}

function keep({ kept }: Pick<SaveContext, 'kept'>, all: readonly Kept[]): void {
  writeFileAtomic(kept, JSON.stringify(all.slice(-MOST_KEPT)))
}

/** With the rights that the file had: it may hold secrets. A link to it stays a link. */
export function writeConfig(configPath: string, text: string): void {
  try {
    const file = realpathSync(configPath)
    writeFileAtomic(file, text, { mode: statSync(file).mode & 0o777, isForeign: true })
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `${configPath} cannot be written: ${errorText(error)}`, {
      hint: 'Check that you may write the file and its directory',
      cause: error,
    })
  }
}
