// `ao session kill`: ends the agent and keeps its workspace; `--purge` also removes that.

import { damageOf, type LeftProcess } from '../../../contract/session.ts'
import { isTerminalSession, NON_RESTORABLE_STATUSES, TERMINAL_STATUSES } from '../../../contract/status.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { ENDS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { withProgress } from '../../print/progress.ts'
import { openAo } from '../open-ao.ts'
import { noteLeftRunning } from './note-left-running.ts'

export const sessionKillCommand = defineCommand({
  name: 'session kill',
  about: 'End a session and keep its workspace, so that it can be restored',
  details: 'With --purge, uncommitted work is first saved under refs/ao/rescue/<session>/.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    purge: { about: 'Also remove the workspace and archive the record' },
    force: { about: 'End it at once' },
    'dry-run': { about: 'Only say what would be done' },
    json: JSON_OPTION,
  },
  json: '{ sessionId, status, purged, dryRun, rescue?, leftRunning: [{ pid, command }] }',
  tool: {
    name: 'kill_session',
    title: 'End a session',
    description: 'End a session. Its work stays: uncommitted changes are saved and restore_session brings them back.',
    hints: ENDS,
    input: { session: {}, purge: {} },
    output: { sessionId: 'text', status: 'text' },
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const session = await requireSession(ao.context, args.session)
    const { purge, force } = options
    const hadEnded = TERMINAL_STATUSES.has(session.status) && session.status !== 'cleanup'
    const status = hadEnded ? session.status : force ? 'terminated' : 'killed'
    const leftRunning: LeftProcess[] = []
    const result = { sessionId: session.id, status, purged: purge, dryRun: options['dry-run'], leftRunning }
    if (options['dry-run']) {
      if (options.json) return void io.json(result)
      const end = isTerminalSession(session)
        ? `${session.id} has ended already (${session.status})`
        : `would end ${session.id}`
      io.print(`${end}${purge ? ' and would remove' : ' and would keep'} its workspace ${session.workspacePath ?? ''}`)
      return
    }
    let saved: string | null = null
    const onRescue = (rescue: { ref: string }) => {
      saved = rescue.ref
    }
    await withProgress(io, 'Ending the session was interrupted', (onProgress) =>
      ao.manager.kill(session.id, {
        keepWorkspace: !purge,
        force,
        onProgress,
        onLeftRunning: (processes) => leftRunning.push(...processes),
        onRescue,
        onNotice: (line) => io.note(`${io.noteStyle.yellow('warning:')} ${line}`),
      }),
    )
    if (options.json) return void io.json({ ...result, rescue: saved })
    noteLeftRunning(io, session.id, leftRunning)
    if (saved) io.print(`uncommitted work is saved in ${saved}`)
    const name = io.style.bold(session.id)
    if (purge) io.print(`removed ${name}`)
    else if (damageOf(session)) io.print(`stopped ${name}, whose record was damaged`)
    else io.print(hadEnded ? `${name} had ended already and stays ${status}` : `${status} ${name}`)
    if (!NON_RESTORABLE_STATUSES.has(status)) io.print(`  bring it back: ao session restore ${session.id}`)
  },
})
