// `ao session cleanup`: removes what is finished; the plan says what and why.

import type { LeftProcess } from '../../../contract/session.ts'
import { plural } from '../../../core/text/format-age.ts'
import type { CleanupDecision } from '../../../manager/types.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { withProgress } from '../../print/progress.ts'
import { renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'
import { noteLeftRunning } from './note-left-running.ts'

export const sessionCleanupCommand = defineCommand({
  name: 'session cleanup',
  about: 'Remove finished sessions: their runtime and workspace; the record is archived',
  details:
    'Finished are those that were merged, done or ended, whose pull request or issue is closed, or whose agent no longer runs; never orchestrators, or what cannot be verified. Uncommitted work is saved before anything is removed.',
  options: {
    project: PROJECT_OPTION,
    'dry-run': { about: 'Only say what would be removed, and why' },
    json: JSON_OPTION,
  },
  json: "{ removed: [id], kept: [id], errors: [{ sessionId, error }], rescued: { id: ref } }, with --dry-run { plan: [{ sessionId, action: 'remove' | 'skip', reason }] }",
  async run({ options }, io) {
    const { manager } = await openAo(io)
    if (options['dry-run']) {
      const plan = await manager.planCleanup(options.project)
      if (options.json) io.json({ plan })
      else printPlan(plan, io)
      return
    }
    const onLeftRunning = (sessionId: string, processes: LeftProcess[]) => noteLeftRunning(io, sessionId, processes)
    const rescued = new Map<string, string>()
    const onRescue = (sessionId: string, rescue: { ref: string }) => rescued.set(sessionId, rescue.ref)
    const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${line}`)
    const listeners = { onLeftRunning, onRescue, onNotice }
    const { killed, skipped, errors } = await withProgress(io, 'The cleanup was interrupted', (step) => {
      step('cleaning up')
      return manager.cleanup(options.project, listeners)
    })
    if (options.json) io.json({ removed: killed, kept: skipped, errors, rescued: Object.fromEntries(rescued) })
    else {
      for (const id of killed) {
        const ref = rescued.get(id)
        io.print(`removed ${io.style.bold(id)}${ref ? `, its uncommitted work is saved in ${ref}` : ''}`)
      }
      for (const { sessionId, error } of errors) io.note(`${io.noteStyle.red('failed')} ${sessionId}: ${error}`)
      io.print(`Removed ${plural(killed.length, 'session')}, kept ${skipped.length}.`)
    }
    return errors.length > 0 ? 1 : 0
  },
})

function printPlan(plan: CleanupDecision[], io: Io): void {
  const lines = renderTable<CleanupDecision>(
    [
      { title: 'SESSION', text: ({ sessionId }) => sessionId, paint: (text) => io.style.bold(text) },
      { title: 'PLAN', text: ({ action }) => (action === 'remove' ? 'would remove' : 'would keep') },
      { title: 'WHY', text: ({ reason }) => reason, min: 20 },
    ],
    plan,
    { width: io.width(), paintTitle: io.style.dim },
  )
  if (plan.length > 0) io.printLines(lines)
  const removed = plan.filter(({ action }) => action === 'remove').length
  io.print(`Would remove ${plural(removed, 'session')}, would keep ${plan.length - removed}.`)
}
